//! The numeric class: what fixes the bits of a result.
//!
//! Two kernels of one class, whatever their schedule, backend or machine, give the same bits for
//! the same input. The class therefore holds all that may change a rounding: the order of the sums
//! and whether a product is rounded before it is added. docs/numerics.md states each class.

use std::fmt;

/// Whether `a * b + c` is rounded once or twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contraction {
    /// One rounding: `fma`.
    Fma,
    /// Two roundings: `mul`, then `add`. `fma` is refused by the verifier.
    Separate,
}

impl Contraction {
    /// The name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Contraction::Fma => "fma",
            Contraction::Separate => "separate",
        }
    }
}

/// Order in which terms are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Term `i` goes to partial sum `i mod partials`; partial sums start at +0 and the terms are
    /// padded with `+0 * +0` to a multiple of `partials`; then neighbours are added, 0+1, 2+3, ...,
    /// and again until one sum is left.
    Direct {
        /// Number of partial sums, a power of two.
        partials: u16,
    },
    /// Every output element depends on one input element: nothing is summed.
    Elementwise,
    /// Every output element is one sum: terms are added, one after the other in the order of the
    /// loops, to what the element held before the call. Lanes are independent.
    Sequential,
}

/// What fixes the bits of a kernel's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumericClass {
    /// Order of the sums.
    pub order: Order,
    /// Rounding of products.
    pub contraction: Contraction,
}

impl NumericClass {
    /// The class of every direct route: eight partial sums.
    ///
    /// Eight is the largest count for which one row of `f64` still fits the registers of each
    /// target (four 128-bit, two 256-bit, one 512-bit) with rows left to block.
    pub const fn direct(contraction: Contraction) -> Self {
        NumericClass {
            order: Order::Direct { partials: 8 },
            contraction,
        }
    }

    /// The class of everything that works ahead: each element one sum, continued from call to call.
    pub const fn sequential(contraction: Contraction) -> Self {
        NumericClass {
            order: Order::Sequential,
            contraction,
        }
    }
}

impl fmt::Display for NumericClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contraction = self.contraction.name();
        match self.order {
            Order::Direct { partials } => write!(f, "direct(partials = {partials}, {contraction})"),
            Order::Elementwise => write!(f, "elementwise({contraction})"),
            Order::Sequential => write!(f, "sequential({contraction})"),
        }
    }
}
