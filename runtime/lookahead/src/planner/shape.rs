//! What a plan is made for: sizes and aim.

use std::fmt;

use tdse_kir::Elem;

/// Sizes and element type of the system that a plan evaluates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlanShape {
    /// Inputs.
    pub np: usize,
    /// Outputs.
    pub nq: usize,
    /// Taps, the direct term `H[0]` among them.
    pub nh: usize,
    /// Element type of taps and sums.
    pub elem: Elem,
}

/// What a plan is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Objective {
    /// The least time for many steps.
    #[default]
    Throughput,
    /// The least time for the slowest step.
    Deadline,
}

impl PlanShape {
    /// Entries of one tap.
    pub(crate) fn pairs(&self) -> f64 {
        self.np as f64 * self.nq as f64
    }

    /// Inputs and outputs together: transforms of a spectral level.
    pub(crate) fn ports(&self) -> f64 {
        self.np as f64 + self.nq as f64
    }

    /// The largest lag.
    pub(crate) fn last_lag(&self) -> usize {
        self.nh.saturating_sub(1)
    }
}

impl Objective {
    /// The token.
    pub const fn name(self) -> &'static str {
        match self {
            Objective::Throughput => "throughput",
            Objective::Deadline => "deadline",
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
