//! How a virtual vector splits into registers.
//!
//! ```text
//! f64x8, 32 bytes   [0 1 2 3] [4 5 6 7]
//! f32x8, 32 bytes   [0 1 2 3 4 5 6 7]
//! f32x2             [0 1]               narrower than a register: the low part of one
//! ```
//!
//! Lanes are powers of two, so a vector is either a whole number of registers or fits into one.
//! Nothing is padded in the IR.

use inkwell::context::Context;
use inkwell::types::{BasicTypeEnum, FloatType, VectorType};
use tdse_kir::{Elem, VecType};

/// Registers of a virtual vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunks {
    /// Number of registers.
    pub(crate) count: usize,
    /// Lanes in each; a register of one lane is a scalar.
    pub(crate) width: usize,
    /// Element type.
    pub(crate) elem: Elem,
}

impl Chunks {
    /// The registers of `ty` where a register has `register_bytes`.
    pub(crate) fn of(ty: VecType, register_bytes: usize) -> Self {
        let lanes = usize::from(ty.lanes);
        let width = lanes.min(register_bytes / ty.elem.bytes());
        Chunks {
            count: lanes / width,
            width,
            elem: ty.elem,
        }
    }

    /// The type of a lane.
    pub(crate) fn lane<'ctx>(&self, context: &'ctx Context) -> FloatType<'ctx> {
        match self.elem {
            Elem::F32 => context.f32_type(),
            Elem::F64 => context.f64_type(),
        }
    }

    /// The type of `lanes` lanes as a vector.
    pub(crate) fn vector<'ctx>(&self, context: &'ctx Context, lanes: usize) -> VectorType<'ctx> {
        self.lane(context).vec_type(lanes as u32)
    }

    /// The type of a register.
    pub(crate) fn register<'ctx>(&self, context: &'ctx Context) -> BasicTypeEnum<'ctx> {
        match self.width {
            1 => self.lane(context).into(),
            lanes => self.vector(context, lanes).into(),
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
