//! Why a backend does not lower a kernel.

use tdse_isa::Level;

/// A named refusal; nothing was emitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The backend generates no code for such machines.
    #[error("{backend} generates no code for {level}; choose another backend or target level")]
    LevelUnsupported {
        /// The backend asked.
        backend: &'static str,
        /// The level asked for.
        level: Level,
    },
    /// The kernel needs fused multiply-add, the level has none.
    #[error(
        "the class of {kernel} needs fused multiply-add, which {level} lacks; use the class without it"
    )]
    NoFma {
        /// The kernel.
        kernel: String,
        /// The level asked for.
        level: Level,
    },
    /// A construct that this backend does not lower.
    #[error("{backend} does not lower {construct}, which {kernel} uses")]
    Construct {
        /// The backend asked.
        backend: &'static str,
        /// The kernel.
        kernel: String,
        /// The construct.
        construct: String,
    },
    /// The code generator failed; a defect of this project or of the generator.
    #[error("{backend} failed on {kernel}: {message}; please report this with the kernel's text")]
    Generator {
        /// The backend asked.
        backend: &'static str,
        /// The kernel.
        kernel: String,
        /// What it said.
        message: String,
    },
}

impl Refusal {
    /// The stable number.
    pub fn code(&self) -> u32 {
        match self {
            Refusal::LevelUnsupported { .. } => 6001,
            Refusal::NoFma { .. } => 6002,
            Refusal::Construct { .. } => 6003,
            Refusal::Generator { .. } => 6004,
        }
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Refusal::LevelUnsupported { .. } => "level_unsupported",
            Refusal::NoFma { .. } => "no_fma",
            Refusal::Construct { .. } => "construct_not_lowered",
            Refusal::Generator { .. } => "generator_failed",
        }
    }
}
