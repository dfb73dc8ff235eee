//! From a shape to code that can be called: which candidates there are, what each should cost, and
//! how one becomes a kernel.
//!
//! ```text
//! DirectShape --candidates()--> [Candidate]      ordered, the conservative one last
//! Candidate   --DirectKernel::compile()-->  template -> verifier -> Maker
//!
//! SpectralShape, BlockShape --spectral_schedule(), block_schedule()--> template --> Kernel
//! Kernel      --MacKernel::compile()-->                 verifier -> Maker
//! Maker       --> code from a bundle or a cache, or backend -> loader
//! ```
//!
//! The list is data and a pure function of its inputs; nothing here measures time to choose.
//! All candidates of one list belong to one numeric class, so the choice cannot change a bit.

mod candidate;
mod code_source;
mod cost;
mod direct_kernel;
mod error;
mod kernel;
mod mac_choice;
mod mac_kernel;
mod maker;
mod profiling;
mod real;
mod tier;

pub use candidate::{Candidate, candidates, candidates_by, default_contraction};
pub use code_source::{CodeFacts, CodeSource, KeptCode, Listener, Recorder, Shelf, Supply};
pub use cost::{REFERENCE_GHZ, predicted_cycles};
pub use direct_kernel::DirectKernel;
pub use error::CompileRefusal;
pub use kernel::{CompiledKernel, OtherCode};
pub use mac_choice::{ahead_tier, block_schedule, spectral_lanes, spectral_schedule};
pub use mac_kernel::MacKernel;
pub use maker::Maker;
pub use profiling::{name_kernels, name_kernels_for_profilers};
pub use real::Real;
pub use tier::Tier;
