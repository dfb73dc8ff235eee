//! What was built from what, with every choice and every figure.

use serde::{Deserialize, Serialize};

use super::options::BuildOptions;
use crate::frequency_text::hertz;

/// Everything [`build`](super::build) decided and measured; also stands in the pack's `made_by` as `build`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildReport {
    /// The options as given.
    pub options: BuildOptions,
    /// Ports of the network.
    pub nports: usize,
    /// Frequency points after cleaning.
    pub nfreq: usize,
    /// Lowest frequency of the data in Hz.
    pub f_lo: f64,
    /// Highest frequency of the data in Hz.
    pub f_hi: f64,
    /// Reference impedance of each port in ohm, real and imaginary part.
    pub reference_ohm: Vec<[f64; 2]>,
    /// `f_lo / f_hi`: above 0.1 the way to 0 Hz is doubtful, above 0.5 nonsense.
    pub extrapolated_fraction: f64,
    /// Where the value at 0 Hz came from.
    pub dc: String,
    /// Grid points above 0 Hz and below `f_lo` that were filled by the line through the two lowest points.
    pub filled_low_points: usize,
    /// How values between the given points were found.
    pub interp: String,
    /// Grid step in Hz.
    pub df: f64,
    /// Grid points, 0 Hz among them.
    pub m: usize,
    /// Samples of the inverse transform.
    pub nt: usize,
    /// Time step in seconds, `1 / (nt df)`.
    pub dt: f64,
    /// Number of taps.
    pub nh: usize,
    /// Largest imaginary part dropped at the Nyquist bin (even transform only).
    pub nyquist_imag_dropped: Option<f64>,
    /// Largest singular value of S over the given frequencies.
    pub passivity_max_sv_input: f64,
    /// Largest `|S - S^T|`.
    pub reciprocity_max_abs: f64,
    /// Share of the energy at negative time, which no causal pack can hold.
    pub negative_time_energy: f64,
    /// Share of the energy lost behind the last tap.
    pub truncated_energy: f64,
    /// Largest singular value of the final taps on a grid four times finer; S packs only.
    pub passivity_max_sv_fir: Option<f64>,
    /// Largest tap.
    pub peak_abs: f64,
    /// Largest difference between the sum over all samples and the value at 0 Hz.
    pub dc_sum_error: f64,
    /// What was done to the data.
    pub notes: Vec<String>,
    /// What deserves a second look before the pack is trusted.
    pub warnings: Vec<String>,
}

/// Largest singular value of given data that still counts as passive: files print few digits.
const PASSIVE: f64 = 1.0 + 1e-6;

/// Share of energy at negative time above which the report warns.
const DOUBTFUL_NEGATIVE_ENERGY: f64 = 1e-2;

/// Share of energy behind the last tap above which the report warns.
const DOUBTFUL_TRUNCATION: f64 = 1e-4;

impl BuildReport {
    /// Fills `warnings` from the figures.
    pub(super) fn warn(&mut self) {
        let mut say = |text: String| self.warnings.push(text);
        if self.extrapolated_fraction > 0.1 {
            say(format!(
                "the data start at {}, {:.2} of their highest frequency: everything below was guessed",
                hertz(self.f_lo),
                self.extrapolated_fraction
            ));
        }
        if self.negative_time_energy > DOUBTFUL_NEGATIVE_ENERGY {
            say(format!(
                "{:.1e} of the energy lies at negative time and was dropped: the data are not causal as given; \
                 a window (--window kaiser:6) usually lowers this",
                self.negative_time_energy
            ));
        }
        if self.truncated_energy > DOUBTFUL_TRUNCATION {
            say(format!(
                "{:.1e} of the energy lies behind the last of {} taps; raise --nh or add --taper",
                self.truncated_energy, self.nh
            ));
        }
        if self.passivity_max_sv_input > PASSIVE {
            say(format!(
                "the data are not passive (largest singular value {:.6}): right for an active device, otherwise noise \
                 or a wrong option line; run the check",
                self.passivity_max_sv_input
            ));
        }
        if let Some(sv) = self.passivity_max_sv_fir
            && sv > 1.0
            && self.passivity_max_sv_input <= PASSIVE
        {
            say(format!(
                "the data are passive (largest singular value {:.6}) but the taps are not ({sv:.6}): a loop closed \
                 around this pack may diverge; run the check",
                self.passivity_max_sv_input
            ));
        }
    }
}
