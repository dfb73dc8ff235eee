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

use tdse_kir::{Affine, KernelBuilder, Value, VecType};

use crate::PARTIALS;
use crate::direct::{Direct, Walks};
use crate::shape::DirectShape;
use crate::tiles::tiles;

/// Emits the body: tiles of `lanes` rows, `unroll` groups of terms per iteration.
pub(crate) fn direct_rows(
    b: &mut KernelBuilder,
    buffers: &Direct,
    shape: &DirectShape,
    lanes: u8,
    unroll: u8,
) {
    let lanes = usize::from(lanes);
    let ty = VecType::new(shape.elem, lanes as u16);
    let tile = RowsTile {
        buffers,
        ty,
        walks: Walks::new(shape.terms(), lanes, unroll),
        zero: b.constant(ty, 0.0),
    };
    tiles(b, "b", shape.nq, lanes, |b, row, rows| {
        let h = row.from(&Affine::at(0), shape.terms());
        tile.emit(b, &h, row.from(&Affine::at(0), 1), rows);
    });
}

struct RowsTile<'a> {
    buffers: &'a Direct,
    ty: VecType,
    walks: Walks,
    zero: Value,
}

impl RowsTile<'_> {
    /// One tile whose packed taps start at `h`; the first `rows` lanes go to `y`.
    fn emit(&self, b: &mut KernelBuilder, h: &Affine, y: Affine, rows: usize) {
        let step = PARTIALS * usize::from(self.ty.lanes);
        let zeros = vec![self.zero; PARTIALS];
        let mut sums = self
            .walks
            .of(rows)
            .walk(b, h, step, zeros, |b, sums, h, x, terms| {
                self.group(b, sums, &h, &x, terms);
            });
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| b.add(pair[0], pair[1])).collect();
        }
        b.store(self.buffers.y, y, sums[0], rows as u16);
    }

    /// One group: each of its terms to the partial sum of its own.
    fn group(
        &self,
        b: &mut KernelBuilder,
        sums: &mut [Value],
        h: &Affine,
        x: &Affine,
        terms: usize,
    ) {
        let lanes = i64::from(self.ty.lanes);
        let (summed, padded) = sums.split_at_mut(terms);
        for (i, sum) in (0..).zip(summed) {
            let taps = b.load(self.ty, self.buffers.h, h.clone().offset(i * lanes));
            let input = b.load_splat(self.ty, self.buffers.x, x.clone().offset(i));
            *sum = self.buffers.accumulate(b, taps, input, *sum);
        }
        // The padding terms of the class, +0 * +0: they turn a partial sum of -0 into +0.
        for sum in padded {
            *sum = b.add(*sum, self.zero);
        }
    }
}
