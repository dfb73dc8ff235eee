//! Machine code as bytes: what a backend hands to the loader.

use sha2::{Digest, Sha256};
use tdse_isa::Level;

/// Position-independent code of one kernel, without relocations, calling nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeImage {
    /// Name of the kernel, which is its key.
    pub kernel: String,
    /// The least level a machine must have to run it.
    pub level: Level,
    /// Code, followed by any constants that it refers to.
    pub bytes: Vec<u8>,
    /// Offset of the entry in `bytes`.
    pub entry: usize,
    /// The code generator's own listing, when one was asked for.
    pub listing: Option<String>,
}

impl CodeImage {
    /// SHA-256 of the code bytes: the kernel's code identity.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}
