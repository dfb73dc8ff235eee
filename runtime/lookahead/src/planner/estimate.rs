//! What a plan should take: nanoseconds of the mean and of the slowest step, and bytes.
//!
//! A piece of work takes the longer of its arithmetic and its reading, then its calls and
//! transforms are added. Which cache a level's H comes from is a question of how much else is read
//! before it is read again, its *distance*: at a level of period `B`, all of its own data and that of
//! shorter periods, and the share `B/B'` of a level of longer period `B'`.
//!
//! Slowest step: in burst form the boundary where the blocks of all levels end; in spread form the mean
//! plus the largest piece that is not cut, which is one transform of the largest level, or one lag
//! of a level in the time domain. An estimate takes about a microsecond and allocates two small lists.

use super::{CostConstants, LevelWork, PlanShape, PlanWork};
use crate::{Domain, Form, Plan};

/// What a plan should take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Nanoseconds a step, on average.
    pub mean_ns: f64,
    /// Nanoseconds of the slowest step.
    pub worst_ns: f64,
    /// Bytes of packed taps, spectra, sums and history.
    pub bytes: u64,
}

/// Estimates a plan that passes [`Plan::check_for`].
pub fn estimate(plan: &Plan, shape: &PlanShape, constants: &CostConstants) -> Estimate {
    let work = PlanWork::of(plan, shape);
    let model = Model {
        shape,
        constants,
        work: &work,
        spread: plan.form == Form::Spread,
    };
    let every_step = model.every_step_ns();
    let levels: Vec<LevelTime> = (0..work.levels.len()).map(|i| model.level(i)).collect();
    let mean_ns = every_step
        + levels
            .iter()
            .zip(&work.levels)
            .map(|(time, level)| time.mean_ns / level.block as f64)
            .sum::<f64>();
    let handed_over = model.handed_over_ns();
    let worst_ns = match plan.form {
        Form::Burst => every_step + handed_over + model.boundary_ns(&levels),
        Form::Spread => {
            let piece = levels.iter().map(|time| time.piece_ns).fold(0.0, f64::max);
            mean_ns + handed_over + piece
        }
    };
    Estimate {
        mean_ns: mean_ns + handed_over / work.levels[0].block as f64,
        worst_ns,
        bytes: model.bytes() as u64,
    }
}

/// What a level takes.
struct LevelTime {
    /// At a boundary, on average.
    mean_ns: f64,
    /// At the boundary with the most partitions.
    most_ns: f64,
    /// For the largest piece of a boundary's work that is not cut.
    piece_ns: f64,
}

/// Registers of sums that keep the multiply-adders busy: a latency of four cycles, two started in each.
///
/// Measured, one port of 65536 taps in blocks of 4: 23 us a step where all registers full would be 6.
const SUMS_IN_FLIGHT: usize = 8;

/// Real multiply-adds of the smallest piece of a spread level.
const LEAST_PIECE: f64 = 256.0;

/// Terms of a sum in the time domain, after which a new one begins.
const LONGEST_SUM: usize = 512;

/// What one pair of ports adds to a complex multiply-add, in multiply-adds: its sums are read and written for
/// few terms. Measured in f64: 2.4 of the time with one pair, 1.3 with four, none with sixteen.
const ONE_PAIR: f64 = 1.5;

struct Model<'a> {
    shape: &'a PlanShape,
    constants: &'a CostConstants,
    work: &'a PlanWork,
    spread: bool,
}

impl Model<'_> {
    /// The head, and what every step takes.
    fn every_step_ns(&self) -> f64 {
        let c = self.constants;
        let levels = self.work.levels.iter();
        let distance = self.head_bytes()
            + levels
                .map(|level| self.touched(level) / level.block as f64)
                .sum::<f64>();
        let madds = self.shape.pairs() * self.work.head_taps as f64;
        let head = (madds * c.direct_ns).max(self.head_bytes() * c.memory.ns_per_byte(distance))
            + self.shape.nq as f64 * c.direct_row_ns
            + c.call_ns;
        c.step_ns + self.shape.np as f64 * c.element_ns + head
    }

    /// Turning the summed outputs into step order, once in a block of the first level.
    fn handed_over_ns(&self) -> f64 {
        let elements = self.shape.nq * self.work.levels[0].block;
        elements as f64 * self.constants.element_ns
    }

    /// Adding a block of a level's outputs to others: two are read and one is written.
    fn added_ns(&self, level: &LevelWork) -> f64 {
        let bytes = 3 * self.shape.nq * level.block * self.shape.elem.bytes();
        bytes as f64 * self.constants.memory.ns_per_byte(0.0)
    }

    fn level(&self, i: usize) -> LevelTime {
        let level = &self.work.levels[i];
        let byte_ns = self.constants.memory.ns_per_byte(self.distance(i));
        let most = level.partitions as f64;
        match level.domain {
            Domain::Time => {
                let boundary = self.time_ns(level, byte_ns) + self.added_ns(level);
                LevelTime {
                    mean_ns: boundary,
                    most_ns: boundary,
                    piece_ns: boundary / level.lags.max(1) as f64,
                }
            }
            Domain::Spectrum => {
                let transform = self.constants.transform.ns(level.block as f64);
                let transforms = self.shape.ports() * transform + self.added_ns(level);
                let products = |p: f64| self.products_ns(level, p, byte_ns);
                LevelTime {
                    mean_ns: level.active * transforms + products(level.mean_partitions),
                    most_ns: transforms + products(most),
                    piece_ns: transform,
                }
            }
        }
    }

    fn time_ns(&self, level: &LevelWork, byte_ns: f64) -> f64 {
        let c = self.constants;
        let lanes = (c.vector_bytes as usize / self.shape.elem.bytes()).max(1);
        let registers = level.block.div_ceil(lanes);
        let filled = level.block as f64 / (registers * lanes) as f64;
        // Sums that wait for themselves: a kernel has up to four rows, and few registers of a short block.
        let sums = (self.shape.nq.min(4) * registers).min(SUMS_IN_FLIGHT);
        let waiting = SUMS_IN_FLIGHT as f64 / sums.max(1) as f64;
        let arithmetic = level.multiply_adds(self.shape) / filled * waiting * c.block_ns;
        let bytes = level.h_bytes(self.shape) + level.signal_bytes(self.shape, 0.0);
        // Each call has sums of its own, which are then added to the outputs.
        let calls = self.lags_calls(level);
        arithmetic.max(bytes * byte_ns) + calls * (c.call_ns + self.added_ns(level))
    }

    fn products_ns(&self, level: &LevelWork, partitions: f64, byte_ns: f64) -> f64 {
        let c = self.constants;
        let madds = self.shape.pairs() * level.block as f64 * partitions;
        let h_bytes = 2.0 * madds * self.shape.elem.bytes() as f64;
        let bytes = h_bytes + level.signal_bytes(self.shape, partitions);
        let arithmetic = madds * c.spectral_ns * (1.0 + ONE_PAIR / self.shape.pairs());
        arithmetic.max(bytes * byte_ns) + partitions * self.slices(level) * c.call_ns
    }

    /// Kernel calls at a boundary of a level in the time domain: slices of whole lags, as long as a sum may
    /// be, in spread form no longer than half a step's share, which has 256 multiply-adds at least.
    fn lags_calls(&self, level: &LevelWork) -> f64 {
        let lags = level.lags.max(1);
        let mut slice = lags.min((LONGEST_SUM / self.shape.np.max(1)).max(1));
        if self.spread {
            let each = self.shape.pairs() * level.block as f64;
            let share = (each * lags as f64 / level.block as f64 / 2.0).max(LEAST_PIECE);
            slice = slice.min((share / each.max(1.0)) as usize).max(1);
        }
        lags.div_ceil(slice) as f64
    }

    /// Kernel calls for a partition: one in burst form, in spread form slices of whole groups of bins, an
    /// equal number in each, of half a step's share of all the level's work.
    fn slices(&self, level: &LevelWork) -> f64 {
        if !self.spread {
            return 1.0;
        }
        let lanes = (self.constants.vector_bytes as usize / self.shape.elem.bytes()).max(1);
        let groups = level.block.div_ceil(lanes);
        let block = level.block as f64;
        let transform = block * (2.5 * block.log2().max(1.0) + 6.0);
        let total = 4.0 * level.multiply_adds(self.shape) + self.shape.ports() * transform;
        let share = (total / block / 2.0).max(LEAST_PIECE);
        let each = 4.0 * self.shape.pairs() * lanes as f64;
        let most = ((share / each) as usize).clamp(1, groups);
        let in_slice = (1..=most).rev().find(|&n| groups.is_multiple_of(n));
        (groups / in_slice.unwrap_or(1)) as f64
    }

    /// All levels' work where their boundaries coincide. Of relaxed levels one works at a time.
    fn boundary_ns(&self, levels: &[LevelTime]) -> f64 {
        let relaxed = self.work.levels.iter().any(|level| level.rests);
        let (mut all, mut largest) = (0.0, 0.0f64);
        for (time, level) in levels.iter().zip(&self.work.levels) {
            if relaxed && level.domain == Domain::Spectrum {
                largest = largest.max(time.most_ns);
            } else {
                all += time.most_ns;
            }
        }
        all + largest
    }

    /// Bytes read between two uses of a level's H.
    fn distance(&self, i: usize) -> f64 {
        let period = self.work.levels[i].block as f64;
        let others = self.work.levels.iter().enumerate().map(|(j, level)| {
            if j <= i {
                level.h_stored(self.shape) + level.signal_stored(self.shape)
            } else {
                self.touched(level) * period / level.block as f64
            }
        });
        self.head_bytes() + others.sum::<f64>()
    }

    fn touched(&self, level: &LevelWork) -> f64 {
        level.h_bytes(self.shape) + level.signal_bytes(self.shape, level.mean_partitions)
    }

    fn head_bytes(&self) -> f64 {
        self.shape.pairs() * (self.work.head_taps * self.shape.elem.bytes()) as f64
    }

    fn bytes(&self) -> f64 {
        let ring = 2 * self.shape.np * self.work.head_taps * self.shape.elem.bytes();
        let levels = self.work.levels.iter();
        let levels = levels.map(|l| l.h_stored(self.shape) + l.signal_stored(self.shape));
        self.head_bytes() + ring as f64 + levels.sum::<f64>()
    }
}
