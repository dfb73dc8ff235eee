//! The kernel IR: types, text form, verifier, interpreter, estimates.
#![forbid(unsafe_code)]

mod builder;
mod class;
mod ir;

pub use builder::KernelBuilder;
pub use class::{Contraction, NumericClass, Order};
pub use ir::{
    Access, Affine, Bound, Buffer, BufferId, Carry, Elem, Kernel, Loop, MAX_LANES, Op, Param, Stmt,
    Value, ValueInfo, Var, VecType,
};
