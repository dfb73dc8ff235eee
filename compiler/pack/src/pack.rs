//! The model pack: taps, time step, port names, in memory that nobody else can change.
//!
//! Everything downstream (kernels, bundles, the runtime) trusts a [`Pack`] without looking again,
//! so a value of this type exists only after all checks have passed:
//!
//! ```text
//! parts (importers) --+
//!                     +--> checks --> identity --> Pack (immutable)
//! bytes (container) --+
//! ```
//!
//! Invariants: `taps.len() == shape.len()`; `ir.len()` is a positive multiple of `nq`; every value
//! is finite; `dt` is finite and positive; names are absent or one for each port.
//!
//! Cost: one pass over the values for the checks, one for the two hashes.

use std::path::Path;

use crate::error::ContentFault;
use crate::{Identity, MAX_TAPS, PackError, Shape};

/// Longest port name in bytes.
pub const MAX_NAME_BYTES: usize = 256;

/// Most bytes of `made_by` as JSON text: 4 MiB.
pub const MAX_MADE_BY_BYTES: usize = 4 << 20;

/// What a pack is made of, before any check.
#[derive(Debug, Clone, PartialEq)]
pub struct PackParts {
    /// Sizes of the tap tensor.
    pub shape: Shape,
    /// Time step in seconds.
    pub dt: f64,
    /// Taps, `[nh][nq][np]` row-major.
    pub taps: Vec<f64>,
    /// Response of the initial state, `[steps][nq]` row-major, when there is one.
    pub ir: Option<Vec<f64>>,
    /// Names of the inputs: `np` of them, or none.
    pub inputs: Vec<String>,
    /// Names of the outputs: `nq` of them, or none.
    pub outputs: Vec<String>,
    /// How the pack was made: a JSON object. It never enters the identity.
    pub made_by: serde_json::Value,
}

/// A checked, immutable model pack.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    parts: PackParts,
    identity: Identity,
}

impl Pack {
    /// Checks the parts and takes their identity.
    ///
    /// # Errors
    /// A [`PackError`] of the area "content" (codes 12xx) for the first rule that does not hold.
    pub fn from_parts(parts: PackParts) -> Result<Pack, PackError> {
        check(&parts)?;
        let identity = Identity::of(&parts);
        Ok(Pack { parts, identity })
    }

    /// The same content with another story; the identity stays.
    pub(crate) fn with_made_by(mut self, made_by: serde_json::Value) -> Result<Pack, PackError> {
        check_made_by(&made_by)?;
        self.parts.made_by = made_by;
        Ok(self)
    }

    /// Sizes of the tap tensor.
    pub fn shape(&self) -> Shape {
        self.parts.shape
    }

    /// Time step in seconds.
    pub fn dt(&self) -> f64 {
        self.parts.dt
    }

    /// All taps, `[nh][nq][np]` row-major.
    pub fn taps(&self) -> &[f64] {
        &self.parts.taps
    }

    /// Tap `k` as `[nq][np]` row-major; empty when `k` is not below `nh`.
    pub fn tap(&self, k: usize) -> &[f64] {
        let size = self.parts.shape.nq() * self.parts.shape.np();
        self.parts.taps.chunks_exact(size).nth(k).unwrap_or(&[])
    }

    /// The response of the initial state `[steps][nq]`, when there is one.
    pub fn ir(&self) -> Option<&[f64]> {
        self.parts.ir.as_deref()
    }

    /// Steps of the initial response; 0 without one.
    pub fn ir_steps(&self) -> usize {
        self.ir().map_or(0, |ir| ir.len() / self.parts.shape.nq())
    }

    /// Names of the inputs: `np` of them, or none.
    pub fn inputs(&self) -> &[String] {
        &self.parts.inputs
    }

    /// Names of the outputs: `nq` of them, or none.
    pub fn outputs(&self) -> &[String] {
        &self.parts.outputs
    }

    /// How the pack was made: a JSON object.
    pub fn made_by(&self) -> &serde_json::Value {
        &self.parts.made_by
    }

    /// SHA-256 and BLAKE3 of the canonical content form.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Reads a pack from the bytes of its container.
    ///
    /// # Errors
    /// A [`PackError`] that names the first rule of the container or of the content that is broken.
    pub fn from_bytes(bytes: &[u8]) -> Result<Pack, PackError> {
        Pack::from_parts(crate::container::decode(bytes)?)
    }

    /// Reads a pack file once, into memory of this process, and checks those bytes.
    ///
    /// # Errors
    /// The file cannot be read or is too large, or as [`Pack::from_bytes`].
    pub fn read(path: &Path) -> Result<Pack, PackError> {
        Pack::from_bytes(&crate::file::read_once(path)?)
    }

    /// The container's bytes; the same pack always gives the same bytes.
    ///
    /// # Errors
    /// Only when the container cannot be encoded (it would pass [`crate::MAX_FILE_BYTES`]).
    pub fn to_bytes(&self) -> Result<Vec<u8>, PackError> {
        crate::container::encode(&self.parts)
    }

    /// Writes the container beside `path`, then renames it over `path`: a reader sees the old file
    /// or the whole new one.
    ///
    /// # Errors
    /// The folder or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PackError> {
        crate::file::write_aside(path, &self.to_bytes()?)
    }
}

fn check(parts: &PackParts) -> Result<(), ContentFault> {
    let shape = parts.shape;
    check_dt(parts.dt)?;
    if parts.taps.len() != shape.len() {
        return Err(ContentFault::LengthMismatch {
            wanted: shape.len(),
            found: parts.taps.len(),
        });
    }
    check_finite("H", &parts.taps)?;
    if let Some(ir) = &parts.ir {
        if ir.is_empty() || !ir.len().is_multiple_of(shape.nq()) || ir.len() > MAX_TAPS {
            return Err(ContentFault::IrLength {
                found: ir.len(),
                nq: shape.nq(),
            });
        }
        check_finite("IR", ir)?;
    }
    check_names("input", &parts.inputs, shape.np())?;
    check_names("output", &parts.outputs, shape.nq())?;
    check_made_by(&parts.made_by)
}

fn check_made_by(made_by: &serde_json::Value) -> Result<(), ContentFault> {
    if !made_by.is_object() {
        return Err(ContentFault::MadeByNotObject);
    }
    let found = made_by.to_string().len();
    if found > MAX_MADE_BY_BYTES {
        return Err(ContentFault::MadeByTooLarge { found });
    }
    Ok(())
}

/// A time step must be finite and positive.
pub(crate) fn check_dt(dt: f64) -> Result<(), ContentFault> {
    if dt.is_finite() && dt > 0.0 {
        return Ok(());
    }
    Err(ContentFault::BadTimeStep {
        found: format!("{dt:e}"),
    })
}

fn check_finite(tensor: &'static str, values: &[f64]) -> Result<(), ContentFault> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(ContentFault::NotFinite { tensor, index }),
    }
}

fn check_names(kind: &'static str, names: &[String], ports: usize) -> Result<(), ContentFault> {
    if names.is_empty() {
        return Ok(());
    }
    if names.len() != ports {
        return Err(ContentFault::NameCount {
            kind,
            wanted: ports,
            found: names.len(),
        });
    }
    let mut seen = std::collections::HashSet::new();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            return Err(ContentFault::BadName { kind, index });
        }
        if !seen.insert(name) {
            return Err(ContentFault::DuplicateName {
                kind,
                name: name.clone(),
            });
        }
    }
    Ok(())
}
