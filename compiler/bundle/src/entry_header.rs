//! What a file of code says about one piece of code: its key, its class, its size, its digest.
//!
//! The digest binds the code to its key, its entry and to its place, in this file and no other: a piece that is moved to
//! another key, another index or another bundle no longer fits, even where the digest of the whole file
//! was made anew. It is a guard against accidents and mixed-up files, not a signature.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tdse_backend::CodeImage;

use crate::bundle_error::BundleError;
use crate::code_file::{CodeSection, MAX_CODE_BYTES};
use crate::code_key::{CodeKey, add_field};
use crate::{digest_text, text_rule};

/// Where a piece of code is stored.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// What the file is for.
    pub(crate) binding: &'a [u8; 32],
    /// Index of the piece.
    pub(crate) index: usize,
}

/// The fields of a piece of code, in the order in which they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryHeader {
    kernel: String,
    kir_sha256: String,
    generator: String,
    level: String,
    class: String,
    entry: u64,
    bytes: u64,
    sha256: String,
}

impl EntryHeader {
    /// Describes a piece of code, after checking it.
    pub(crate) fn of(
        key: &CodeKey,
        class: &str,
        code: &CodeImage,
        place: Place<'_>,
    ) -> Result<EntryHeader, BundleError> {
        check(key, class, code)?;
        let CodeKey {
            kernel,
            kir_sha256,
            generator,
            level,
        } = key;
        Ok(EntryHeader {
            kernel: kernel.clone(),
            kir_sha256: digest_text::print(kir_sha256),
            generator: generator.clone(),
            level: level.to_string(),
            class: class.to_owned(),
            entry: code.entry as u64,
            bytes: code.bytes.len() as u64,
            sha256: digest_text::print(&digest(key, class, code, place)),
        })
    }

    /// Takes the code out of the section and checks it against what is said of it.
    pub(crate) fn take(
        self,
        section: &mut CodeSection<'_>,
        place: Place<'_>,
    ) -> Result<(CodeKey, String, CodeImage), BundleError> {
        let key = CodeKey {
            kir_sha256: text_rule::digest("kir_sha256", &self.kir_sha256)?,
            level: text_rule::level(&self.level)?,
            kernel: self.kernel,
            generator: self.generator,
        };
        let bytes = section.take(&key.kernel, self.bytes)?;
        let code = CodeImage {
            kernel: key.kernel.clone(),
            level: key.level,
            bytes: bytes.to_vec(),
            // What does not fit is outside the code too.
            entry: usize::try_from(self.entry).unwrap_or(usize::MAX),
            listing: None,
        };
        check(&key, &self.class, &code)?;
        let said = text_rule::digest("sha256", &self.sha256)?;
        if said != digest(&key, &self.class, &code, place) {
            return Err(BundleError::EntryDigestMismatch { kernel: key.kernel });
        }
        Ok((key, self.class, code))
    }
}

/// The rules of one piece of code, the same for writing and reading.
fn check(key: &CodeKey, class: &str, code: &CodeImage) -> Result<(), BundleError> {
    text_rule::check("kernel", &key.kernel, tdse_kir::limits::MAX_KERNEL_NAME)?;
    text_rule::check("generator", &key.generator, text_rule::MAX_TEXT)?;
    text_rule::check("class", class, text_rule::MAX_TEXT)?;
    if (key.kernel.as_str(), key.level) != (code.kernel.as_str(), code.level) {
        return Err(BundleError::KeyNotOfCode {
            key: format!("{} for {}", key.kernel, key.level),
            code: format!("{} for {}", code.kernel, code.level),
        });
    }
    let bytes = code.bytes.len() as u64;
    if bytes == 0 || bytes > MAX_CODE_BYTES {
        return Err(BundleError::CodeSize {
            kernel: key.kernel.clone(),
            found: bytes,
            limit: MAX_CODE_BYTES,
        });
    }
    if code.entry >= code.bytes.len() {
        return Err(BundleError::EntryOutside {
            kernel: key.kernel.clone(),
            entry: code.entry as u64,
            bytes,
        });
    }
    Ok(())
}

fn digest(key: &CodeKey, class: &str, code: &CodeImage, place: Place<'_>) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"tdse-code-entry/1\0");
    hash.update(place.binding);
    hash.update((place.index as u64).to_le_bytes());
    hash.update(key.digest());
    hash.update((code.entry as u64).to_le_bytes());
    add_field(&mut hash, class.as_bytes());
    add_field(&mut hash, &code.bytes);
    hash.finalize().into()
}
