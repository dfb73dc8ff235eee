//! Kernels to machine code with LLVM: the backend of wide vectors, for builds that have LLVM 22.
//!
//! ```text
//! Verified kernel --admission--> --lowering--> LLVM IR --code generation--> object --flatten--> CodeImage
//!                     \-> Refusal, before anything is emitted
//! ```
//!
//! The kernel says what a lane computes, so no optimiser of LLVM's runs over the IR: what is written
//! here goes straight to instruction selection, which folds loads, allocates registers and
//! schedules. (LLVM's `default<O3>` makes the same code in four times the time.) What is decided
//! here: how virtual vectors split into registers (`chunk.rs`), how addresses advance
//! (`loops.rs`), how tails are read and written (`memory.rs`), and which shuffles sum
//! the lanes (`reduction.rs`).
//!
//! Invariants: instructions come from the level and the preferred width alone, never from the
//! machine that compiles; no floating-point operation carries a flag that would let LLVM change a
//! bit; the image has no relocations left, calls nothing and refers to nothing outside itself
//! (`flatten.rs` checks each). Cost: 5 to 11 ms a kernel (Zen 3), by the length of its body.
//!
//! Without the feature `llvm` the crate is empty, and builds where there is no LLVM.

#[cfg(feature = "llvm")]
mod admission;
#[cfg(feature = "llvm")]
mod backend;
#[cfg(feature = "llvm")]
mod chunk;
#[cfg(feature = "llvm")]
mod flatten;
#[cfg(feature = "llvm")]
mod lane_ops;
#[cfg(feature = "llvm")]
mod loops;
#[cfg(feature = "llvm")]
mod lowering;
#[cfg(feature = "llvm")]
mod memory;
#[cfg(feature = "llvm")]
mod pointer;
#[cfg(feature = "llvm")]
mod reduction;
#[cfg(feature = "llvm")]
mod target;

#[cfg(feature = "llvm")]
pub use backend::Llvm;
