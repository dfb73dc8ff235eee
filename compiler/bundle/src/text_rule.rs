//! What texts in a file of code may be: shown to people and compared, so bounded and printable.

use tdse_isa::Level;
use tdse_kir::{Contraction, Elem};

use crate::bundle_error::BundleError;
use crate::digest_text;

/// Most bytes of a text that has no limit of its own.
pub(crate) const MAX_TEXT: usize = 512;

/// 1 to `limit` printable ASCII characters: nothing that a terminal would act on or reorder.
pub(crate) fn check(field: &'static str, text: &str, limit: usize) -> Result<(), BundleError> {
    let reason = if text.is_empty() {
        "empty"
    } else if text.len() > limit {
        "too long"
    } else if !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        "not printable"
    } else {
        return Ok(());
    };
    Err(BundleError::BadText {
        field,
        reason,
        limit,
    })
}

/// A digest out of its text.
pub(crate) fn digest(field: &'static str, text: &str) -> Result<[u8; 32], BundleError> {
    digest_text::parse(text).ok_or_else(|| bad(field, text, "64 lower-case hexadecimal digits"))
}

/// A level out of its name.
pub(crate) fn level(text: &str) -> Result<Level, BundleError> {
    text.parse()
        .map_err(|_| bad("level", text, "the name of a level"))
}

/// An element type out of its name.
pub(crate) fn elem(text: &str) -> Result<Elem, BundleError> {
    [Elem::F32, Elem::F64]
        .into_iter()
        .find(|elem| elem.name() == text)
        .ok_or_else(|| bad("elem", text, "f32 or f64"))
}

/// How products are rounded, by name.
pub(crate) fn contraction(text: &str) -> Result<Contraction, BundleError> {
    [Contraction::Fma, Contraction::Separate]
        .into_iter()
        .find(|&contraction| contraction.name() == text)
        .ok_or_else(|| bad("contraction", text, "fma or separate"))
}

fn bad(field: &'static str, found: &str, expected: &'static str) -> BundleError {
    BundleError::BadValue {
        field,
        // Shown to people, and out of a file of strangers.
        found: found
            .chars()
            .take(80)
            .flat_map(char::escape_debug)
            .collect(),
        expected,
    }
}
