//! Operations that treat every lane alike.

use inkwell::builder::{Builder, BuilderError};
use inkwell::types::VectorType;
use inkwell::values::{BasicValueEnum, FloatMathValue, FloatValue};
use tdse_kir::{Op, Value};

use crate::chunk::Chunks;
use crate::lowering::{Broken, Lowering, Register, Written};

/// Whether every register of the result is the same, so that one is computed for all.
fn uniform(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Splat(_) | Op::LoadSplat { .. })
}

/// An operation of two operands.
#[derive(Clone, Copy)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
}

impl Binary {
    fn build<'ctx, T: FloatMathValue<'ctx>>(
        self,
        ir: &Builder<'ctx>,
        a: T,
        b: T,
    ) -> Result<T, BuilderError> {
        match self {
            Binary::Add => ir.build_float_add(a, b, ""),
            Binary::Sub => ir.build_float_sub(a, b, ""),
            Binary::Mul => ir.build_float_mul(a, b, ""),
        }
    }
}

impl<'ctx> Lowering<'_, 'ctx> {
    /// Lowers a lane-wise definition, register by register.
    pub(crate) fn lane_wise(&mut self, value: Value, op: &Op) -> Written<()> {
        for chunk in 0..self.chunks(value).count {
            let register = if chunk > 0 && uniform(op) {
                self.register(value, 0)
            } else {
                self.lane_op(value, op, chunk)?
            };
            self.define(value, chunk, register);
        }
        Ok(())
    }

    /// Emits register `chunk` of a lane-wise operation.
    fn lane_op(&mut self, value: Value, op: &Op, chunk: usize) -> Written<Register<'ctx>> {
        let chunks = self.chunks(value);
        match op {
            Op::Const(number) => Ok(self.constant(chunks, *number)),
            Op::Splat(scalar) => {
                let lane = self.register(*scalar, 0).into_float_value();
                self.in_every_lane(chunks, lane)
            }
            Op::Load { buffer, at, lanes } => self.load(chunks, *buffer, at, *lanes, chunk),
            Op::LoadSplat { buffer, at } => {
                let lane = self.load_element(chunks, *buffer, at)?;
                self.in_every_lane(chunks, lane)
            }
            Op::Add(a, b) => self.binary(Binary::Add, *a, *b, chunk),
            Op::Sub(a, b) => self.binary(Binary::Sub, *a, *b, chunk),
            Op::Mul(a, b) => self.binary(Binary::Mul, *a, *b, chunk),
            Op::Neg(a) => Ok(match self.register(*a, chunk) {
                BasicValueEnum::FloatValue(a) => self.ir.build_float_neg(a, "")?.into(),
                a => self.ir.build_float_neg(a.into_vector_value(), "")?.into(),
            }),
            Op::Fma(a, b, c) => {
                let operands = [*a, *b, *c].map(|v| self.register(v, chunk).into());
                let ty = chunks.register(self.context);
                let fused = self.intrinsic("llvm.fma", &[ty], &operands)?;
                fused.ok_or_else(|| Broken("llvm.fma gives nothing".into()))
            }
            Op::Reduce(of) => self.reduce(*of),
        }
    }

    fn binary(&self, op: Binary, a: Value, b: Value, chunk: usize) -> Written<Register<'ctx>> {
        self.combined(op, self.register(a, chunk), self.register(b, chunk))
    }

    /// `a op b`, both scalars or both vectors.
    pub(crate) fn combined(
        &self,
        op: Binary,
        a: Register<'ctx>,
        b: Register<'ctx>,
    ) -> Written<Register<'ctx>> {
        Ok(match (a, b) {
            (BasicValueEnum::FloatValue(a), BasicValueEnum::FloatValue(b)) => {
                op.build(&self.ir, a, b)?.into()
            }
            (BasicValueEnum::VectorValue(a), BasicValueEnum::VectorValue(b)) => {
                op.build(&self.ir, a, b)?.into()
            }
            _ => return Err(Broken("operands of different kinds".into())),
        })
    }

    /// A constant in every lane.
    pub(crate) fn constant(&self, chunks: Chunks, number: f64) -> Register<'ctx> {
        let lane = chunks.lane(self.context).const_float(number);
        match chunks.width {
            1 => lane.into(),
            lanes => VectorType::const_vector(&vec![lane; lanes]).into(),
        }
    }

    fn in_every_lane(&self, chunks: Chunks, lane: FloatValue<'ctx>) -> Written<Register<'ctx>> {
        if chunks.width == 1 {
            return Ok(lane.into());
        }
        let none = chunks.vector(self.context, chunks.width).get_poison();
        let first = self.context.i32_type().const_zero();
        let one = self.ir.build_insert_element(none, lane, first, "")?;
        let mask = self.lanes_mask(&vec![Some(0); chunks.width]);
        Ok(self.ir.build_shuffle_vector(one, none, mask, "")?.into())
    }
}
