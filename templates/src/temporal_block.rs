//! `temporal_block`: outputs of many steps at once, time in lanes.
//!
//! ```text
//!   x_p    . . [ . . . . ] . .        one vector that slides with the lag, loaded unaligned
//!   h_0jp  in every lane   -> y_0     rows of a block share the load of x;
//!   h_1jp  in every lane   -> y_1     one accumulator a row stays in registers
//! ```
//!
//! A tap is read once for `lanes` outputs, and the taps of a block of rows stay in a near cache
//! while its vectors of outputs pass, so H costs memory traffic once a block of outputs instead of
//! once a step. Cost per lag, input and vector: one vector load, and for each row a broadcast load
//! and a multiply-add. The outputs left over by whole vectors are one masked vector.

use tdse_kir::{
    Access, Affine, BufferId, Contraction, Kernel, KernelBuilder, NumericClass, Value, VecType,
};

use crate::TemplateError;
use crate::block_shape::{BlockLayout, BlockShape, FAMILY};
use crate::mac_schedule::BlockSchedule;
use crate::rounding::accumulate;
use crate::tiles::{tiles, walk};

/// Describes the kernel that adds `sum_j sum_p h[q][j][p] * x[p * x_stride + n + j]` to
/// `y[q * y_stride + n]` for every row and step of a block.
///
/// Terms are added `j` ascending (the oldest lag first), within it `p` ascending, each rounded as
/// `contraction` says. Parameters of the kernel: `h` (packed, see [`BlockLayout`]), `x`
/// ([`BlockShape::x_len`] elements), `y` (read and written, [`BlockShape::y_len`] elements), each
/// aligned to its element. The name holds family, element type, sizes, class and schedule.
pub fn temporal_block(
    shape: &BlockShape,
    contraction: Contraction,
    schedule: BlockSchedule,
) -> Result<Kernel, TemplateError> {
    shape.check()?;
    schedule.check()?;
    let BlockShape {
        np,
        nq,
        lags,
        block,
        x_stride,
        y_stride,
        elem,
    } = *shape;
    let name = format!(
        "{FAMILY}.{}.np{np}.nq{nq}.lags{lags}.b{block}.xs{x_stride}.ys{y_stride}.{}.r{}.l{}",
        elem.name(),
        contraction.name(),
        schedule.rows,
        schedule.lanes,
    );
    let mut b = KernelBuilder::new(name, NumericClass::sequential(contraction));
    let packed = BlockLayout::new(shape, schedule).len() as u64;
    let align = elem.bytes() as u32;
    let whole = Whole {
        h: b.buffer("h", elem, packed, Access::ReadOnly, align),
        x: b.buffer("x", elem, shape.x_len() as u64, Access::ReadOnly, align),
        y: b.buffer("y", elem, shape.y_len() as u64, Access::ReadWrite, align),
        ty: VecType::new(elem, schedule.lanes.into()),
        shape,
        contraction,
    };
    tiles(&mut b, "b", nq, schedule.rows.into(), |b, row, rows| {
        tiles(b, "v", block, schedule.lanes.into(), |b, step, lanes| {
            let tile = Tile {
                whole: &whole,
                h: row.from(&Affine::at(0), lags * np),
                x: step.from(&Affine::at(0), 1),
                rows,
                lanes: lanes as u16,
            };
            let y = row.from(&Affine::at(0), y_stride);
            tile.emit(b, step.from(&y, 1));
        });
    });
    Ok(b.finish())
}

/// Terms in a row without a loop.
const STRAIGHT: usize = 4;

struct Whole<'a> {
    h: BufferId,
    x: BufferId,
    y: BufferId,
    ty: VecType,
    shape: &'a BlockShape,
    contraction: Contraction,
}

/// One vector of outputs for a block of rows.
struct Tile<'a> {
    whole: &'a Whole<'a>,
    h: Affine,
    x: Affine,
    rows: usize,
    /// Lanes in use.
    lanes: u16,
}

impl Tile<'_> {
    /// Continues the sums that start at `y`.
    fn emit(&self, b: &mut KernelBuilder, y: Affine) {
        let &Whole {
            y: buffer,
            ty,
            shape,
            ..
        } = self.whole;
        let place = |r: usize| y.clone().offset((r * shape.y_stride) as i64);
        let sums = (0..self.rows)
            .map(|r| b.load_lanes(ty, buffer, place(r), self.lanes))
            .collect();
        let (lags_at_once, inputs_at_once) = unrolls(shape.np);
        let sums = walk(b, "j", shape.lags, lags_at_once, sums, |b, sums, j| {
            let h = j.from(&self.h, shape.np * self.rows);
            let x = j.from(&self.x, 1);
            let so_far = std::mem::take(sums);
            *sums = walk(b, "p", shape.np, inputs_at_once, so_far, |b, sums, p| {
                self.term(b, sums, p.from(&h, self.rows), p.from(&x, shape.x_stride));
            });
        });
        for (r, sum) in sums.into_iter().enumerate() {
            b.store(buffer, place(r), sum, self.lanes);
        }
    }

    /// Adds the product of one lag of one input to the sum of every row.
    fn term(&self, b: &mut KernelBuilder, sums: &mut [Value], h: Affine, x: Affine) {
        let whole = self.whole;
        let window = b.load_lanes(whole.ty, whole.x, x, self.lanes);
        for (r, sum) in (0..).zip(sums) {
            let tap = b.load_splat(whole.ty, whole.h, h.clone().offset(r));
            *sum = accumulate(b, whole.contraction, tap, window, *sum);
        }
    }
}

/// Lags and inputs per iteration of their loops: up to four terms in a row, and inputs by a number
/// that divides them, so that none are left over.
fn unrolls(np: usize) -> (usize, usize) {
    match np {
        1 => (STRAIGHT, 1),
        2..=STRAIGHT => (1, np),
        _ => (
            1,
            [4, 3, 2]
                .into_iter()
                .find(|&u| np.is_multiple_of(u))
                .unwrap_or(1),
        ),
    }
}
