//! How much work a plan is: partitions, multiply-adds, transforms and bytes, counted and not timed.
//!
//! All counts follow from the lags that a level covers. With `N` inputs, `M` outputs and blocks of `B`:
//!
//! ```text
//!            lags of the level                 partitions a boundary           transforms a boundary
//! sliding    lead*B .. lead*B' (the last: nh)  all of them                     N + M
//! relaxed    the block of B' steps so far      m = 0, 1, .. B'/B - 1 in turn   N + M, none where m = 0
//! last r.    everything older                  ceil((nh-1)/B)                  N + M
//! ```
//!
//! A partition is `N*M*B` complex multiply-adds of 8 flops; a transform is one of `2B` real points.

use tdse_kir::Elem;

use super::PlanShape;
use crate::{Domain, Plan};

/// The work of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanWork {
    /// Lags evaluated directly at every step.
    pub head_taps: usize,
    /// The levels, the smallest block first.
    pub levels: Vec<LevelWork>,
}

/// The work of a level at a boundary of its blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelWork {
    /// Steps in a block: a boundary comes once in so many steps.
    pub block: usize,
    /// How the level is evaluated.
    pub domain: Domain,
    /// Lags covered in the time domain; 0 for a spectral level.
    pub lags: usize,
    /// Partitions kept, each of `np * nq * block` complex numbers; 0 in the time domain.
    pub partitions: usize,
    /// Partitions used at a boundary, on average.
    pub mean_partitions: f64,
    /// The share of boundaries at which the level does anything.
    pub active: f64,
    /// Whether the level is relaxed and has one above it: it rests where that one works.
    pub rests: bool,
}

impl PlanWork {
    /// Counts the work of a plan that passes [`Plan::check_for`].
    pub fn of(plan: &Plan, shape: &PlanShape) -> PlanWork {
        PlanWork {
            head_taps: plan.head_taps().min(shape.last_lag()),
            levels: (0..plan.levels.len())
                .map(|i| LevelWork::of(plan, i, shape))
                .collect(),
        }
    }

    /// Floating-point operations per step on average: 2 a real, 8 a complex multiply-add,
    /// `2.5 n log2 n` a real transform of `n` points.
    pub fn flops(&self, shape: &PlanShape) -> f64 {
        let head = 2.0 * shape.pairs() * self.head_taps as f64;
        let level = |level: &LevelWork| {
            let block = level.block as f64;
            match level.domain {
                Domain::Time => 2.0 * level.multiply_adds(shape) / block,
                Domain::Spectrum => {
                    let transform = 5.0 * block * (2.0 * block).log2();
                    (shape.ports() * transform * level.active + 8.0 * level.multiply_adds(shape))
                        / block
                }
            }
        };
        head + self.levels.iter().map(level).sum::<f64>()
    }

    /// Bytes of H that are read per step on average, from whichever memory.
    pub fn h_bytes(&self, shape: &PlanShape) -> f64 {
        let head = shape.pairs() * self.head_taps as f64 * shape.elem.bytes() as f64;
        let level = |level: &LevelWork| level.h_bytes(shape) / level.block as f64;
        head + self.levels.iter().map(level).sum::<f64>()
    }
}

impl LevelWork {
    fn of(plan: &Plan, i: usize, shape: &PlanShape) -> LevelWork {
        let block = plan.block(i);
        let is_last = i + 1 == plan.levels.len();
        let domain = plan.levels[i].domain;
        let next = if is_last {
            None
        } else {
            Some(plan.block(i + 1))
        };
        if plan.relaxed() && domain == Domain::Spectrum {
            return LevelWork::relaxed(block, next, shape);
        }
        let first = plan.lead() * block;
        let end = next.map_or(shape.nh, |next| (plan.lead() * next).min(shape.nh));
        let lags = end.saturating_sub(first);
        let partitions = match domain {
            Domain::Time => 0,
            Domain::Spectrum => lags.div_ceil(block),
        };
        LevelWork {
            block,
            domain,
            lags: if domain == Domain::Time { lags } else { 0 },
            partitions,
            mean_partitions: partitions as f64,
            active: 1.0,
            rests: false,
        }
    }

    fn relaxed(block: usize, next: Option<usize>, shape: &PlanShape) -> LevelWork {
        let all = shape.last_lag().div_ceil(block);
        let (partitions, mean_partitions, active) = match next {
            None => (all, all as f64, 1.0),
            Some(next) => {
                let ratio = next / block;
                let kept = (ratio - 1).min(all);
                let used: usize = (0..ratio).map(|m| m.min(all)).sum();
                let share = (ratio - 1) as f64 / ratio as f64;
                (kept, used as f64 / ratio as f64, share)
            }
        };
        LevelWork {
            block,
            domain: Domain::Spectrum,
            lags: 0,
            partitions,
            mean_partitions,
            active,
            rests: next.is_some(),
        }
    }

    /// Multiply-adds at a boundary on average: real in the time domain, complex for spectra.
    pub fn multiply_adds(&self, shape: &PlanShape) -> f64 {
        shape.pairs() * self.block as f64 * (self.lags as f64 + self.mean_partitions)
    }

    /// Bytes of H read at a boundary on average.
    pub fn h_bytes(&self, shape: &PlanShape) -> f64 {
        self.h_elements(shape, self.mean_partitions) * bytes(shape.elem)
    }

    /// Bytes of H kept.
    pub fn h_stored(&self, shape: &PlanShape) -> f64 {
        self.h_elements(shape, self.partitions as f64) * bytes(shape.elem)
    }

    /// Bytes of inputs, their spectra and sums that the multiply-adds of a boundary pass over. The
    /// sums are read and written once a partition.
    pub(crate) fn signal_bytes(&self, shape: &PlanShape, partitions: f64) -> f64 {
        let (np, nq, block) = (shape.np as f64, shape.nq as f64, self.block as f64);
        let elements = match self.domain {
            Domain::Time => np * (self.lags as f64 + block) + 2.0 * nq * block,
            Domain::Spectrum => 2.0 * block * partitions * (np + 2.0 * nq),
        };
        elements * bytes(shape.elem)
    }

    /// Bytes of inputs, spectra and sums kept.
    pub(crate) fn signal_stored(&self, shape: &PlanShape) -> f64 {
        let (np, nq, block) = (shape.np as f64, shape.nq as f64, self.block as f64);
        let elements = match self.domain {
            Domain::Time => np * (self.lags as f64 + block) + 2.0 * nq * block,
            Domain::Spectrum => {
                2.0 * block * (np * (self.partitions as f64 + 1.0) + nq) + 2.0 * nq * block
            }
        };
        elements * bytes(shape.elem)
    }

    fn h_elements(&self, shape: &PlanShape, partitions: f64) -> f64 {
        shape.pairs() * (self.lags as f64 + 2.0 * self.block as f64 * partitions)
    }
}

fn bytes(elem: Elem) -> f64 {
    elem.bytes() as f64
}
