//! In which order the registers of virtual vectors are computed.
//!
//! Lanes are independent, so a straight run of lane-wise operations may be done register by
//! register instead of operation by operation:
//!
//! ```text
//! kernel      x = load; h = load; a' = fma h x a       each of four registers
//! by op       x0 x1 x2 x3  h0 h1 h2 h3  a0 a1 a2 a3    8 registers beside the sums
//! by register x0 h0 a0     x1 h1 a1     x2 h2 a2 ...   2 registers beside the sums
//! ```
//!
//! That only pays while nothing is shared between the registers of a vector. In a run that spreads
//! elements over lanes, every register of the vector meets the same one: by register, each spread
//! element would live from the first register's pass to the last's. Such runs go by op.
//!
//! ```text
//! kernel      x = load; t = load_splat; a' = fma t x a; t = load_splat; b' = fma t x b
//! by register x0 t a0 t' b0   x1 a1 b1     t and t' wait for the second pass
//! by op       x0 x1  t a0 a1  t' b0 b1
//! ```
//!
//! There are 16 registers of 128 bits on x86-64 and none to waste: three rows of `f64x8` take 12 as
//! sums. A run ends at a store, a loop, a reduction, and where the number of registers changes; so
//! no load moves over a store.

use tdse_kir::{Kernel, Op, Stmt, Value};

use crate::chunk::Chunks;

/// Splits off the run at the start of `body`; empty when `body` starts with another statement.
pub(crate) fn leading_run<'a>(kernel: &Kernel, body: &'a [Stmt]) -> &'a [Stmt] {
    let Some((value, _)) = body.first().and_then(lane_wise) else {
        return &[];
    };
    let count = Chunks::of(kernel.ty(value)).count;
    let same =
        |stmt: &Stmt| lane_wise(stmt).is_some_and(|(v, _)| Chunks::of(kernel.ty(v)).count == count);
    let end = body
        .iter()
        .position(|stmt| !same(stmt))
        .unwrap_or(body.len());
    &body[..end]
}

/// The definition in a statement, when each lane of it depends on the same lanes only.
pub(crate) fn lane_wise(stmt: &Stmt) -> Option<(Value, &Op)> {
    match stmt {
        Stmt::Def {
            op: Op::Reduce(_), ..
        }
        | Stmt::Store { .. }
        | Stmt::Loop(_) => None,
        Stmt::Def { value, op } => Some((*value, op)),
    }
}

/// Whether the registers of the run's vectors share elements, so that it goes by op.
pub(crate) fn shares_elements(run: &[Stmt]) -> bool {
    run.iter()
        .filter_map(lane_wise)
        .any(|(_, op)| matches!(op, Op::Splat(_) | Op::LoadSplat { .. }))
}

/// Whether every register of the result is the same, so that one is computed for all.
pub(crate) fn uniform(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Splat(_) | Op::LoadSplat { .. })
}
