//! The kernel IR: types, text form, verifier, interpreter, estimates.
//!
//! ```text
//! text --parse--> Kernel --verify--> Verified --> interpret, or any backend
//! text <--print-- Kernel --estimate--> Estimate
//! ```
//!
//! This crate knows no machine: what a kernel means is fixed here, and every backend must give the
//! bits that [`interpret`] gives. docs/kernel-ir.md is the specification.
#![forbid(unsafe_code)]

mod builder;
mod class;
mod error;
mod estimate;
pub mod hex_float;
mod interpret;
mod ir;
pub mod limits;
mod parse;
mod print;
mod rule;
pub mod runfile;
mod verify;
mod words;

pub use builder::KernelBuilder;
pub use class::{Contraction, NumericClass, Order};
pub use error::KirError;
pub use estimate::{Estimate, estimate};
pub use interpret::{KirArg, interpret};
pub use ir::{
    Access, Affine, Bound, Buffer, BufferId, Carry, Elem, Kernel, Loop, MAX_LANES, Op, Param, Stmt,
    Value, ValueInfo, Var, VecType,
};
pub use parse::{parse, parse_all};
pub use rule::Rule;
pub use verify::{Verified, verify};
