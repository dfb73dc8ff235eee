//! What a file is: its first bytes decide, and where they say nothing, the suffix.

use std::path::Path;

use crate::fault::ImportFault;
use crate::{PackError, looks_like_pack};

/// The first bytes of gzip data.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A pack itself.
    Pack,
    /// `.sNp`, `.ts`.
    Touchstone,
    /// Admittance matrix as a list of numbers, plain or gzip.
    Admittance,
    /// One NumPy array.
    Npy,
    /// A NumPy archive.
    Npz,
    /// RIFF WAVE.
    Wav,
}

impl Kind {
    /// The name in reports and messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Pack => "pack",
            Kind::Touchstone => "touchstone",
            Kind::Admittance => "admittance",
            Kind::Npy => "npy",
            Kind::Npz => "npz",
            Kind::Wav => "wav",
        }
    }

    fn of(bytes: &[u8], name: &str) -> Option<Kind> {
        if bytes.starts_with(GZIP) {
            // Only the admittance reader takes compressed text.
            let inner = by_suffix(without_gz(name));
            return inner.filter(|kind| *kind == Kind::Admittance);
        }
        let touchstone = looks_like_touchstone(bytes).then_some(Kind::Touchstone);
        by_content(bytes)
            .or_else(|| match by_suffix(name) {
                // Mailed and archived Touchstone files are often called .txt; no admittance table begins so.
                Some(Kind::Admittance) => touchstone.or(Some(Kind::Admittance)),
                kind => kind,
            })
            .or(touchstone)
    }
}

/// A file's bytes, its kind and its name.
pub(super) struct Source<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
}

impl<'a> Source<'a> {
    /// Finds the kind.
    pub(super) fn of(bytes: &'a [u8], name: &'a str) -> Result<Source<'a>, PackError> {
        let kind = Kind::of(bytes, name).ok_or_else(|| ImportFault::UnknownFormat {
            name: name.to_owned(),
        })?;
        Ok(Source { kind, name, bytes })
    }
}

/// The last part of a path as text.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn by_content(bytes: &[u8]) -> Option<Kind> {
    if looks_like_pack(bytes) {
        return Some(Kind::Pack);
    }
    let zip = [b"PK\x03\x04", b"PK\x05\x06"];
    match bytes {
        _ if bytes.starts_with(b"\x93NUMPY") => Some(Kind::Npy),
        _ if zip.iter().any(|magic| bytes.starts_with(*magic)) => Some(Kind::Npz),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'A',
            b'V',
            b'E',
            ..,
        ] => Some(Kind::Wav),
        _ => None,
    }
}

fn by_suffix(name: &str) -> Option<Kind> {
    let (_, suffix) = name.rsplit_once('.')?;
    let suffix = suffix.to_ascii_lowercase();
    match suffix.as_str() {
        "ts" => Some(Kind::Touchstone),
        "txt" => Some(Kind::Admittance),
        "npy" => Some(Kind::Npy),
        "npz" => Some(Kind::Npz),
        "wav" => Some(Kind::Wav),
        _ => {
            let ports = suffix.strip_prefix('s')?.strip_suffix('p')?;
            let number = !ports.is_empty() && ports.bytes().all(|byte| byte.is_ascii_digit());
            number.then_some(Kind::Touchstone)
        }
    }
}

/// Whether the first line that is not blank is a comment, an option line or a keyword.
fn looks_like_touchstone(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'!' | b'#' | b'['))
}

fn without_gz(name: &str) -> &str {
    let cut = name.len().saturating_sub(3);
    match name.get(cut..) {
        Some(suffix) if suffix.eq_ignore_ascii_case(".gz") => &name[..cut],
        _ => name,
    }
}
