//! `spectral_mac`: products of spectra, summed over inputs, bins in lanes.
//!
//! ```text
//!            x_p  [re .. | im ..]               one group of bins of input p
//!   h_0p  [re .. | im ..]  -> re_0, im_0        rows of a block share the loads of x;
//!   h_1p  [re .. | im ..]  -> re_1, im_1        two accumulators a row stay in registers
//! ```
//!
//! Real and imaginary parts lie apart, so a complex multiply-add is four real ones on whole
//! vectors and nothing is shuffled. Cost per input, row and group: two loads of `h` and four
//! multiply-adds; per input and block of rows two loads of `x` and one negation. All bins are alike.

use tdse_kir::{
    Access, Affine, Bound, BufferId, Contraction, Kernel, KernelBuilder, NumericClass, Op, Value,
    VecType,
};

use crate::TemplateError;
use crate::mac_schedule::SpectralSchedule;
use crate::rounding::accumulate;
use crate::spectral_shape::{FAMILY, SpectralLayout, SpectralShape};
use crate::tiles::{Start, tiles, walk};

/// Describes the kernel that adds `sum_p h[q][p][bin] * x[p][bin]` to `y[q][bin]`, complex, for
/// every row and bin of a shape.
///
/// The terms of an element are added in this order, `p` ascending, each rounded as `contraction`
/// says:
///
/// ```text
/// re += h_re * x_re    re += h_im * -x_im    im += h_re * x_im    im += h_im * x_re
/// ```
///
/// Parameters of the kernel: `h` (packed, see [`SpectralLayout`]), `x`
/// ([`SpectralShape::x_len`] elements), `y` (read and written, [`SpectralShape::y_len`] elements),
/// each aligned to its element. The name holds family, element type, sizes, class and schedule.
pub fn spectral_mac(
    shape: &SpectralShape,
    contraction: Contraction,
    schedule: SpectralSchedule,
) -> Result<Kernel, TemplateError> {
    shape.check()?;
    schedule.check()?;
    let SpectralShape {
        np,
        nq,
        groups,
        lanes,
        y_stride,
        y_im,
        elem,
    } = *shape;
    let name = format!(
        "{FAMILY}.{}.np{np}.nq{nq}.g{groups}.l{lanes}.ys{y_stride}.yi{y_im}.{}.r{}",
        elem.name(),
        contraction.name(),
        schedule.rows,
    );
    let mut b = KernelBuilder::new(name, NumericClass::sequential(contraction));
    let packed = SpectralLayout::new(shape, schedule).len() as u64;
    let align = elem.bytes() as u32;
    let spectra = Spectra {
        h: b.buffer("h", elem, packed, Access::ReadOnly, align),
        x: b.buffer("x", elem, shape.x_len() as u64, Access::ReadOnly, align),
        y: b.buffer("y", elem, shape.y_len() as u64, Access::ReadWrite, align),
        ty: VecType::new(elem, lanes.into()),
        shape,
        rows: schedule.rows.into(),
        contraction,
    };
    if groups > 1 {
        let trips = Bound::Const(groups as i64);
        b.repeat("g", Bound::Const(0), trips, &[], |b, var, _| {
            spectra.group(b, Start::counted(var, 1));
            Vec::new()
        });
    } else {
        spectra.group(&mut b, Start::at(0));
    }
    Ok(b.finish())
}

/// Inputs per iteration of the innermost loop, so that it turns less often.
const UNROLL: usize = 2;

struct Spectra<'a> {
    h: BufferId,
    x: BufferId,
    y: BufferId,
    ty: VecType,
    shape: &'a SpectralShape,
    rows: usize,
    contraction: Contraction,
}

/// Parts of one entry of `h`, or of one input.
const RE: usize = 0;
const IM: usize = 1;

impl Spectra<'_> {
    /// One group, the one that `start` counts.
    fn group(&self, b: &mut KernelBuilder, start: Start) {
        let SpectralShape { np, nq, lanes, .. } = *self.shape;
        let lanes = usize::from(lanes);
        let h = start.from(&Affine::at(0), 2 * lanes * np * nq);
        let x = start.from(&Affine::at(0), 2 * lanes * np);
        let y = start.from(&Affine::at(0), lanes);
        tiles(b, "b", nq, self.rows, |b, row, rows| {
            let block = Block {
                spectra: self,
                h: row.from(&h, 2 * lanes * np),
                x: x.clone(),
                rows,
            };
            block.emit(b, row.from(&y, self.shape.y_stride));
        });
    }
}

/// The rows of one block in one group.
struct Block<'a> {
    spectra: &'a Spectra<'a>,
    h: Affine,
    x: Affine,
    rows: usize,
}

impl Block<'_> {
    /// Continues the sums that start at `y`.
    fn emit(&self, b: &mut KernelBuilder, y: Affine) {
        let &Spectra {
            y: buffer,
            ty,
            shape,
            ..
        } = self.spectra;
        let places: Vec<Affine> = (0..self.rows)
            .flat_map(|r| [0, shape.y_im].map(|part| r * shape.y_stride + part))
            .map(|at| y.clone().offset(at as i64))
            .collect();
        let sums = places
            .iter()
            .map(|at| b.load(ty, buffer, at.clone()))
            .collect();
        let sums = walk(b, "p", shape.np, UNROLL, sums, |b, sums, p| {
            self.input(b, sums, p);
        });
        for (at, sum) in places.into_iter().zip(sums) {
            b.store(buffer, at, sum, ty.lanes);
        }
    }

    /// Adds the products with input `p` to the sums of every row.
    fn input(&self, b: &mut KernelBuilder, sums: &mut [Value], p: Start) {
        let &Spectra {
            h,
            x,
            ty,
            contraction,
            ..
        } = self.spectra;
        let lanes = usize::from(ty.lanes);
        let part = |at: &Affine, part: usize| at.clone().offset((part * lanes) as i64);
        let input = p.from(&self.x, 2 * lanes);
        let x_re = b.load(ty, x, part(&input, RE));
        let x_im = b.load(ty, x, part(&input, IM));
        let minus = b.define(ty, Op::Neg(x_im));
        let column = p.from(&self.h, 2 * self.rows * lanes);
        for (r, sums) in sums.chunks_exact_mut(2).enumerate() {
            let entry = part(&column, 2 * r);
            let h_re = b.load(ty, h, part(&entry, RE));
            let h_im = b.load(ty, h, part(&entry, IM));
            let mut add = |sum: &mut Value, h, x| *sum = accumulate(b, contraction, h, x, *sum);
            add(&mut sums[RE], h_re, x_re);
            add(&mut sums[RE], h_im, minus);
            add(&mut sums[IM], h_re, x_im);
            add(&mut sums[IM], h_im, x_re);
        }
    }
}
