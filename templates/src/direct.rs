//! The entry to the direct families: checks, name, parameters.

use tdse_kir::{
    Access, Affine, Bound, BufferId, Contraction, Kernel, KernelBuilder, NumericClass, Value,
};

use crate::direct_rows::direct_rows;
use crate::direct_taps::direct_taps;
use crate::layout::Layout;
use crate::rounding;
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
        rounding::accumulate(b, self.contraction, h, x, sum)
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
    let rounding = contraction.name();
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

/// How blocks walk over their terms: full ones as the schedule says; rows left over one group per
/// iteration, because little time is spent there and the code counts.
pub(crate) struct Walks {
    rows: usize,
    full: Groups,
    left_over: Groups,
}

impl Walks {
    /// The walks over `terms` for blocks of `rows` rows.
    pub(crate) fn new(terms: usize, rows: usize, unroll: u8) -> Self {
        Walks {
            rows,
            full: Groups::new(terms, unroll),
            left_over: Groups::new(terms, 1),
        }
    }

    /// The walk of a block of `rows` rows.
    pub(crate) fn of(&self, rows: usize) -> &Groups {
        if rows < self.rows {
            &self.left_over
        } else {
            &self.full
        }
    }
}

/// The terms of a row in groups of eight: `unroll` groups per iteration of a loop, then single
/// groups, then an incomplete one.
pub(crate) struct Groups {
    iterations: usize,
    unroll: usize,
    full: usize,
    tail: usize,
}

impl Groups {
    /// Splits `terms`. A loop of one iteration becomes straight-line groups.
    fn new(terms: usize, unroll: u8) -> Self {
        let (full, unroll) = (terms / PARTIALS, usize::from(unroll));
        let iterations = if full / unroll > 1 { full / unroll } else { 0 };
        Groups {
            iterations,
            unroll,
            full,
            tail: terms % PARTIALS,
        }
    }

    /// Emits all groups and returns the sums after the last.
    ///
    /// `group(b, sums, h, x, terms)` adds one group of `terms` terms (8, or fewer in the last) to
    /// the sums; its packed taps start at `h`, its window at `x`. `step` packed taps lie between
    /// two groups.
    pub(crate) fn walk(
        &self,
        b: &mut KernelBuilder,
        h: &Affine,
        step: usize,
        mut sums: Vec<Value>,
        group: impl Fn(&mut KernelBuilder, &mut [Value], Affine, Affine, usize),
    ) -> Vec<Value> {
        let at =
            |base: &Affine, groups: usize, step: usize| base.clone().offset((groups * step) as i64);
        let x = Affine::at(0);
        if self.iterations > 0 {
            let trips = Bound::Const(self.iterations as i64);
            sums = b.repeat("j", Bound::Const(0), trips, &sums, |b, j, carried| {
                let mut sums = carried.to_vec();
                let h = h.clone().plus(j, (step * self.unroll) as i64);
                let x = x.clone().plus(j, (PARTIALS * self.unroll) as i64);
                for u in 0..self.unroll {
                    group(b, &mut sums, at(&h, u, step), at(&x, u, PARTIALS), PARTIALS);
                }
                sums
            });
        }
        for g in self.iterations * self.unroll..self.full {
            group(b, &mut sums, at(h, g, step), at(&x, g, PARTIALS), PARTIALS);
        }
        if self.tail > 0 {
            let (h, x) = (at(h, self.full, step), at(&x, self.full, PARTIALS));
            group(b, &mut sums, h, x, self.tail);
        }
        sums
    }
}
