//! The full key of a piece of code: everything that decides its bytes.
//!
//! Code that is kept, in a bundle or in a cache, is used only for the key it was made under. A hash of the key
//! names the place; the key itself is stored with the code and compared field by field after it was
//! found, so that neither a collision nor a file under a wrong name brings other code.
//!
//! Invariant: a field takes part in the digest and in the comparison or this file does not compile:
//! the key is taken apart without `..`.

use std::fmt::{self, Write};

use sha2::{Digest, Sha256};
use tdse_backend::Backend;
use tdse_isa::Level;
use tdse_kir::Verified;

use crate::digest_text;

/// What decides the bytes of a piece of code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeKey {
    /// Name of the kernel.
    pub kernel: String,
    /// SHA-256 of the kernel's text form: parameters, extents, numeric class, body.
    pub kir_sha256: [u8; 32],
    /// [`Backend::identity`]: generator, its version, the version of the lowering, options.
    pub generator: String,
    /// Level that the code is for.
    pub level: Level,
}

impl CodeKey {
    /// The key under which `backend` lowers `kernel` for `level`. Cost: one print of the kernel.
    pub fn of(kernel: &Verified, backend: &dyn Backend, level: Level) -> CodeKey {
        let mut text = Hashed(Sha256::new());
        // Neither the printer nor the hash ever fails.
        let _ = write!(text, "{}", **kernel);
        CodeKey {
            kernel: kernel.name.clone(),
            kir_sha256: text.0.finalize().into(),
            generator: backend.identity(),
            level,
        }
    }

    /// SHA-256 of the key: a domain, then each field behind its length.
    pub fn digest(&self) -> [u8; 32] {
        let CodeKey {
            kernel,
            kir_sha256,
            generator,
            level,
        } = self;
        let mut hash = Sha256::new_with_prefix(b"tdse-code-key/1\0");
        for field in [
            kernel.as_bytes(),
            kir_sha256,
            generator.as_bytes(),
            level.name().as_bytes(),
        ] {
            add_field(&mut hash, field);
        }
        hash.finalize().into()
    }

    /// Every field in which `other` differs, with both values; `None` for equal keys.
    pub fn difference(&self, other: &CodeKey) -> Option<String> {
        let CodeKey {
            kernel,
            kir_sha256,
            generator,
            level,
        } = self;
        let fields = [
            ("kernel", kernel.clone(), other.kernel.clone()),
            (
                "kernel text (SHA-256)",
                digest_text::print(kir_sha256),
                digest_text::print(&other.kir_sha256),
            ),
            ("generator", generator.clone(), other.generator.clone()),
            ("level", level.to_string(), other.level.to_string()),
        ];
        let differing: Vec<String> = fields
            .into_iter()
            .filter(|(_, mine, theirs)| mine != theirs)
            .map(|(field, mine, theirs)| format!("{field}: {mine} against {theirs}"))
            .collect();
        (!differing.is_empty()).then(|| differing.join("; "))
    }
}

impl fmt::Display for CodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CodeKey {
            kernel,
            kir_sha256,
            generator,
            level,
        } = self;
        let text = digest_text::print(kir_sha256);
        write!(f, "{kernel} ({text}) by {generator} for {level}")
    }
}

/// Adds a field so that no two lists of fields give the same bytes.
pub(crate) fn add_field(hash: &mut Sha256, field: &[u8]) {
    hash.update((field.len() as u64).to_le_bytes());
    hash.update(field);
}

/// Hashes what is printed to it, without keeping the text.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}
