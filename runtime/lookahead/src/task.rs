//! The work of one level in one of its periods, as a list of tasks in order.
//!
//! A burst plan runs the list at once, a spread plan a few tasks a commit. What a task computes depends
//! on committed inputs only and never on when it runs, so the bits are the same either way.

use std::ops::Range;

/// A part of a level's work that is not divided further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    /// Transforms the newest block of some ports.
    Forward(Range<usize>),
    /// Multiplies one slice of a partition's bins and adds it to the sums.
    Multiply {
        /// Index of the partition.
        partition: usize,
        /// Index of the slice.
        slice: usize,
    },
    /// Transforms the sums of some rows back.
    Backward(Range<usize>),
    /// Adds a slice of lags in the time domain.
    Lags(usize),
}

/// Terms of a sum, after which a new one begins, where there are no more ports than that. In f32, one sum of 2046
/// terms had a relative L2 error of 1.1e-6; with sums of 512 tests/accuracy.rs holds to 1e-6.
pub(crate) const LONGEST_SUM: usize = 512;

/// How finely work is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grain {
    /// As coarse as can be.
    Whole,
    /// So that no task costs much more than a step's share.
    Step,
}

impl Grain {
    /// How many of `units`, each of cost `each`, make a task in a level whose work costs `total` in a
    /// period of `steps`: at least one.
    pub(crate) fn units(self, units: usize, each: f64, total: f64, steps: usize) -> usize {
        match self {
            Grain::Whole => units.max(1),
            Grain::Step => {
                let share = (total / steps as f64 / 2.0).max(LEAST_COST);
                ((share / each.max(1.0)) as usize).clamp(1, units.max(1))
            }
        }
    }
}

/// A task that costs less than this many multiply-adds costs more to start than to do.
const LEAST_COST: f64 = 256.0;

/// Cost of one transform of a block with its pass over the bins, in multiply-adds of a kernel.
///
/// Counted, not measured: the library's operations as they are, and 6 for a bin's share of the passes before and
/// after. It decides how work is spread and changes no result.
pub(crate) fn transform_cost(block: usize) -> f64 {
    let n = block as f64;
    2.5 * n * n.log2().max(1.0) + 6.0 * n
}
