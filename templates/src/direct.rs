//! The entry to the direct families: checks, name, parameters.

use tdse_kir::{Access, BufferId, Contraction, Kernel, KernelBuilder, NumericClass, Value};

use crate::direct_rows::direct_rows;
use crate::direct_taps::direct_taps;
use crate::layout::Layout;
use crate::schedule::Schedule;
use crate::shape::DirectShape;
use crate::{PARTIALS, TemplateError};

/// The three buffers of every direct kernel, and how a product is added.
pub(crate) struct Direct {
    /// Packed `H`, in the order of [`Layout`].
    pub(crate) h: BufferId,
    /// The window, oldest vector first.
    pub(crate) x: BufferId,
    /// The result, one element a row.
    pub(crate) y: BufferId,
    contraction: Contraction,
}

impl Direct {
    /// `h * x + sum`, rounded as the class says.
    pub(crate) fn accumulate(
        &self,
        b: &mut KernelBuilder,
        h: Value,
        x: Value,
        sum: Value,
    ) -> Value {
        match self.contraction {
            Contraction::Fma => b.fma(h, x, sum),
            Contraction::Separate => {
                let product = b.mul(h, x);
                b.add(product, sum)
            }
        }
    }
}

/// Describes the kernel that computes `y[q] = sum_i h[q][i] * x[i]` for a shape.
///
/// Parameters of the kernel: `h` (packed, 64-byte aligned), `x` (`np * taps` elements), `y` (`nq`
/// elements). The name holds family, element type, sizes, class and schedule.
pub fn direct(
    shape: &DirectShape,
    contraction: Contraction,
    schedule: Schedule,
) -> Result<Kernel, TemplateError> {
    shape.check()?;
    schedule.check()?;
    let DirectShape { np, nq, taps, elem } = *shape;
    let rounding = match contraction {
        Contraction::Fma => "fma",
        Contraction::Separate => "separate",
    };
    let family = schedule.family();
    let blocking = schedule.to_string();
    let blocking = blocking.split_once('.').map_or("", |(_, rest)| rest);
    let elem_name = elem.name();
    let name = format!("{family}.{elem_name}.np{np}.nq{nq}.taps{taps}.{rounding}.{blocking}");

    let mut b = KernelBuilder::new(name, NumericClass::direct(contraction));
    let packed = Layout::new(shape, schedule).len() as u64;
    let align = elem.bytes() as u32;
    let buffers = Direct {
        h: b.buffer("h", elem, packed, Access::ReadOnly, 64),
        x: b.buffer("x", elem, shape.terms() as u64, Access::ReadOnly, align),
        y: b.buffer("y", elem, nq as u64, Access::WriteOnly, align),
        contraction,
    };
    match schedule {
        Schedule::Taps { rows, unroll } => direct_taps(&mut b, &buffers, shape, rows, unroll),
        Schedule::Rows { lanes, unroll } => direct_rows(&mut b, &buffers, shape, lanes, unroll),
    }
    Ok(b.finish())
}

/// How the groups of eight terms are walked: iterations of `unroll` groups, single groups left
/// over, and the terms of an incomplete last group.
pub(crate) struct Groups {
    /// Iterations of the loop.
    pub(crate) iterations: usize,
    /// Groups per iteration.
    pub(crate) unroll: usize,
    /// Full groups after the loop.
    pub(crate) left: usize,
    /// Terms in the incomplete group, 0 to 7.
    pub(crate) tail: usize,
}

impl Groups {
    /// Splits `terms`. A loop of one iteration becomes straight-line groups.
    pub(crate) fn new(terms: usize, unroll: u8) -> Self {
        let full = terms / PARTIALS;
        let unroll = usize::from(unroll);
        let iterations = if full / unroll > 1 { full / unroll } else { 0 };
        Groups {
            iterations,
            unroll,
            left: full - iterations * unroll,
            tail: terms % PARTIALS,
        }
    }
}
