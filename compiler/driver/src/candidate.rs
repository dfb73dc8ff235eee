//! The candidates for a direct kernel: tier and schedule, in order of preference.

use tdse_isa::Level;
use tdse_kir::Contraction;
use tdse_templates::{DirectShape, Schedule, direct};

use crate::cost::{REFERENCE_GHZ, predicted_cycles, program_steps};
use crate::tier::Tier;

/// One way to make a direct kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The code generator.
    pub tier: Tier,
    /// The blocking.
    pub schedule: Schedule,
    /// The level that code is generated for.
    pub level: Level,
    /// Predicted nanoseconds per call on the reference core of the cost model.
    pub predicted_ns: f64,
}

/// All candidates for a shape: tiers in their order, the schedules of a tier by predicted cost.
///
/// A pure function of its inputs; equal predictions keep the order of the proposals. A
/// candidate that the level cannot run is refused by name when it is compiled, not left out here.
pub fn candidates(shape: &DirectShape, contraction: Contraction, level: Level) -> Vec<Candidate> {
    let mut all = Vec::new();
    for tier in Tier::ALL {
        let width = tier.register_bytes(level);
        let mut of_tier: Vec<Candidate> = proposals(shape, width)
            .into_iter()
            .filter_map(|schedule| {
                let kernel = direct(shape, contraction, schedule).ok()?;
                let predicted_ns = predicted_cycles(&kernel, width) / REFERENCE_GHZ
                    + program_steps(&kernel) * tier.step_ns();
                Some(Candidate {
                    tier,
                    schedule,
                    level,
                    predicted_ns,
                })
            })
            .collect();
        of_tier.sort_by(|a, b| a.predicted_ns.total_cmp(&b.predicted_ns));
        all.extend(of_tier);
    }
    all
}

/// Schedules worth predicting for registers of `width` bytes.
///
/// `taps`: as many rows as keep eight registers of sums, half as many, one. Measured with
/// Cranelift in `f64` on a busy 2-core Zen 3 guest, two groups per iteration: eight registers gave
/// 47 GB/s on 16x16x1024 where twelve gave 42, and 62 where twelve gave 67 on 8x8x512; they compile
/// in two thirds of the time. One group costs a register move per sum. `rows`: one register of rows
/// for each partial sum.
fn proposals(shape: &DirectShape, width: usize) -> Vec<Schedule> {
    let bytes = shape.elem.bytes();
    let per_row = (8 * bytes).div_ceil(width);
    let most = (8 / per_row).clamp(1, MOST_ROWS).min(shape.nq);
    // One row fewer, when no rows are then left over: a second block of code costs more to make.
    let divides = |rows: usize| shape.nq.is_multiple_of(rows);
    let most = if most > 2 && !divides(most) && divides(most - 1) {
        most - 1
    } else {
        most
    } as u8;
    let mut list = Vec::new();
    for rows in [most, most.div_ceil(2), 1] {
        let schedule = Schedule::Taps { rows, unroll: 2 };
        if !list.contains(&schedule) {
            list.push(schedule);
        }
    }
    let lanes = (width / bytes).clamp(2, 8) as u8;
    list.push(Schedule::Rows { lanes, unroll: 1 });
    list
}

/// More rows than this spill in the portable tier's loops of 256-bit code.
const MOST_ROWS: usize = 6;
