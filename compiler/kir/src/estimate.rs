//! What one call of a kernel costs, counted from its text.
//!
//! Exact for constant loop bounds; a loop bounded by an index parameter counts its widest range.
//! Counts saturate instead of wrapping.

use crate::ir::{Bound, Kernel, Loop, Op, Param, Stmt, Value, Var};

/// Cost of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Floating point operations: `add`, `sub`, `mul` 1 a lane, `fma` 2, `reduce` lanes - 1;
    /// sign flips are free.
    pub flops: u64,
    /// Bytes read, each access counted.
    pub bytes_read: u64,
    /// Bytes written, each access counted.
    pub bytes_written: u64,
    /// Definitions and stores executed, plus one for each iteration of a loop.
    pub instructions: u64,
}

/// Counts the cost of one call.
pub fn estimate(kernel: &Kernel) -> Estimate {
    let mut total = Estimate::default();
    block(kernel, &kernel.body, 1, &mut total);
    total
}

/// Most iterations of a loop.
pub(crate) fn widest_trip(kernel: &Kernel, l: &Loop) -> u64 {
    let lo = bound_range(kernel, l.lo).map_or(0, |r| r.0);
    let hi = bound_range(kernel, l.hi).map_or(0, |r| r.1);
    u64::try_from(i128::from(hi) - i128::from(lo)).unwrap_or(0)
}

/// Smallest and largest value of a bound; `None` when it names no index parameter.
pub(crate) fn bound_range(kernel: &Kernel, bound: Bound) -> Option<(i64, i64)> {
    match bound {
        Bound::Const(value) => Some((value, value)),
        Bound::Param(var) => index_range(kernel, var),
    }
}

/// Declared range of an index parameter.
pub(crate) fn index_range(kernel: &Kernel, var: Var) -> Option<(i64, i64)> {
    kernel.params.iter().find_map(|param| match param {
        Param::Index { var: v, lo, hi } if *v == var => Some((*lo, *hi)),
        _ => None,
    })
}

fn block(kernel: &Kernel, stmts: &[Stmt], times: u64, total: &mut Estimate) {
    let lanes_of = |v: &Value| {
        kernel
            .values
            .get(v.0 as usize)
            .map_or(0, |i| i.ty.lanes.into())
    };
    let bytes = |v: &Value| {
        kernel
            .values
            .get(v.0 as usize)
            .map_or(0, |i| i.ty.elem.bytes() as u64)
    };
    for stmt in stmts {
        match stmt {
            Stmt::Def { value, op } => {
                grow(&mut total.instructions, times, 1);
                let lanes: u64 = lanes_of(value);
                match op {
                    Op::Const(_) | Op::Splat(_) | Op::Neg(_) => {}
                    Op::Load { lanes, .. } => {
                        grow(
                            &mut total.bytes_read,
                            times,
                            u64::from(*lanes) * bytes(value),
                        );
                    }
                    Op::LoadSplat { .. } => grow(&mut total.bytes_read, times, bytes(value)),
                    Op::Add(..) | Op::Sub(..) | Op::Mul(..) => {
                        grow(&mut total.flops, times, lanes);
                    }
                    Op::Fma(..) => grow(&mut total.flops, times, 2 * lanes),
                    Op::Reduce(a) => {
                        grow(&mut total.flops, times, lanes_of(a).saturating_sub(1));
                    }
                }
            }
            Stmt::Store { value, lanes, .. } => {
                grow(&mut total.instructions, times, 1);
                grow(
                    &mut total.bytes_written,
                    times,
                    u64::from(*lanes) * bytes(value),
                );
            }
            Stmt::Loop(l) => {
                let times = times.saturating_mul(widest_trip(kernel, l));
                grow(&mut total.instructions, times, 1);
                block(kernel, &l.body, times, total);
            }
        }
    }
}

fn grow(count: &mut u64, times: u64, by: u64) {
    *count = count.saturating_add(times.saturating_mul(by));
}
