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
    /// The code generator is not in this build; code that it made elsewhere can be loaded.
    #[error(
        "this build has no {backend}; build it with the feature {backend}, or load code from a bundle"
    )]
    NotInBuild {
        /// The backend asked.
        backend: &'static str,
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
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (6001, "level_unsupported"),
        (6002, "no_fma"),
        (6003, "construct_not_lowered"),
        (6004, "generator_failed"),
        (6005, "not_in_build"),
    ];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.entry().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u32, &'static str) {
        Self::ALL[match self {
            Refusal::LevelUnsupported { .. } => 0,
            Refusal::NoFma { .. } => 1,
            Refusal::Construct { .. } => 2,
            Refusal::Generator { .. } => 3,
            Refusal::NotInBuild { .. } => 4,
        }]
    }
}
