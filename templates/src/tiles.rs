//! Counts cut into pieces: blocks of rows, vectors of time, terms of a sum.
//!
//! ```text
//! tiles  11 by 4     [0..4) [4..8)  in one loop, then [8..11) by itself
//! walk   11 by 4     {0 1 2 3} {4 5 6 7}  in one loop, then 8, 9, 10 in a row
//! ```
//!
//! A loop of one iteration is written as none. Whatever the count, at most one loop body and one
//! remainder are emitted, so code never grows with a shape.

use tdse_kir::{Affine, Bound, KernelBuilder, Value, Var};

/// Where a piece starts: a constant, or a multiple of the counter of the loop around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    constant: usize,
    counter: Option<(Var, usize)>,
}

impl Start {
    /// A piece that starts at a number known now.
    pub(crate) fn at(constant: usize) -> Self {
        Start {
            constant,
            counter: None,
        }
    }

    /// A piece that starts at `step` times a counter.
    pub(crate) fn counted(counter: Var, step: usize) -> Self {
        Start {
            constant: 0,
            counter: Some((counter, step)),
        }
    }

    /// `base + by * start`.
    pub(crate) fn from(&self, base: &Affine, by: usize) -> Affine {
        let at = base.clone().offset((self.constant * by) as i64);
        match self.counter {
            Some((var, step)) => at.plus(var, (step * by) as i64),
            None => at,
        }
    }

    /// The start `by` later.
    fn later(self, by: usize) -> Self {
        Start {
            constant: self.constant + by,
            ..self
        }
    }
}

/// Emits `count` items in tiles of `size`, the last one smaller when `size` does not divide.
///
/// `emit(b, start, items)` emits one tile.
pub(crate) fn tiles(
    b: &mut KernelBuilder,
    name: &str,
    count: usize,
    size: usize,
    emit: impl Fn(&mut KernelBuilder, Start, usize),
) {
    let full = count / size;
    if full > 1 {
        let trips = Bound::Const(full as i64);
        b.repeat(name, Bound::Const(0), trips, &[], |b, var, _| {
            emit(b, Start::counted(var, size), size);
            Vec::new()
        });
    } else if full == 1 {
        emit(b, Start::at(0), size);
    }
    if !count.is_multiple_of(size) {
        emit(b, Start::at(full * size), count % size);
    }
}

/// Emits `count` steps that carry `sums`, `unroll` of them an iteration, those left over in a row.
///
/// `step(b, sums, start)` emits one step and leaves the new sums in `sums`.
pub(crate) fn walk(
    b: &mut KernelBuilder,
    name: &str,
    count: usize,
    unroll: usize,
    mut sums: Vec<Value>,
    step: impl Fn(&mut KernelBuilder, &mut Vec<Value>, Start),
) -> Vec<Value> {
    let iterations = count / unroll;
    let mut done = 0;
    if iterations > 1 {
        let trips = Bound::Const(iterations as i64);
        sums = b.repeat(name, Bound::Const(0), trips, &sums, |b, var, carried| {
            let mut sums = carried.to_vec();
            for u in 0..unroll {
                step(b, &mut sums, Start::counted(var, unroll).later(u));
            }
            sums
        });
        done = iterations * unroll;
    }
    for at in done..count {
        step(b, &mut sums, Start::at(at));
    }
    sums
}
