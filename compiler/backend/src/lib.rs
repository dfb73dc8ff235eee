//! What every backend is: the one seam between kernels and code.
//!
//! ```text
//! Verified kernel --Backend::lower--> Lowered::Machine(CodeImage) --loader--> EntryPoint
//!                                  \-> Lowered::Ready(EntryPoint)
//! ```
//!
//! A backend lowers a verified kernel for a target level, or refuses by name before it emits a
//! byte. It keeps the kernel's numeric class and never looks at the shape to choose an algorithm.
//! No type of a code generator appears here.

mod code_image;
mod entry_point;
mod refusal;
mod walks;

use std::sync::Arc;

pub use code_image::CodeImage;
pub use entry_point::{EntryPoint, Slot};
pub use refusal::Refusal;
use tdse_isa::Level;
use tdse_kir::Verified;
pub use walks::{Pointers, Walk, moving_walks};

/// A code generator.
pub trait Backend: Send + Sync {
    /// Stable short name: `cranelift`, `portable`.
    fn name(&self) -> &'static str;

    /// Name and version of what generates the code, for reports and cache keys.
    fn identity(&self) -> String;

    /// Lowers `kernel` for machines of `level`, or refuses before emitting anything.
    fn lower(&self, kernel: &Verified, level: Level) -> Result<Lowered, Refusal>;
}

/// What a backend makes of a kernel.
pub enum Lowered {
    /// Machine code that still has to be loaded.
    Machine(CodeImage),
    /// Something that can be called as it is.
    Ready(Arc<dyn EntryPoint>),
}
