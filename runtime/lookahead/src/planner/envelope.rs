//! How the size of H changes with the lag, and which blocks that leaves to the componentwise gate.
//!
//! A transform spreads its rounding errors evenly over its window: every output of a partition gets an
//! error in proportion to the partition's *largest* taps, also where the answer is made of small
//! ones. With `r` the ratio of the largest to the smallest magnitude of H among the lags whose inputs
//! share a window, an output is off by about `c u log2(2B) r` times `sum |h||x|`, so the gate admits
//!
//! ```text
//!   r <= bound / (c u log2(2B)),     c = 1,  bound = 1e-13 (f64), 1e-5 (f32)
//! ```
//!
//! ```text
//!  |H|  #                 sliding partition j:  largest over [jB, (j+1)B), smallest over [(j-1)B, (j+2)B)
//!       ###               relaxed segment j:    both over [(j-1)B, (j+1)B)
//!       #######_____ lag
//! ```
//!
//! where lags that belong to the head or to levels in the time domain count among the smallest only.
//!
//! The magnitude of a row at a lag is its Euclidean norm over the inputs, the largest within 16 lags on
//! either side: a single zero of an oscillation is no decay. Zeros after a row's last tap are beyond
//! its response and do not count; zeros before its first make every window that reaches both unfit.
//! The time domain is always admitted. Building takes one pass over H and `4 nh` numbers of memory.

use tdse_kir::Elem;

use crate::{Domain, Level, Plan};

/// Lags over which a magnitude is smoothed.
const SMOOTHED: usize = 32;
/// Block sizes are the powers of two from 2 to 65536.
const SIZES: usize = 16;

/// How the magnitude of H ranges over the window of each partition, for each block size.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    nh: usize,
    /// For block `2 << s` and partition `j`: log2 of the largest ratio in any row.
    sliding: Vec<Vec<f32>>,
    relaxed: Vec<Vec<f32>>,
    /// The same for relaxed segment 1 when the tail starts with block `2 << first`: `[s][first]`.
    cut: Vec<Vec<f32>>,
}

/// The largest ratio of magnitudes that the gate admits within the window of a block.
pub fn window_range(block: u32, elem: Elem) -> f64 {
    let (bound, unit) = match elem {
        Elem::F64 => (1e-13, f64::EPSILON / 2.0),
        Elem::F32 => (1e-5, f64::from(f32::EPSILON) / 2.0),
    };
    bound / (unit * (2.0 * f64::from(block.max(1))).log2())
}

impl Envelope {
    /// Reads `H`: `tap(lag, row, input)` for lags `1..nh`.
    pub fn of(
        np: usize,
        nq: usize,
        nh: usize,
        tap: impl Fn(usize, usize, usize) -> f64,
    ) -> Envelope {
        let sizes = || (0..SIZES).filter(|&s| (2 << s) < 2 * nh.max(2));
        let empty = |s: usize| vec![0.0f32; nh.div_ceil(2 << s) + 1];
        let mut envelope = Envelope {
            nh,
            sliding: sizes().map(empty).collect(),
            relaxed: sizes().map(empty).collect(),
            cut: sizes().map(|s| vec![0.0; s + 1]).collect(),
        };
        let mut magnitude = vec![0.0f64; nh];
        for row in 0..nq {
            for (lag, slot) in magnitude.iter_mut().enumerate().skip(1) {
                *slot = norm((0..np).map(|input| tap(lag, row, input)));
            }
            envelope.add_row(&magnitude);
        }
        envelope
    }

    /// Whether every spectral level of a plan keeps to the gate. A block that is no power of two is
    /// judged as the next one.
    pub fn admits(&self, plan: &Plan, elem: Elem) -> bool {
        let spectral = |&i: &usize| plan.levels[i].domain == Domain::Spectrum;
        (0..plan.levels.len())
            .filter(spectral)
            .all(|i| self.level_range(plan, i) <= window_range(plan.levels[i].block, elem).log2())
    }

    /// log2 of the largest ratio in a window of level `i`; infinite where zeros meet taps.
    fn level_range(&self, plan: &Plan, i: usize) -> f64 {
        let tables = if plan.relaxed() {
            &self.relaxed
        } else {
            &self.sliding
        };
        // A block beyond the response is judged as the largest that has a table.
        let size = (size_index(plan.block(i).next_power_of_two())).min(tables.len() - 1);
        let block = 2 << size;
        let next = (i + 1 < plan.levels.len()).then(|| plan.block(i + 1));
        let (first, end, cut) = if plan.relaxed() {
            let spectral = |level: &&Level| level.domain == Domain::Spectrum;
            let start = plan.levels.iter().find(spectral).map_or(2, |l| l.block);
            // Rounded down: more lags count.
            let start = size_index(1 << start.max(2).ilog2()).min(size);
            (2, next.unwrap_or(self.nh), self.cut[size][start])
        } else {
            let lead = plan.lead();
            let end = next.map_or(self.nh, |next| lead * next);
            (lead * plan.block(i) / block, end, 0.0)
        };
        let table = &tables[size];
        let end = end.min(self.nh).div_ceil(block).min(table.len());
        let windows = table.get(first..end).unwrap_or_default();
        f64::from(windows.iter().fold(cut, |a, &b| a.max(b)))
    }

    fn add_row(&mut self, magnitude: &[f64]) {
        let Some(last) = magnitude.iter().rposition(|&m| m != 0.0) else {
            return;
        };
        let mut blocks: Vec<Extremes> = smoothed(&magnitude[..=last])
            .into_iter()
            .enumerate()
            // Lag 0 is the direct term's.
            .map(|(lag, m)| {
                if lag == 0 {
                    Extremes::NONE
                } else {
                    Extremes { least: m, most: m }
                }
            })
            .collect();
        let mut second = Vec::new();
        let tables = self.sliding.iter_mut().zip(&mut self.relaxed);
        for ((sliding, relaxed), cut) in tables.zip(&mut self.cut) {
            blocks = blocks
                .chunks(2)
                .map(|pair| pair.iter().fold(Extremes::NONE, |a, &b| a.with(b)))
                .collect();
            let at = |j: usize| blocks.get(j).copied().unwrap_or(Extremes::NONE);
            for (j, slot) in sliding.iter_mut().enumerate() {
                let before = j.checked_sub(1).map_or(Extremes::NONE, at);
                let mut around = before.with(at(j)).with(at(j + 1));
                around.most = at(j).most;
                *slot = slot.max(around.log2_ratio());
            }
            for (j, slot) in relaxed.iter_mut().enumerate().skip(1) {
                *slot = slot.max(at(j - 1).with(at(j)).log2_ratio());
            }
            // Lags from a smaller block up to twice this one: the second block of each size between.
            second.push(at(1));
            let mut segment = at(0).with(at(1));
            segment.most = 0.0;
            for (slot, lags) in cut.iter_mut().zip(&second).rev() {
                segment.most = segment.most.max(lags.most);
                *slot = slot.max(segment.log2_ratio());
            }
        }
    }
}

/// The smallest and the largest magnitude among some lags.
#[derive(Clone, Copy)]
struct Extremes {
    least: f64,
    most: f64,
}

impl Extremes {
    const NONE: Extremes = Extremes {
        least: f64::INFINITY,
        most: 0.0,
    };

    fn with(self, other: Extremes) -> Extremes {
        Extremes {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    fn log2_ratio(self) -> f32 {
        if self.most == 0.0 {
            return 0.0;
        }
        // Logarithms first: a ratio of two doubles can overflow.
        (self.most.log2() - self.least.log2()) as f32
    }
}

/// The largest magnitude within half of `SMOOTHED` lags on either side.
fn smoothed(magnitude: &[f64]) -> Vec<f64> {
    let half = SMOOTHED / 2;
    let around = |lag: usize| {
        let end = (lag + half + 1).min(magnitude.len());
        &magnitude[lag.saturating_sub(half)..end]
    };
    let largest = |window: &[f64]| window.iter().copied().fold(0.0, f64::max);
    (0..magnitude.len())
        .map(|lag| largest(around(lag)))
        .collect()
}

/// Which table a power of two has.
fn size_index(block: usize) -> usize {
    (block.max(2).trailing_zeros() - 1) as usize
}

/// Euclidean norm without overflow.
fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0, |a: f64, b| a.max(b.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * values.map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}
