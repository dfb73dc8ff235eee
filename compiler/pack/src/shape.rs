//! The three sizes of a pack and the limits that hold for every one of them.
//!
//! A pack has `np` inputs, `nq` outputs and `nh` taps for each pair; the taps lie as
//! `H[k][q][p]`, row-major. The three counts are different types, so that they cannot be swapped.
//!
//! Invariants: no count is 0, each fits in 32 bits, and their product is at most [`MAX_TAPS`].
//! They hold from construction on, so [`Shape::len`] cannot overflow.

use crate::PackError;
use crate::error::ContentFault;

/// Most bytes that a file read by this crate may have: 4 GiB.
///
/// [`MAX_TAPS`] doubles plus header fit below it.
pub const MAX_FILE_BYTES: u64 = 1 << 32;

/// Most elements that a tap tensor (or an initial response) may have: 2^28, 2 GiB as f64.
pub const MAX_TAPS: usize = 1 << 28;

macro_rules! count {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// A count; `None` at 0.
            pub fn new(count: u32) -> Option<Self> {
                (count != 0).then_some(Self(count))
            }

            /// The count as an index type.
            pub fn get(self) -> usize {
                self.0 as usize
            }
        }
    };
}

count!(
    /// Number of inputs of a pack.
    Np
);
count!(
    /// Number of outputs of a pack.
    Nq
);
count!(
    /// Number of taps for each pair of output and input.
    Nh
);

/// The sizes of a tap tensor `H[nh][nq][np]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Taps for each pair.
    pub nh: Nh,
    /// Outputs.
    pub nq: Nq,
    /// Inputs.
    pub np: Np,
}

impl Shape {
    /// Checks the three counts and their product.
    ///
    /// # Errors
    /// A count of 0, or more than [`MAX_TAPS`] elements in all.
    pub fn new(nh: usize, nq: usize, np: usize) -> Result<Shape, PackError> {
        if nh == 0 || nq == 0 || np == 0 {
            return Err(ContentFault::ZeroSize { nh, nq, np }.into());
        }
        let too_many = ContentFault::TooManyTaps { nh, nq, np };
        let elements = nh.checked_mul(nq).and_then(|rows| rows.checked_mul(np));
        if elements.is_none_or(|n| n > MAX_TAPS) {
            return Err(too_many.into());
        }
        let narrow = |n: usize| u32::try_from(n).ok();
        let counts = (
            narrow(nh).and_then(Nh::new),
            narrow(nq).and_then(Nq::new),
            narrow(np).and_then(Np::new),
        );
        match counts {
            (Some(nh), Some(nq), Some(np)) => Ok(Shape { nh, nq, np }),
            _ => Err(too_many.into()),
        }
    }

    /// Elements of the tap tensor, `nh * nq * np`.
    #[allow(clippy::len_without_is_empty)] // a shape is never empty
    pub fn len(&self) -> usize {
        self.nh() * self.nq() * self.np()
    }

    /// Taps for each pair.
    pub fn nh(&self) -> usize {
        self.nh.get()
    }

    /// Outputs.
    pub fn nq(&self) -> usize {
        self.nq.get()
    }

    /// Inputs.
    pub fn np(&self) -> usize {
        self.np.get()
    }
}
