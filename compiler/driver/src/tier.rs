//! The code generators: those of this build, and those whose code it can load.

use std::fmt;
use std::str::FromStr;

use tdse_backend::Backend;
#[cfg(not(feature = "llvm"))]
use tdse_backend::{Lowered, Refusal};
use tdse_cranelift::Cranelift;
use tdse_isa::Level;
#[cfg(not(feature = "llvm"))]
use tdse_kir::Verified;
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
    /// kernel. Making it needs a build with the feature `llvm`, loading it from a bundle does not.
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

    /// Every tier that any build has.
    pub const KNOWN: [Tier; 3] = [Tier::Llvm, Tier::Cranelift, Tier::Portable];

    /// The backend behind the tier.
    pub fn backend(self) -> &'static dyn Backend {
        match self {
            #[cfg(feature = "llvm")]
            Tier::Llvm => &LLVM,
            #[cfg(not(feature = "llvm"))]
            Tier::Llvm => &NotInBuild("llvm"),
            Tier::Cranelift => &CRANELIFT,
            Tier::Portable => &Portable,
        }
    }

    /// Whether the tier's code needs executable memory.
    pub fn makes_machine_code(self) -> bool {
        match self {
            Tier::Llvm | Tier::Cranelift => true,
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
            (Tier::Llvm, Level::V3 | Level::V4) => 32,
            (Tier::Llvm, _) => 16,
            (Tier::Cranelift, _) => 16,
            (Tier::Portable, Level::V4) => 64,
            (Tier::Portable, Level::V3) => 32,
            (Tier::Portable, Level::Scalar) => 8,
            (Tier::Portable, _) => 16,
        }
    }
}

/// A code generator that this build lacks.
#[cfg(not(feature = "llvm"))]
struct NotInBuild(&'static str);

#[cfg(not(feature = "llvm"))]
impl Backend for NotInBuild {
    fn name(&self) -> &'static str {
        self.0
    }

    fn identity(&self) -> String {
        format!("{} (not in this build)", self.0)
    }

    fn lower(&self, _kernel: &Verified, _level: Level) -> Result<Lowered, Refusal> {
        Err(Refusal::NotInBuild { backend: self.0 })
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
        Tier::KNOWN
            .into_iter()
            .find(|tier| tier.backend().name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| CompileRefusal::UnknownTier(text.into()))
    }
}
