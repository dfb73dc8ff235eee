//! The portable backend: compiled ahead of time, always there, runs every kernel on every machine.
//!
//! Problem: where executable memory is refused, or no code generator knows the machine, a kernel
//! must still run, with the same bits and without falling to the speed of an interpreter.
//!
//! Idea: a program of micro-operations on eight-lane registers, executed by a loop that is compiled
//! for each instruction-set level that makes a difference; and, where the time goes, whole loops of
//! multiply-accumulates recognised by their structure and executed as one step.
//!
//! ```text
//! Verified --lowering--> Program: [ micro | micro | mac_taps r=4 n=255 x1 | micro ... ]
//!              ^                              ^
//!       chains, tiles: even walks      one function a level, form, size, element type, rounding
//! ```
//!
//! Invariants: everything is decided in [`Portable::lower`], a call allocates nothing and keeps its
//! registers on the stack; a program is made only for a level that this machine proves. Bits are
//! those of [`tdse_kir::interpret`]. Below x86-64-v3 fused multiply-add is the library's correctly
//! rounded function: a few nanoseconds a lane, the same bits.
//!
//! `unsafe` stands in `execution.rs`, `mac.rs` and `levels.rs` alone.

mod chain_lowering;
mod chains;
mod execution;
mod lane;
mod levels;
mod lowering;
mod mac;
mod program;
mod registers;
mod tile_lowering;
mod tile_run;
mod tiles;
mod uses;

use std::sync::Arc;
use tdse_backend::{Backend, Lowered, Refusal};
use tdse_isa::{Host, Level};
use tdse_kir::Verified;

const NAME: &str = "portable";

/// The backend.
#[derive(Debug, Clone, Copy, Default)]
pub struct Portable;

impl Portable {
    /// The program for a kernel as text: one step a line, loops indented.
    ///
    /// A loop of multiply-accumulates that runs as one step reads `mac_taps f64 r=4 n=255 x1`
    /// (rows, iterations, multiply-accumulates per iteration and row) or
    /// `mac_rows f64 w=4 a=8 n=127 x1` (lanes, accumulators). One that takes its sums from memory,
    /// with the loops around it, reads `mac_columns f64 r=4 w=8 tiles=3x2 n=31x4` or
    /// `mac_complex f64 r=2 w=4 tiles=1x16 n=1x8` (rows, lanes, loops around, loops over terms).
    pub fn describe(&self, kernel: &Verified, level: Level) -> Result<String, Refusal> {
        program(kernel, level).map(|program| program.to_string())
    }
}

impl Backend for Portable {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> String {
        format!("{NAME} {}", env!("CARGO_PKG_VERSION"))
    }

    fn lower(&self, kernel: &Verified, level: Level) -> Result<Lowered, Refusal> {
        Ok(Lowered::Ready(Arc::new(program(kernel, level)?)))
    }
}

fn program(kernel: &Verified, level: Level) -> Result<program::Program, Refusal> {
    let instance = Host::get()
        .prove(level)
        .and_then(levels::Instance::of)
        .ok_or(Refusal::LevelUnsupported {
            backend: NAME,
            level,
        })?;
    lowering::lower(kernel, instance).map_err(|construct| Refusal::Construct {
        backend: NAME,
        kernel: kernel.name.clone(),
        construct,
    })
}
