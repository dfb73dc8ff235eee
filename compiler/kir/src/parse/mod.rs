//! Reads the text form.

use crate::error::KirError;
use crate::ir::Kernel;

/// Reads the one kernel of a text.
pub fn parse(text: &str) -> Result<Kernel, KirError> {
    Err(KirError::TextLimit {
        line: 1,
        column: 1,
        what: "the text",
        limit: text.len() as u64,
    })
}

/// Reads every kernel of a text.
pub fn parse_all(text: &str) -> Result<Vec<Kernel>, KirError> {
    parse(text).map(|k| vec![k])
}
