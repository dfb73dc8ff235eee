//! How a virtual vector splits into registers.
//!
//! ```text
//! f64x8   [0 1] [2 3] [4 5] [6 7]     four registers of two lanes
//! f32x8   [0 1 2 3] [4 5 6 7]         two registers of four lanes
//! f32x2   [0] [1]                     narrower than a register: scalars
//! ```
//!
//! Lanes are powers of two, so a vector is either a whole number of 128-bit registers or, when it
//! is narrower than one, a few scalars. Nothing is padded, so no lane is computed that the kernel
//! does not have.

use cranelift_codegen::ir::{Type, types};
use tdse_kir::{Elem, VecType};

/// Registers of a virtual vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunks {
    /// Number of registers.
    pub(crate) count: usize,
    /// Lanes in each: 1 for scalars.
    pub(crate) width: usize,
    /// Type of each.
    pub(crate) ty: Type,
    /// Type of a lane.
    pub(crate) lane: Type,
    /// Element type.
    pub(crate) elem: Elem,
}

impl Chunks {
    /// The registers of `ty`.
    pub(crate) fn of(ty: VecType) -> Self {
        let lanes = usize::from(ty.lanes);
        let (full, vector, lane) = match ty.elem {
            Elem::F32 => (4, types::F32X4, types::F32),
            Elem::F64 => (2, types::F64X2, types::F64),
        };
        let (width, chunk) = if lanes >= full {
            (full, vector)
        } else {
            (1, lane)
        };
        Chunks {
            count: lanes / width,
            width,
            ty: chunk,
            lane,
            elem: ty.elem,
        }
    }

    /// Size of one register's lanes in memory.
    pub(crate) fn bytes(&self) -> i64 {
        (self.width * self.elem.bytes()) as i64
    }

    /// How many lanes of register `chunk` lie below lane `lanes` of the vector.
    pub(crate) fn lanes_below(&self, lanes: u16, chunk: usize) -> usize {
        usize::from(lanes)
            .saturating_sub(chunk * self.width)
            .min(self.width)
    }
}
