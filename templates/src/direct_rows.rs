//! `direct_rows`: rows in lanes.
//!
//! ```text
//!   term i:   h [ q0 q1 .. qW ]  *  x[i] in every lane   -> a_(i mod 8)
//! ```
//!
//! A tile of W rows keeps one accumulator for each of the eight partial sums; at the end the
//! accumulators are added by the fixed tree, lane by lane, so nothing is reduced across lanes.
//! Cost per term and tile: one vector load, one broadcast load, one multiply-add. It beats
//! `direct_taps` where a row has few terms; lanes beyond the last row compute with zero taps and
//! are not stored.

use tdse_kir::{Affine, Bound, KernelBuilder, Value, VecType};

use crate::PARTIALS;
use crate::direct::{Direct, Groups};
use crate::shape::DirectShape;

/// Emits the body: full tiles of `lanes` rows in a loop, then the incomplete tile.
pub(crate) fn direct_rows(
    b: &mut KernelBuilder,
    buffers: &Direct,
    shape: &DirectShape,
    lanes: u8,
    unroll: u8,
) {
    let lanes = usize::from(lanes);
    let tile = RowsTile {
        buffers,
        ty: VecType::new(shape.elem, lanes as u16),
        groups: Groups::new(shape.terms(), unroll),
    };
    let zero = b.constant(tile.ty, 0.0);
    let tile_len = (lanes * shape.terms()) as i64;
    let full = shape.nq / lanes;
    if full > 1 {
        b.repeat(
            "b",
            Bound::Const(0),
            Bound::Const(full as i64),
            &[],
            |b, var, _| {
                let h = Affine::at(0).plus(var, tile_len);
                tile.emit(b, zero, h, Affine::at(0).plus(var, lanes as i64), lanes);
                Vec::new()
            },
        );
    } else if full == 1 {
        tile.emit(b, zero, Affine::at(0), Affine::at(0), lanes);
    }
    let left = shape.nq % lanes;
    if left > 0 {
        let h = Affine::at(full as i64 * tile_len);
        tile.emit(b, zero, h, Affine::at((full * lanes) as i64), left);
    }
}

struct RowsTile<'a> {
    buffers: &'a Direct,
    ty: VecType,
    groups: Groups,
}

impl RowsTile<'_> {
    /// One tile whose packed taps start at `h`; the first `rows` lanes go to `y`.
    fn emit(&self, b: &mut KernelBuilder, zero: Value, h: Affine, y: Affine, rows: usize) {
        let lanes = i64::from(self.ty.lanes);
        let step = PARTIALS as i64;
        let Groups {
            iterations,
            unroll,
            left,
            tail,
        } = self.groups;
        let mut sums = vec![zero; PARTIALS];
        if iterations > 0 {
            let trips = Bound::Const(iterations as i64);
            sums = b.repeat("j", Bound::Const(0), trips, &sums, |b, j, carried| {
                let mut sums = carried.to_vec();
                let h = h.clone().plus(j, step * lanes * unroll as i64);
                let x = Affine::at(0).plus(j, step * unroll as i64);
                for u in 0..unroll as i64 {
                    let x = x.clone().offset(u * step);
                    self.terms(b, &mut sums, h.clone().offset(u * step * lanes), x);
                }
                sums
            });
        }
        let done = (iterations * unroll) as i64;
        for g in done..done + left as i64 {
            let h = h.clone().offset(g * step * lanes);
            self.terms(b, &mut sums, h, Affine::at(g * step));
        }
        if tail > 0 {
            let g = done + left as i64;
            let h = h.clone().offset(g * step * lanes);
            self.terms(b, &mut sums[..tail], h, Affine::at(g * step));
            // The padding terms of the class, +0 * +0: they turn a partial sum of -0 into +0.
            for sum in &mut sums[tail..] {
                *sum = b.add(*sum, zero);
            }
        }
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| b.add(pair[0], pair[1])).collect();
        }
        b.store(self.buffers.y, y, sums[0], rows as u16);
    }

    /// One term for each of the partial sums given.
    fn terms(&self, b: &mut KernelBuilder, sums: &mut [Value], h: Affine, x: Affine) {
        let lanes = i64::from(self.ty.lanes);
        for (i, sum) in sums.iter_mut().enumerate() {
            let taps = b.load(self.ty, self.buffers.h, h.clone().offset(i as i64 * lanes));
            let input = b.load_splat(self.ty, self.buffers.x, x.clone().offset(i as i64));
            *sum = self.buffers.accumulate(b, taps, input, *sum);
        }
    }
}
