//! The candidates for a direct kernel: tier and schedule, in order of preference.

use tdse_isa::Level;
use tdse_kir::Contraction;
use tdse_templates::{DirectShape, Schedule, direct};

use crate::cost::{REFERENCE_GHZ, predicted_cycles, program_steps};
use crate::mac_choice::balanced;
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
    let by = |tier| candidates_by(tier, shape, contraction, level);
    Tier::ALL.into_iter().flat_map(by).collect()
}

/// The candidates of one tier, which need not be in this build: its code may come from a bundle.
pub fn candidates_by(
    tier: Tier,
    shape: &DirectShape,
    contraction: Contraction,
    level: Level,
) -> Vec<Candidate> {
    let smallest = Schedule::Taps { rows: 1, unroll: 1 };
    if direct(shape, contraction, smallest).is_err() {
        // A shape that the templates refuse has no candidates.
        return Vec::new();
    }
    let width = tier.register_bytes(level);
    let mut list: Vec<Candidate> = proposals(tier, shape, width)
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
    list.sort_by(|a, b| a.predicted_ns.total_cmp(&b.predicted_ns));
    list
}

/// How products are rounded where nobody says: fused where the level can.
pub fn default_contraction(level: Level) -> Contraction {
    if level.has_fma() {
        Contraction::Fma
    } else {
        Contraction::Separate
    }
}

/// Schedules worth predicting for registers of `width` bytes: one or more of each family.
fn proposals(tier: Tier, shape: &DirectShape, width: usize) -> Vec<Schedule> {
    let mut list = match tier {
        Tier::Llvm => vec![llvm_taps(shape, width)],
        _ => taps(shape, width),
    };
    let lanes = (width / shape.elem.bytes()).clamp(2, 8) as u8;
    list.push(Schedule::Rows { lanes, unroll: 1 });
    list
}

/// `taps`: as many rows as keep eight registers of sums, half as many, one. Measured with
/// Cranelift in `f64` on a busy 2-core Zen 3 guest, two groups per iteration: eight registers gave
/// 47 GB/s on 16x16x1024 where twelve gave 42, and 62 where twelve gave 67 on 8x8x512; they compile
/// in two thirds of the time. One group costs a register move per sum. `rows`: one register of rows
/// for each partial sum.
fn taps(shape: &DirectShape, width: usize) -> Vec<Schedule> {
    let per_row = (8 * shape.elem.bytes()).div_ceil(width);
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
    list
}

/// More rows than this spill in the portable tier's loops of 256-bit code.
const MOST_ROWS: usize = 6;

/// `taps` by LLVM: rows by where the operands lie, an iteration of sixteen multiply-adds.
///
/// Each block of rows reads the window anew, so beyond the first cache more rows are fewer bytes:
/// 8x8x512 in `f64` took 3.5 us in eight rows, 3.8 in four (85 and 78 GB/s of taps; its window is as
/// large as that cache). While the window stays in it (4x4x256 `f64`) two rows were a quarter faster
/// than four. In it altogether four to six rows beat eight by a tenth. Measured at level v3 on a busy
/// Zen 3 guest with 32 KB and 512 KB of cache a core.
fn llvm_taps(shape: &DirectShape, width: usize) -> Schedule {
    let DirectShape { nq, elem, .. } = *shape;
    let per_row = (8 * elem.bytes()).div_ceil(width);
    let window = shape.terms() * elem.bytes();
    let near = nq * window <= 28_000;
    let rows = match per_row {
        // Eight registers of sums: the two-operand instructions below AVX need copies.
        _ if width < 32 => balanced(nq, (8 / per_row).max(1)),
        1 => whole_or_balanced(nq, 8),
        2 if near => balanced(nq, 6),
        2 if window <= 10_000 && nq > 3 && nq.is_multiple_of(2) => 2,
        _ => whole_or_balanced(nq, 8),
    };
    let unroll = (16 / (rows * per_row)).clamp(1, 4);
    Schedule::Taps {
        rows: rows as u8,
        unroll: unroll as u8,
    }
}

/// Blocks of `most` rows where three or more are left over, or none; else all as full as the
/// fewest blocks can be.
fn whole_or_balanced(nq: usize, most: usize) -> usize {
    match nq % most {
        1 | 2 => balanced(nq, most),
        _ => nq.min(most),
    }
}
