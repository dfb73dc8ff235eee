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

use tdse_kir::{Affine, KernelBuilder, Value, VecType};

use crate::PARTIALS;
use crate::direct::{Direct, Walks};
use crate::layout::rows_of_a_stream;
use crate::shape::DirectShape;
use crate::tiles::tiles;

/// Emits the body: blocks of `rows` rows, `unroll` groups of terms per iteration.
pub(crate) fn direct_taps(
    b: &mut KernelBuilder,
    buffers: &Direct,
    shape: &DirectShape,
    rows: u8,
    unroll: u8,
) {
    let rows = usize::from(rows);
    let ty = VecType::new(shape.elem, PARTIALS as u16);
    let row_len = shape.terms().next_multiple_of(PARTIALS);
    let block = TapsBlock {
        buffers,
        row_len,
        ty,
        walks: Walks::new(shape.terms(), rows, unroll),
        zero: b.constant(ty, 0.0),
    };
    tiles(b, "b", shape.nq, rows, |b, row, rows| {
        let h = row.from(&Affine::at(0), row_len);
        block.emit(b, &h, &row.from(&Affine::at(0), 1), rows);
    });
}

struct TapsBlock<'a> {
    buffers: &'a Direct,
    /// Elements of a row, padding included.
    row_len: usize,
    ty: VecType,
    walks: Walks,
    zero: Value,
}

impl TapsBlock<'_> {
    /// One block: `rows` rows whose packed taps start at `h`, results to `y`.
    fn emit(&self, b: &mut KernelBuilder, h: &Affine, y: &Affine, rows: usize) {
        let zeros = vec![self.zero; rows];
        let groups = self.walks.of(rows);
        let sums = groups.walk(
            b,
            h,
            rows_of_a_stream(rows) * PARTIALS,
            zeros,
            |b, sums, h, x, terms| {
                self.group(b, sums, &h, x, terms);
            },
        );
        for (r, &sum) in sums.iter().enumerate() {
            let total = b.reduce(sum);
            b.store(self.buffers.y, y.clone().offset(r as i64), total, 1);
        }
    }

    /// One group of terms for every row; `terms` of the window are read, the other lanes are +0.
    fn group(
        &self,
        b: &mut KernelBuilder,
        sums: &mut [Value],
        h: &Affine,
        x: Affine,
        terms: usize,
    ) {
        let window = b.load_lanes(self.ty, self.buffers.x, x, terms as u16);
        let own = rows_of_a_stream(sums.len());
        for (r, sum) in sums.iter_mut().enumerate() {
            let at = r / own * own * self.row_len + r % own * PARTIALS;
            let h = h.clone().offset(at as i64);
            let taps = b.load(self.ty, self.buffers.h, h);
            *sum = self.buffers.accumulate(b, taps, window, *sum);
        }
    }
}
