//! `direct_taps`: terms in lanes.
//!
//! ```text
//!   x    [ . . . . . . . . ]          one virtual vector: 8 terms = the 8 partial sums
//!   h_0  [ . . . . . . . . ]  -> a_0
//!   h_1  [ . . . . . . . . ]  -> a_1  rows of a block share the load of x
//!   h_2  [ . . . . . . . . ]  -> a_2
//! ```
//!
//! Each row keeps its eight partial sums in the lanes of one accumulator; after the last group the
//! lanes are reduced by the fixed tree. Cost per group of eight terms and block of R rows: R + 1
//! vector loads and R multiply-adds, no shuffles. The reduction costs seven additions a row, which
//! counts only where a row has few terms.

use tdse_kir::{Affine, Bound, KernelBuilder, Value, VecType};

use crate::PARTIALS;
use crate::direct::{Direct, Groups};
use crate::shape::DirectShape;

/// Emits the body: full blocks of `rows` rows in a loop, then the rows left over.
pub(crate) fn direct_taps(
    b: &mut KernelBuilder,
    buffers: &Direct,
    shape: &DirectShape,
    rows: u8,
    unroll: u8,
) {
    let rows = usize::from(rows);
    let block = TapsBlock {
        buffers,
        ty: VecType::new(shape.elem, PARTIALS as u16),
        groups: Groups::new(shape.terms(), unroll),
    };
    let zero = b.constant(block.ty, 0.0);
    let block_len = (rows * shape.terms().next_multiple_of(PARTIALS)) as i64;
    let full = shape.nq / rows;
    if full > 1 {
        b.repeat(
            "b",
            Bound::Const(0),
            Bound::Const(full as i64),
            &[],
            |b, var, _| {
                let h = Affine::at(0).plus(var, block_len);
                block.emit(b, zero, h, Affine::at(0).plus(var, rows as i64), rows);
                Vec::new()
            },
        );
    } else if full == 1 {
        block.emit(b, zero, Affine::at(0), Affine::at(0), rows);
    }
    let left = shape.nq % rows;
    if left > 0 {
        let h = Affine::at(full as i64 * block_len);
        block.emit(b, zero, h, Affine::at((full * rows) as i64), left);
    }
}

struct TapsBlock<'a> {
    buffers: &'a Direct,
    ty: VecType,
    groups: Groups,
}

impl TapsBlock<'_> {
    /// One block: `rows` rows whose packed taps start at `h`, results to `y`.
    fn emit(&self, b: &mut KernelBuilder, zero: Value, h: Affine, y: Affine, rows: usize) {
        let step = (rows * PARTIALS) as i64;
        let Groups {
            iterations,
            unroll,
            left,
            tail,
        } = self.groups;
        let mut sums = vec![zero; rows];
        if iterations > 0 {
            let trips = Bound::Const(iterations as i64);
            sums = b.repeat("j", Bound::Const(0), trips, &sums, |b, j, carried| {
                let mut sums = carried.to_vec();
                let h = h.clone().plus(j, step * unroll as i64);
                let x = Affine::at(0).plus(j, (PARTIALS * unroll) as i64);
                for u in 0..unroll as i64 {
                    let x = x.clone().offset(u * PARTIALS as i64);
                    self.group(b, &mut sums, h.clone().offset(u * step), x, PARTIALS);
                }
                sums
            });
        }
        let done = iterations * unroll;
        for g in done..done + left + usize::from(tail > 0) {
            let lanes = if g < done + left { PARTIALS } else { tail };
            let x = Affine::at((g * PARTIALS) as i64);
            self.group(b, &mut sums, h.clone().offset(g as i64 * step), x, lanes);
        }
        for (r, &sum) in sums.iter().enumerate() {
            let total = b.reduce(sum);
            b.store(self.buffers.y, y.clone().offset(r as i64), total, 1);
        }
    }

    /// One group of terms for every row; `lanes` of the window are read, the others are +0.
    fn group(&self, b: &mut KernelBuilder, sums: &mut [Value], h: Affine, x: Affine, lanes: usize) {
        let window = b.load_lanes(self.ty, self.buffers.x, x, lanes as u16);
        for (r, sum) in sums.iter_mut().enumerate() {
            let taps = b.load(
                self.ty,
                self.buffers.h,
                h.clone().offset((r * PARTIALS) as i64),
            );
            *sum = self.buffers.accumulate(b, taps, window, *sum);
        }
    }
}
