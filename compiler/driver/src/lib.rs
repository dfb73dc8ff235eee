//! From a shape to code that can be called: which candidates there are, what each should cost, and
//! how one becomes a kernel.
//!
//! ```text
//! DirectShape --candidates()--> [Candidate]      ordered, the conservative one last
//! Candidate   --DirectKernel::compile()-->  template -> verifier -> backend -> loader
//! ```
//!
//! The list is data and a pure function of its inputs; nothing here measures time to choose.
//! All candidates of one list belong to one numeric class, so the choice cannot change a bit.

mod candidate;
mod cost;
mod error;
mod kernel;
mod real;
mod tier;

pub use candidate::{Candidate, candidates};
pub use cost::{REFERENCE_GHZ, predicted_cycles};
pub use error::CompileRefusal;
pub use kernel::DirectKernel;
pub use real::Real;
pub use tier::Tier;
