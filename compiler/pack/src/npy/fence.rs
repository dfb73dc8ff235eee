//! What a `.npy` header must satisfy before a general parser may see it.
//!
//! npyz (0.9.1) allocates whatever header length the file claims (up to 4 GiB), multiplies the
//! axes without overflow checks, and parses the text recursively, so a few kilobytes of opening
//! brackets could exhaust the stack. The fence bounds all three and leaves the meaning to npyz:
//!
//! - the header is at most [`MAX_TEXT_BYTES`] and lies within the bytes;
//! - outside of quotes stand only brackets (at most [`MAX_DEPTH`] deep), digits, commas, colons,
//!   blanks, `True` and `False`; quoted text has no escapes;
//! - the product of all positive integers is at most [`crate::MAX_TAPS`].

use crate::fault::NpyFault;

/// The first six bytes of every `.npy` file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Bytes before the text in format version 1.0.
pub(crate) const PREFIX_V1: usize = 10;
/// Bytes before the text in format versions 2.0 and 3.0.
const PREFIX_V2: usize = 12;
/// Longest header text; NumPy itself refuses more than 10,000 by default.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Deepest nesting: a dictionary, a list of fields, a field, its shape.
const MAX_DEPTH: usize = 4;

/// Checks the header and gives the place where the data begin.
pub(crate) fn check_header(bytes: &[u8]) -> Result<usize, NpyFault> {
    let (text_at, length) = text_place(bytes)?;
    let found = (bytes.len() - text_at).min(MAX_TEXT_BYTES);
    if length > found {
        return Err(NpyFault::HeaderSize {
            wanted: length as u64,
            found: found as u64,
        });
    }
    let data_at = text_at + length;
    check_text(&bytes[text_at..data_at])?;
    Ok(data_at)
}

/// Where the header's text begins, and its length.
fn text_place(bytes: &[u8]) -> Result<(usize, usize), NpyFault> {
    if !bytes.starts_with(MAGIC) {
        return Err(NpyFault::NotNpy);
    }
    let prefix = match bytes.get(6) {
        Some(1) => PREFIX_V1,
        _ => PREFIX_V2,
    };
    let cut_off = NpyFault::HeaderSize {
        wanted: prefix as u64,
        found: bytes.len() as u64,
    };
    match bytes.get(..prefix) {
        Some([_, _, _, _, _, _, 1, 0, a, b]) => {
            Ok((prefix, usize::from(u16::from_le_bytes([*a, *b]))))
        }
        Some([_, _, _, _, _, _, 2 | 3, 0, a, b, c, d]) => Ok((
            prefix,
            usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX),
        )),
        Some([_, _, _, _, _, _, major, minor, ..]) => Err(bad(&format!(
            "format version {major}.{minor} is unknown; 1.0, 2.0 and 3.0 are read"
        ))),
        _ => Err(cut_off),
    }
}

fn check_text(text: &[u8]) -> Result<(), NpyFault> {
    let mut rest = text;
    let mut depth = 0usize;
    let mut integers = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\'' | b'"' => rest = after_quote(rest, byte)?,
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b',' | b':' | b' ' | b'\n' => {}
            b'T' => rest = rest.strip_prefix(b"rue").ok_or_else(|| unexpected(byte))?,
            b'F' => rest = rest.strip_prefix(b"alse").ok_or_else(|| unexpected(byte))?,
            b'0'..=b'9' => {
                let digits = rest.iter().take_while(|next| next.is_ascii_digit()).count();
                let mut value = u64::from(byte - b'0');
                for digit in &rest[..digits] {
                    value = value
                        .saturating_mul(10)
                        .saturating_add(u64::from(digit - b'0'));
                }
                integers.push(value);
                rest = &rest[digits..];
            }
            _ => return Err(unexpected(byte)),
        }
        if depth > MAX_DEPTH {
            return Err(bad("its brackets nest too deep"));
        }
    }
    let product = integers
        .iter()
        .filter(|&&value| value > 0)
        .fold(1u64, |product, &value| product.saturating_mul(value));
    if product > crate::MAX_TAPS as u64 {
        return Err(NpyFault::TooManyElements { shape: integers });
    }
    Ok(())
}

/// What follows the closing quote.
fn after_quote(rest: &[u8], quote: u8) -> Result<&[u8], NpyFault> {
    let end = rest.iter().position(|&byte| byte == quote || byte == b'\\');
    match end {
        Some(end) if rest[end] == quote => Ok(&rest[end + 1..]),
        Some(_) => Err(bad("quoted text holds an escape")),
        None => Err(bad("a quote is not closed")),
    }
}

fn unexpected(byte: u8) -> NpyFault {
    bad(&format!(
        "the character {:?} is not expected there",
        char::from(byte)
    ))
}

fn bad(reason: &str) -> NpyFault {
    NpyFault::BadHeader {
        reason: reason.to_owned(),
    }
}
