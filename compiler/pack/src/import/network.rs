//! Network data: read, convert to S, build taps.

use num_complex::Complex;
use serde_json::{Value, json};

use super::ImportOptions;
use super::kind::{Kind, Source};
use crate::sparams::{self, SParameters};
use crate::touchstone::{self, Touchstone};
use crate::{Pack, PackError, admittance};

/// Admittance text names no reference; S needs one, and 50 ohm is that of Touchstone's default.
const DEFAULT_REFERENCE_OHM: f64 = 50.0;

/// What a network file holds.
enum Network {
    Touchstone(Touchstone),
    /// Already S.
    Admittance(SParameters),
}

/// Builds a pack; its `made_by` has `read`, `parameter` and `build`.
pub(super) fn import(source: &Source, options: &ImportOptions) -> Result<Pack, PackError> {
    let reference = options.admittance_reference;
    let network = Network::read(source, reference.unwrap_or(DEFAULT_REFERENCE_OHM))?;
    let (s, names) = match &network {
        Network::Touchstone(file) => (&file.to_s()?, mode_names(file)),
        Network::Admittance(s) => (s, Vec::new()),
    };
    let (mut parts, _) = sparams::build_parts(s, &options.build)?;
    parts.inputs = names.clone();
    parts.outputs = names;
    // What the builder says stays: the health check asks which parameters the taps are.
    parts.made_by["read"] = network.describe();
    Pack::from_parts(parts)
}

/// Describes the data as read.
pub(super) fn describe(source: &Source) -> Result<Value, PackError> {
    Ok(Network::read(source, DEFAULT_REFERENCE_OHM)?.describe())
}

impl Network {
    fn read(source: &Source, reference: f64) -> Result<Network, PackError> {
        match source.kind {
            Kind::Admittance => {
                admittance::pack_input_from_text(source.bytes, reference).map(Network::Admittance)
            }
            _ => touchstone::parse(source.bytes, source.name).map(Network::Touchstone),
        }
    }

    fn describe(&self) -> Value {
        match self {
            Network::Touchstone(file) => {
                let modes = file.mixed_mode.as_ref();
                json!({
                    "ports": file.ports,
                    "points": file.frequencies.len(),
                    "f_lo_hz": file.frequencies.first(),
                    "f_hi_hz": file.frequencies.last(),
                    "parameter": file.parameter.to_string(),
                    "format": file.format.to_string(),
                    "version": match file.version {
                        touchstone::Version::V1 => 1,
                        touchstone::Version::V2 => 2,
                    },
                    "reference": ohms(&file.reference),
                    "noise_points": file.noise.len(),
                    "modes": modes.map(|_| mode_names(file)),
                    "notes": file.notes,
                })
            }
            Network::Admittance(s) => json!({
                "ports": s.ports,
                "points": s.frequencies.len(),
                "f_lo_hz": s.frequencies.first(),
                "f_hi_hz": s.frequencies.last(),
                "parameter": "Y",
                "format": "RI",
                "reference": ohms(&s.reference),
                "notes": ["the admittance was converted to S with the reference above"],
            }),
        }
    }
}

/// What each row of mixed-mode data stands for; nothing when the rows are the ports.
fn mode_names(file: &Touchstone) -> Vec<String> {
    let modes = file.mixed_mode.as_deref().unwrap_or(&[]);
    modes.iter().map(ToString::to_string).collect()
}

/// Real references as numbers, complex ones as pairs.
fn ohms(reference: &[Complex<f64>]) -> Value {
    if reference.iter().all(|z| z.im == 0.0) {
        return reference.iter().map(|z| json!(z.re)).collect();
    }
    reference.iter().map(|z| json!([z.re, z.im])).collect()
}
