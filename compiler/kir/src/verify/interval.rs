//! Interval arithmetic: between which elements an address lies, whatever its variables are.

use crate::ir::{Affine, Var};
use crate::limits::MAX_ADDRESS;

/// An inclusive range of integers, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Interval {
    pub(super) fn new(lo: i64, hi: i64) -> Self {
        Interval {
            lo: lo.into(),
            hi: hi.into(),
        }
    }

    /// All sums; `None` beyond [`MAX_ADDRESS`].
    fn plus(self, other: Interval) -> Option<Self> {
        Interval {
            lo: self.lo + other.lo,
            hi: self.hi + other.hi,
        }
        .bounded()
    }

    /// All multiples by `factor`; `None` when they or the factor lie beyond [`MAX_ADDRESS`].
    ///
    /// The factor by itself matters because backends step a pointer by it once an iteration, also
    /// past the last one: `0 * 2^61` is 0, a step of 2^61 elements of 8 bytes is no step at all.
    fn times(self, factor: i64) -> Option<Self> {
        let factor = i128::from(factor);
        Interval {
            lo: factor,
            hi: factor,
        }
        .bounded()?;
        let (a, b) = (self.lo.checked_mul(factor)?, self.hi.checked_mul(factor)?);
        Interval {
            lo: a.min(b),
            hi: a.max(b),
        }
        .bounded()
    }

    fn bounded(self) -> Option<Self> {
        (self.lo >= -MAX_ADDRESS && self.hi <= MAX_ADDRESS).then_some(self)
    }
}

/// Where `at` lies when each variable lies in its range; `None` when a partial sum or a coefficient
/// may be so large that 64-bit arithmetic could wrap, or when a variable has no range.
///
/// Exact for one variable. Ranges of different variables count as independent, so a kernel may be
/// refused although no run of it would leave the buffer, never the other way round.
pub(super) fn of_address(at: &Affine, range: impl Fn(Var) -> Option<Interval>) -> Option<Interval> {
    let mut sum = Interval::new(at.constant, at.constant).bounded()?;
    for &(var, coefficient) in &at.terms {
        sum = sum.plus(range(var)?.times(coefficient)?)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(var: Var) -> Option<Interval> {
        [
            Interval::new(0, 9),
            Interval::new(-3, 4),
            Interval::new(0, 0),
        ]
        .get(var.0 as usize)
        .copied()
    }

    #[test]
    fn signs_and_sums() {
        for (constant, terms, lo, hi) in [
            (5, vec![], 5, 5),
            (0, vec![(Var(0), 8)], 0, 72),
            (72, vec![(Var(0), -8)], 0, 72),
            (1, vec![(Var(0), 2), (Var(1), -10)], -39, 49),
        ] {
            let at = Affine { constant, terms };
            assert_eq!(of_address(&at, range), Some(Interval { lo, hi }), "{at:?}");
        }
    }

    #[test]
    fn what_could_wrap_has_no_interval() {
        for (constant, terms) in [
            (i64::MIN, vec![]),
            (0, vec![(Var(0), i64::MAX)]),
            (-(1 << 57), vec![(Var(0), 1 << 57)]),
            (0, vec![(Var(2), 1 << 60)]),
            (0, vec![(Var(2), i64::MIN)]),
            (0, vec![(Var(7), 1)]),
        ] {
            assert_eq!(of_address(&Affine { constant, terms }, range), None);
        }
    }
}
