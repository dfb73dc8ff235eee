//! The file of one piece of code in the cache: the frame of a bundle around a single entry.

use tdse_backend::CodeImage;

use crate::bundle_error::BundleError;
use crate::bundle_header;
use crate::code_file::{self, Magic};
use crate::code_key::CodeKey;
use crate::entry_header::{EntryHeader, Place};

const MAGIC: Magic = b"TDSECODE";
const MAGIC_TEXT: &str = "TDSECODE";

/// Code in the cache is bound to its key alone. No bundle has this binding: it would be a SHA-256 of zeros.
const NO_BUNDLE: Place<'_> = Place {
    binding: &[0; 32],
    index: 0,
};

/// Most bytes of such a file: the largest code, and room for its header.
pub(crate) const MAX_BYTES: u64 = code_file::MAX_CODE_BYTES + (1 << 16);

pub(crate) fn encode(key: &CodeKey, class: &str, code: &CodeImage) -> Result<Vec<u8>, BundleError> {
    let header = EntryHeader::of(key, class, code, NO_BUNDLE)?;
    let code = std::iter::once(code.bytes.as_slice());
    code_file::seal(MAGIC, &bundle_header::json(&header)?, code)
}

pub(crate) fn decode(bytes: &[u8]) -> Result<(CodeKey, CodeImage), BundleError> {
    let (text, mut section) = code_file::open(MAGIC, MAGIC_TEXT, bytes)?;
    let header: EntryHeader = bundle_header::canonical(text)?;
    let (key, _class, code) = header.take(&mut section, NO_BUNDLE)?;
    section.finish()?;
    Ok((key, code))
}
