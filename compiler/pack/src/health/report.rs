//! What a check found.

use serde::Serialize;

/// One closed loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopReport {
    /// `open`, `short`, `alternating` or `matched`.
    pub termination: String,
    /// Steps that were run.
    pub steps: u64,
    /// Largest wave amplitude, incident or reflected, at any port (the burst has amplitude 1).
    pub max_abs: f64,
    /// The step at which a wave passed the bound (with matched ends: overflowed); 0 when the algebraic loop has
    /// no solution.
    pub diverged_at: Option<u64>,
    /// Condition of `I - G H0`, the algebraic loop of one step (infinite, in JSON `null`, when singular).
    pub algebraic_condition: f64,
    /// The last step with any signal, when the loop fell silent and was stopped early.
    pub died_out_at: Option<u64>,
    /// Largest amplitude of the last quarter of the steps over that of the quarter before.
    pub late_growth: Option<f64>,
}

impl LoopReport {
    /// The algebraic loop of one step is singular, so no step was run.
    pub(super) fn has_no_solution(&self) -> bool {
        self.diverged_at.is_some() && self.steps == 0
    }

    pub(super) fn new(termination: &str, algebraic_condition: f64) -> LoopReport {
        LoopReport {
            termination: termination.into(),
            steps: 0,
            max_abs: 0.0,
            diverged_at: None,
            algebraic_condition,
            died_out_at: None,
            late_growth: None,
        }
    }
}

/// What the check concludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Proven: the norm stays below 1 at every frequency (for Y and Z: no eigenvalue of the Hermitian part is
    /// negative at any frequency).
    Stable,
    /// No loop passed the bound, but nothing proves that none ever will. Y and Z packs, for which no loop is
    /// run, end here too when they are passive on the grid and not proven so between its points.
    NotRefuted,
    /// A loop with passive terminations passed the bound.
    Unstable,
    /// Y or Z taps give power out at some frequency: some passive circuit around them diverges.
    NotPassive,
    /// The pack does not describe waves at ports, or the device was declared active.
    NotApplicable,
}

/// Everything the check measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HealthReport {
    /// Largest singular value of the taps over the grid.
    pub fir_max_singular_value: f64,
    /// Frequency of that value in Hz.
    pub fir_max_at_hz: f64,
    /// Bound of the singular value at all frequencies, between grid points too.
    pub fir_bound: f64,
    /// Points of the grid on the whole circle.
    pub grid_points: usize,
    /// Frequency in Hz and singular value; the largest of each of at most 1024 equal parts of the band.
    pub fir_curve: Vec<(f64, f64)>,
    /// Share of energy at negative time, when the pack says how it was built.
    pub negative_time_energy: Option<f64>,
    /// Share of energy behind the last tap, when the pack says how it was built.
    pub tail_energy: Option<f64>,
    /// Lowest over highest frequency of the data, when the pack says how it was built.
    pub f_lo_over_f_hi: Option<f64>,
    /// Smallest eigenvalue of the Hermitian part over the grid and its frequency in Hz; Y and Z packs only.
    pub min_hermitian_eigenvalue: Option<(f64, f64)>,
    /// The closed loops.
    pub loops: Vec<LoopReport>,
    /// Why no loop was run.
    pub loops_skipped: Option<String>,
    /// The norm is proven to stay below 1 at every frequency.
    pub small_gain_certificate: bool,
    /// The device was declared active.
    pub declared_active: bool,
    /// The conclusion.
    pub verdict: Verdict,
    /// The conclusion in a sentence, with the numbers it rests on.
    pub message: String,
}
