//! From S-parameters over frequency to taps over time.
//!
//! A Touchstone file samples `S(f)` where an instrument could; a pack needs `H[k][q][p]`, the response of
//! output wave `q`, `k` steps after a unit sample of incident wave `p`:
//!
//! ```text
//! S(f_i) -> clean -> [Y or Z] -> uniform grid with 0 Hz -> window -> inverse transform -> t >= 0 -> nh taps
//!           grid.rs  parameter   grid, dc, interpolation   window    transform
//! ```
//!
//! Every step changes the data a little, so every step is an option and leaves a figure in the
//! [`BuildReport`]: what was guessed towards 0 Hz, the energy at negative time, the energy behind the last
//! tap, and the largest singular value of the taps that will really run.
//!
//! Invariants: `dt = 1 / (nt df)`; the sum over all `nt` samples is `S(0)`; a frequency-independent real
//! entry becomes exactly one tap.
//!
//! Cost: one transform per matrix entry, and one singular value per point of the finer grid.

mod dc;
mod fault;
mod grid;
mod interpolation;
mod options;
pub(crate) mod parameter;
mod report;
mod transform;
mod window;

use num_complex::Complex;

pub use dc::DcRule;
pub use fault::BuildFault;
pub use options::{BuildOptions, Interpolation, TargetParameter, Transform, Window};
pub use report::BuildReport;

use crate::health::fir_norm;
use crate::{Pack, PackError, PackParts, Shape};
use grid::{Clean, Resampler};
use transform::Inverse;

/// Scattering parameters over frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct SParameters {
    /// Frequencies in Hz, in any order.
    pub frequencies: Vec<f64>,
    /// Number of ports.
    pub ports: usize,
    /// S, `[point][row][col]`: row is the port of the reflected wave, column that of the incident wave.
    pub data: Vec<Complex<f64>>,
    /// Reference impedance of each port in ohm.
    pub reference: Vec<Complex<f64>>,
}

/// Builds a pack.
///
/// # Errors
/// [`PackError::Build`] when the data are unusable, mostly guessed, or an option is out of range; a content
/// error when the taps pass the pack's limits.
pub fn build(s: &SParameters, o: &BuildOptions) -> Result<(Pack, BuildReport), PackError> {
    let (parts, report) = build_parts(s, o)?;
    Ok((Pack::from_parts(parts)?, report))
}

/// As [`build`], but stops before the pack is sealed, so that an importer can add names and provenance.
///
/// # Errors
/// As [`build`].
pub fn build_parts(
    s: &SParameters,
    o: &BuildOptions,
) -> Result<(PackParts, BuildReport), PackError> {
    o.check()?;
    let mut clean = grid::clean(s)?;
    o.dc.check(clean.ports)?;
    let plan = grid::plan(&clean.frequencies, clean.ports, o)?;
    let passivity_max_sv_input = fir_norm::largest_over_points(&clean.data, clean.ports);
    let reciprocity_max_abs = reciprocity(&clean);
    if o.target != TargetParameter::S {
        let ordered = SParameters {
            frequencies: clean.frequencies.to_vec(),
            ports: clean.ports,
            data: clean.data.to_vec(),
            reference: s.reference.clone(),
        };
        clean.data = parameter::from_s(&ordered, o.target)?.into();
    }
    let known = grid::known_frequencies(&clean, &plan);
    let resampler = Resampler::new(&clean, &plan, o, &known);
    let mut inverse = Inverse::new(window::half_window(o.window, plan.m), o.transform);
    let response = Response::new(&resampler, &mut inverse, clean.ports)?;
    let (nh, mut notes) = choose_length(&response, o);
    let mut taps = response.taps(nh);
    if let Some(percent) = o.taper {
        fade(&mut taps, clean.ports * clean.ports, percent);
    }
    let shape = Shape::new(nh, clean.ports, clean.ports)?;
    let fir = match o.target {
        TargetParameter::S => Some(fir_norm::Grid::new(shape, 4, plan.m).largest(&taps).value),
        TargetParameter::Y | TargetParameter::Z => None,
    };
    let f_lo = clean.frequencies[0];
    let f_hi = clean.frequencies[clean.frequencies.len() - 1];
    let dt = 1.0 / (inverse.nt() as f64 * plan.df);
    let mut report = BuildReport {
        options: o.clone(),
        nports: clean.ports,
        nfreq: clean.frequencies.len(),
        f_lo,
        f_hi,
        reference_ohm: s.reference.iter().map(|z| [z.re, z.im]).collect(),
        extrapolated_fraction: f_lo / f_hi,
        dc: dc_source(o, plan.lacks_dc),
        filled_low_points: plan.gap.len(),
        interp: resampler.method(),
        df: plan.df,
        m: plan.m,
        nt: inverse.nt(),
        dt,
        nh,
        nyquist_imag_dropped: (o.transform == Transform::Even).then_some(inverse.nyquist_imag),
        passivity_max_sv_input,
        reciprocity_max_abs,
        negative_time_energy: response.share(response.causal..response.energy.len()),
        truncated_energy: response.share(nh..response.causal),
        passivity_max_sv_fir: fir,
        peak_abs: taps.iter().fold(0.0, |peak, v| f64::max(peak, v.abs())),
        dc_sum_error: response.dc_sum_error,
        notes: Vec::new(),
        warnings: Vec::new(),
    };
    notes.splice(0..0, clean.notes.iter().chain(&plan.notes).cloned());
    report.notes = notes;
    report.warn();
    let made_by = serde_json::json!({
        "importer": "s_parameters",
        "parameter": o.target,
        "build": &report,
    });
    let parts = PackParts {
        shape,
        dt,
        taps,
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by,
    };
    Ok((parts, report))
}

/// All samples of all entries, and their energy over time.
struct Response {
    /// `[entry][sample]`, only the samples from time 0 on.
    samples: Vec<Vec<f64>>,
    /// Samples at times from 0 on.
    causal: usize,
    /// Sum of squares over the entries, for all `nt` samples.
    energy: Vec<f64>,
    dc_sum_error: f64,
}

impl Response {
    fn new(
        resampler: &Resampler<'_>,
        inverse: &mut Inverse,
        ports: usize,
    ) -> Result<Response, BuildFault> {
        let causal = inverse.causal();
        let mut energy = vec![0.0; inverse.nt()];
        let mut samples = Vec::with_capacity(ports * ports);
        let mut dc_sum_error = 0.0f64;
        for row in 0..ports {
            for col in 0..ports {
                let spectrum = resampler.entry(row, col);
                let zero = spectrum[0].re;
                let mut h = inverse.samples(spectrum)?;
                dc_sum_error = dc_sum_error.max((h.iter().sum::<f64>() - zero).abs());
                for (k, (sum, v)) in energy.iter_mut().zip(&h).enumerate() {
                    *sum += v * v;
                    if !sum.is_finite() {
                        return Err(BuildFault::Overflow { tap: k });
                    }
                }
                h.truncate(causal);
                samples.push(h);
            }
        }
        Ok(Response {
            samples,
            causal,
            energy,
            dc_sum_error,
        })
    }

    fn share(&self, range: std::ops::Range<usize>) -> f64 {
        let total: f64 = self.energy.iter().sum();
        if total > 0.0 {
            self.energy[range].iter().sum::<f64>() / total
        } else {
            0.0
        }
    }

    /// The smallest number of taps that loses no more than `share` of the energy.
    fn length_for(&self, share: f64) -> usize {
        let total: f64 = self.energy.iter().sum();
        let mut tail = 0.0;
        for k in (0..self.causal).rev() {
            tail += self.energy[k];
            if tail > share * total {
                return k + 1;
            }
        }
        1
    }

    fn taps(&self, nh: usize) -> Vec<f64> {
        (0..nh)
            .flat_map(|k| self.samples.iter().map(move |h| h[k]))
            .collect()
    }
}

fn choose_length(response: &Response, o: &BuildOptions) -> (usize, Vec<String>) {
    match o.nh {
        None => (response.length_for(o.energy), Vec::new()),
        Some(nh) if nh <= response.causal => (nh, Vec::new()),
        Some(nh) => {
            let note = format!(
                "{nh} taps were asked for, but the grid gives {} at times from 0 on",
                response.causal
            );
            (response.causal, vec![note])
        }
    }
}

/// Multiplies the last `percent` of the taps by a falling half cosine that never reaches 0.
fn fade(taps: &mut [f64], entries: usize, percent: f64) {
    let nh = taps.len() / entries;
    let faded = ((nh as f64 * percent / 100.0).ceil() as usize).min(nh);
    for (i, tap) in taps.chunks_exact_mut(entries).skip(nh - faded).enumerate() {
        let angle = std::f64::consts::PI * (i + 1) as f64 / (faded + 1) as f64;
        let weight = 0.5 + 0.5 * angle.cos();
        tap.iter_mut().for_each(|v| *v *= weight);
    }
}

fn reciprocity(clean: &Clean<'_>) -> f64 {
    let n = clean.ports;
    let mut largest = 0.0f64;
    for point in clean.data.chunks_exact(n * n) {
        for row in 0..n {
            for col in 0..row {
                largest = largest.max((point[row * n + col] - point[col * n + row]).norm());
            }
        }
    }
    largest
}

fn dc_source(o: &BuildOptions, lacks_dc: bool) -> String {
    match (lacks_dc, o.dc.is_given()) {
        (true, false) => format!("extrapolated:{}", o.dc),
        (true, true) => format!("given:{}", o.dc),
        (false, true) => format!("given:{} (a measured value was replaced)", o.dc),
        (false, false) => "measured (imag dropped)".into(),
    }
}
