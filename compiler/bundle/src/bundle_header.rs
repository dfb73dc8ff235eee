//! A bundle's header as JSON, and the two ways between a bundle and its bytes.
//!
//! Every object of the header is a struct whose fields are all known, so that serde refuses a name that stands twice and one that
//! is unknown, at any depth. What was parsed is then written again and must give the same bytes: one
//! bundle has one spelling, and whatever a lenient parser lets pass is refused after all.

use serde::{Deserialize, Serialize};

use crate::bundle::{Bundle, BundleEntry, BundleRoute, MAX_ENTRIES};
use crate::bundle_error::BundleError;
use crate::code_file::{self, Magic};
use crate::entry_header::{EntryHeader, Place};
use crate::text_rule;

const MAGIC: Magic = b"TDSEBNDL";
const MAGIC_TEXT: &str = "TDSEBNDL";

/// Fields in the order in which they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    pack_sha256: String,
    shape: [u64; 3],
    elem: String,
    level: String,
    contraction: String,
    made_by: String,
    routes: Vec<BundleRoute>,
    entries: Vec<EntryHeader>,
}

/// The bytes of a bundle whose fields were checked against each other.
pub(crate) fn encode(bundle: &Bundle) -> Result<Vec<u8>, BundleError> {
    let binding = &bundle.binding();
    let mut entries = Vec::with_capacity(bundle.entries.len());
    for (index, BundleEntry { key, class, code }) in bundle.entries.iter().enumerate() {
        let place = Place { binding, index };
        entries.push(EntryHeader::of(key, class, code, place)?);
    }
    let header = Header {
        pack_sha256: bundle.pack_sha256_hex(),
        shape: bundle.shape,
        elem: bundle.elem.name().to_owned(),
        level: bundle.level.to_string(),
        contraction: bundle.contraction.name().to_owned(),
        made_by: bundle.made_by.clone(),
        routes: bundle.routes.clone(),
        entries,
    };
    let codes = bundle.entries.iter().map(|e| e.code.bytes.as_slice());
    code_file::seal(MAGIC, &json(&header)?, codes)
}

/// The bundle in `bytes`; its fields are not yet checked against each other.
pub(crate) fn decode(bytes: &[u8]) -> Result<Bundle, BundleError> {
    let (text, mut section) = code_file::open(MAGIC, MAGIC_TEXT, bytes)?;
    let header: Header = canonical(text)?;
    if header.entries.len() > MAX_ENTRIES {
        return Err(BundleError::TooMany {
            what: "pieces of code",
            found: header.entries.len(),
            limit: MAX_ENTRIES,
        });
    }
    let mut bundle = Bundle {
        pack_sha256: text_rule::digest("pack_sha256", &header.pack_sha256)?,
        shape: header.shape,
        elem: text_rule::elem(&header.elem)?,
        level: text_rule::level(&header.level)?,
        contraction: text_rule::contraction(&header.contraction)?,
        made_by: header.made_by,
        routes: header.routes,
        entries: Vec::new(),
    };
    bundle.check_target()?;
    let binding = &bundle.binding();
    for (index, entry) in header.entries.into_iter().enumerate() {
        let (key, class, code) = entry.take(&mut section, Place { binding, index })?;
        bundle.entries.push(BundleEntry { key, class, code });
    }
    section.finish()?;
    Ok(bundle)
}

/// A header out of its text, which must be the text that [`json`] gives for it.
pub(crate) fn canonical<T: Serialize + for<'de> Deserialize<'de>>(
    text: &[u8],
) -> Result<T, BundleError> {
    let header: T = serde_json::from_slice(text).map_err(bad_header)?;
    if json(&header)? != text {
        return Err(BundleError::HeaderNotCanonical);
    }
    Ok(header)
}

/// The one spelling of a header.
pub(crate) fn json(header: &impl Serialize) -> Result<Vec<u8>, BundleError> {
    serde_json::to_vec(header).map_err(bad_header)
}

fn bad_header(error: serde_json::Error) -> BundleError {
    // The message may quote the file: printable, and not longer than a line or two.
    let text = error.to_string();
    let reason = text.chars().take(200).flat_map(char::escape_debug);
    BundleError::BadHeader {
        reason: reason.collect(),
    }
}
