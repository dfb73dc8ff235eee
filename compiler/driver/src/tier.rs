//! The code generators of this build.

use std::fmt;
use std::str::FromStr;

use tdse_backend::Backend;
use tdse_cranelift::Cranelift;
use tdse_isa::Level;
#[cfg(feature = "llvm")]
use tdse_llvm::Llvm;
use tdse_portable::Portable;

use crate::CompileRefusal;

#[cfg(feature = "llvm")]
static LLVM: Llvm = Llvm::new();
static CRANELIFT: Cranelift = Cranelift::new();

/// A code generator, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Machine code made at load or ahead of it, vectors as wide as pays; takes milliseconds a
    /// kernel, and a build with the feature `llvm`.
    #[cfg(feature = "llvm")]
    Llvm,
    /// Machine code made at load, 128-bit vectors.
    Cranelift,
    /// Rust compiled ahead of time; needs no executable memory, always there.
    Portable,
}

impl Tier {
    /// Every tier of this build, the conservative one last.
    #[cfg(feature = "llvm")]
    pub const ALL: [Tier; 3] = [Tier::Llvm, Tier::Cranelift, Tier::Portable];

    /// Every tier of this build, the conservative one last.
    #[cfg(not(feature = "llvm"))]
    pub const ALL: [Tier; 2] = [Tier::Cranelift, Tier::Portable];

    /// The backend behind the tier.
    pub fn backend(self) -> &'static dyn Backend {
        match self {
            #[cfg(feature = "llvm")]
            Tier::Llvm => &LLVM,
            Tier::Cranelift => &CRANELIFT,
            Tier::Portable => &Portable,
        }
    }

    /// Whether the tier's code needs executable memory.
    pub fn makes_machine_code(self) -> bool {
        match self {
            #[cfg(feature = "llvm")]
            Tier::Llvm => true,
            Tier::Cranelift => true,
            Tier::Portable => false,
        }
    }

    /// Nanoseconds for a step of the program that the tier interprets, beside the work of the step;
    /// machine code has none. Measured on a 2-core Zen 3 guest: about 5 ns.
    pub(crate) fn step_ns(self) -> f64 {
        match self {
            Tier::Portable => 5.0,
            _ => 0.0,
        }
    }

    /// Width in bytes of the vector registers that the tier uses at a level.
    pub(crate) fn register_bytes(self, level: Level) -> usize {
        match (self, level) {
            #[cfg(feature = "llvm")]
            (Tier::Llvm, _) => LLVM.register_bytes(level),
            (Tier::Cranelift, _) => 16,
            (Tier::Portable, Level::V4) => 64,
            (Tier::Portable, Level::V3) => 32,
            (Tier::Portable, Level::Scalar) => 8,
            (Tier::Portable, _) => 16,
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backend().name())
    }
}

impl FromStr for Tier {
    type Err = CompileRefusal;

    fn from_str(text: &str) -> Result<Self, CompileRefusal> {
        Tier::ALL
            .into_iter()
            .find(|tier| tier.backend().name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| CompileRefusal::UnknownTier(text.into()))
    }
}
