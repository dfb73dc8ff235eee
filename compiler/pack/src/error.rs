//! What can go wrong with a pack or with a file that should become one.
//!
//! Every refusal has a number that never changes ([`PackError::code`], `pack_error_code` in
//! reports) and a name for scripts ([`PackError::name`]). The areas stand in `fault/mod.rs`.

pub use crate::fault::{ContainerFault, ContentFault, FileFault, ImportFault, NpyFault, WavFault};
pub use crate::sparams::BuildFault;
pub use crate::touchstone::TouchstoneFault;

/// Why a pack, or a file that should become one, was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackError {
    /// A file cannot be read or written.
    #[error("{0}")]
    File(#[from] FileFault),
    /// The bytes are not a pack container.
    #[error("{0}")]
    Container(#[from] ContainerFault),
    /// The numbers or names break a rule of packs.
    #[error("{0}")]
    Content(#[from] ContentFault),
    /// The file cannot be imported as asked.
    #[error("{0}")]
    Import(#[from] ImportFault),
    /// A Touchstone file breaks the format at a known place.
    #[error("line {line}, column {column}: {fault}")]
    Touchstone {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What was found there.
        fault: TouchstoneFault,
    },
    /// The network data were read, but no impulse response can be built from them.
    #[error("{0}")]
    Build(#[from] BuildFault),
    /// A `.npy` or `.npz` file breaks the format.
    #[error("{0}")]
    Npy(#[from] NpyFault),
    /// A `.wav` file breaks the format.
    #[error("{0}")]
    Wav(#[from] WavFault),
}

impl PackError {
    /// Every number with its name, in rising order of the numbers.
    pub fn all_codes() -> Vec<(u32, &'static str)> {
        let mut all = [
            FileFault::ALL,
            ContainerFault::ALL,
            ContentFault::ALL,
            ImportFault::ALL,
            TouchstoneFault::ALL,
            BuildFault::ALL,
            NpyFault::ALL,
            WavFault::ALL,
        ]
        .concat();
        all.sort_unstable();
        all
    }

    /// The stable number of this refusal (`pack_error_code`).
    pub fn code(&self) -> u32 {
        match self {
            PackError::File(fault) => fault.code(),
            PackError::Container(fault) => fault.code(),
            PackError::Content(fault) => fault.code(),
            PackError::Import(fault) => fault.code(),
            PackError::Touchstone { fault, .. } => fault.code(),
            PackError::Build(fault) => fault.code(),
            PackError::Npy(fault) => fault.code(),
            PackError::Wav(fault) => fault.code(),
        }
    }

    /// The stable snake_case name of this refusal.
    pub fn name(&self) -> &'static str {
        match self {
            PackError::File(fault) => fault.name(),
            PackError::Container(fault) => fault.name(),
            PackError::Content(fault) => fault.name(),
            PackError::Import(fault) => fault.name(),
            PackError::Touchstone { fault, .. } => fault.name(),
            PackError::Build(fault) => fault.name(),
            PackError::Npy(fault) => fault.name(),
            PackError::Wav(fault) => fault.name(),
        }
    }
}
