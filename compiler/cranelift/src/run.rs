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

/// Whether every register of the result is the same, so that one is computed for all.
pub(crate) fn uniform(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Splat(_) | Op::LoadSplat { .. })
}
