//! What is reported.

use serde::Serialize;

use crate::PeerRefusal;

/// Times of a step in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Nanoseconds {
    /// Median over the rounds of a round's mean time per step. A round holds whole periods of the
    /// peer, so work that is done once in many steps counts in full.
    pub median: f64,
    /// Single steps, the clock's cost taken off.
    pub p99: f64,
    /// Single steps.
    pub p999: f64,
    /// Single steps.
    pub max: f64,
    /// Median of single steps: for a route that works in bursts, a step without one.
    pub p50_step: f64,
    /// The fastest round's mean.
    pub least: f64,
}

/// Arithmetic in registers of a step's length, run between the single steps of the row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Calm {
    /// Median.
    pub median: f64,
    /// What the machine does to one run in a hundred.
    pub p99: f64,
    /// In a thousand.
    pub p999: f64,
    /// The worst.
    pub max: f64,
}

/// Steps after a reset and after the caches were filled with something else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ColdStart {
    /// Steps timed: nh, or fewer where they take too long.
    pub steps: usize,
    /// The first of them.
    pub first_ns: f64,
    /// Their mean.
    pub mean_ns: f64,
    /// The slowest.
    pub max_ns: f64,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Inputs.
    pub np: usize,
    /// Outputs.
    pub nq: usize,
    /// Taps.
    pub nh: usize,
    /// Element type.
    pub dtype: &'static str,
    /// Route, or the peer's name.
    pub route: String,
    /// Whether it is somebody else's.
    pub peer: bool,
    /// Code generator, or the library.
    pub backend: String,
    /// Threads.
    pub threads: u32,
    /// Times.
    pub ns: Nanoseconds,
    /// Mean over all rounds.
    pub mean_ns: f64,
    /// Relative L2 error of the outputs at chosen steps against a sum in twice the precision.
    pub rel_l2: f64,
    /// How many times faster than the best OpenBLAS gemv of the table, one thread, same type.
    pub ratio_to_openblas_gemv: Option<f64>,
    /// What direct evaluation has to read in a step, over the median.
    pub bytes_per_s: f64,
    /// That over the measured roof; above 1 for routes that do not read all taps at every step.
    pub roof_share: f64,
    /// From the pack to the first step.
    pub setup_ns: u64,
    /// Taps, code, history, workspace.
    pub bytes: usize,
    /// Version of a library.
    pub version: Option<String>,
    /// Plan or block sizes.
    pub plan: Option<String>,
    /// What a reader has to know.
    pub note: Option<String>,
    /// Steps by which the outputs are late.
    pub delay: usize,
    /// Kind of input.
    pub input: &'static str,
    /// Steps from the reset over which the error was looked at.
    pub verified_steps: usize,
    /// Steps in all rounds that the median and the mean come from.
    pub steps: u64,
    /// Single steps that the percentiles come from.
    pub single_steps: u64,
    /// The steps of a plan's period with the stalls of the machine taken out.
    pub places: Places,
    /// What the machine itself did meanwhile.
    pub calibration: Calm,
    /// The start.
    pub cold: ColdStart,
}

/// A row that is not there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Skipped {
    /// Which.
    pub route: String,
    /// Element type.
    pub dtype: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a row is not there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkipReason {
    /// Stable number.
    pub code: u32,
    /// Stable name.
    pub name: String,
    /// A sentence.
    pub text: String,
}

impl Skipped {
    /// From a refusal.
    pub fn new(route: &str, dtype: &str, refusal: &PeerRefusal) -> Self {
        Skipped {
            route: route.into(),
            dtype: dtype.into(),
            reason: SkipReason {
                code: refusal.code(),
                name: refusal.name().into(),
                text: refusal.to_string(),
            },
        }
    }
}

/// What the steps of a plan's period cost: at each place of the period the least time of all periods.
///
/// A route does the same work at the same place of every period, so a stall of the machine, which comes at any place,
/// drops out. Nanoseconds. A route without periods has one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Places {
    /// Places that were met.
    pub count: usize,
    /// Median over the places.
    pub median: u64,
    /// 99.9th percentile over the places.
    pub p999: u64,
    /// The slowest place.
    pub max: u64,
}

impl Places {
    /// Sorts the least times; places that were never met are left out.
    pub(crate) fn of(mut least: Vec<u64>) -> Self {
        least.retain(|&ns| ns != u64::MAX);
        least.sort_unstable();
        let at = |share: f64| {
            let last = least.len().saturating_sub(1) as f64;
            least
                .get((last * share).ceil() as usize)
                .copied()
                .unwrap_or(0)
        };
        Places {
            count: least.len(),
            median: at(0.5),
            p999: at(0.999),
            max: at(1.0),
        }
    }
}
