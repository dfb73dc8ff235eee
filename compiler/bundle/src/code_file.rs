//! The frame of every file of code: what bundles and cached code have in common.
//!
//! ```text
//! magic 8 | version u32 | header length u32 | header | 0.. | code | 0.. | code | SHA-256 of all before
//! ```
//!
//! Each piece of code starts at a multiple of 64 bytes of the file. Its place is not written anywhere, it follows from
//! the lengths: two pieces cannot overlap, and no offset can disagree.
//!
//! Invariants: the digest is checked before the header is looked at; a length is compared with the
//! bytes at hand before it is used; bytes that no piece covers are zero. Cost: one hash of the file.

use sha2::{Digest, Sha256};

use crate::bundle_error::BundleError;

/// Version of the format, of both kinds of files.
pub(crate) const VERSION: u32 = 1;
/// Most bytes of a file: 256 MiB.
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 20;
/// Most bytes of a header: 4 MiB.
pub(crate) const MAX_HEADER_BYTES: u64 = 4 << 20;
/// Most bytes of one piece of code: 16 MiB.
pub(crate) const MAX_CODE_BYTES: u64 = 16 << 20;

/// Where code starts, in the file and in memory: a cache line.
pub(crate) const CODE_ALIGN: usize = 64;

const MAGIC_BYTES: usize = 8;
const PREFIX_BYTES: usize = MAGIC_BYTES + 4 + 4;
const DIGEST_BYTES: usize = 32;

/// The first bytes of a kind of file.
pub(crate) type Magic = &'static [u8; MAGIC_BYTES];

/// The bytes of a file.
pub(crate) fn seal<'a>(
    magic: Magic,
    header: &[u8],
    codes: impl Iterator<Item = &'a [u8]> + Clone,
) -> Result<Vec<u8>, BundleError> {
    let header_bytes = header.len() as u64;
    let too_large = BundleError::HeaderTooLarge {
        found: header_bytes,
        limit: MAX_HEADER_BYTES,
    };
    if header_bytes > MAX_HEADER_BYTES {
        return Err(too_large);
    }
    let header_length = u32::try_from(header.len()).map_err(|_| too_large)?;
    let end = codes
        .clone()
        .fold(PREFIX_BYTES as u64 + header_bytes, |at, code| {
            at.next_multiple_of(CODE_ALIGN as u64)
                .saturating_add(code.len() as u64)
        });
    check_file_bytes(end.saturating_add(DIGEST_BYTES as u64))?;
    let mut bytes = Vec::new();
    bytes.extend_from_slice(magic);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&header_length.to_le_bytes());
    bytes.extend_from_slice(header);
    for code in codes {
        bytes.resize(bytes.len().next_multiple_of(CODE_ALIGN), 0);
        bytes.extend_from_slice(code);
    }
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    Ok(bytes)
}

/// Header and code of a file whose digest is right.
pub(crate) fn open<'a>(
    magic: Magic,
    expected: &'static str,
    bytes: &'a [u8],
) -> Result<(&'a [u8], CodeSection<'a>), BundleError> {
    check_file_bytes(bytes.len() as u64)?;
    let cut_off = |wanted: usize| BundleError::CutOff {
        wanted: wanted as u64,
        found: bytes.len() as u64,
    };
    let known = bytes.len().min(MAGIC_BYTES);
    if bytes[..known] != magic[..known] {
        return Err(BundleError::NotABundle { expected });
    }
    let (checked, digest) = bytes
        .split_last_chunk::<DIGEST_BYTES>()
        .filter(|(checked, _)| checked.len() >= PREFIX_BYTES)
        .ok_or_else(|| cut_off(PREFIX_BYTES + DIGEST_BYTES))?;
    let version = u32_at(checked, MAGIC_BYTES);
    if version != VERSION {
        return Err(BundleError::UnknownVersion {
            found: version,
            known: VERSION,
        });
    }
    let header_bytes = u32_at(checked, MAGIC_BYTES + 4);
    if u64::from(header_bytes) > MAX_HEADER_BYTES {
        return Err(BundleError::HeaderTooLarge {
            found: header_bytes.into(),
            limit: MAX_HEADER_BYTES,
        });
    }
    if Sha256::digest(checked).as_slice() != digest {
        return Err(BundleError::DigestMismatch);
    }
    let header_end = PREFIX_BYTES + header_bytes as usize;
    let header = checked
        .get(PREFIX_BYTES..header_end)
        .ok_or_else(|| cut_off(header_end + DIGEST_BYTES))?;
    let section = CodeSection {
        bytes: checked,
        at: header_end,
    };
    Ok((header, section))
}

/// What follows the header, taken piece by piece.
pub(crate) struct CodeSection<'a> {
    /// The file without its digest.
    bytes: &'a [u8],
    /// First byte that was not taken.
    at: usize,
}

impl<'a> CodeSection<'a> {
    /// The next piece of code, of `length` bytes.
    pub(crate) fn take(&mut self, kernel: &str, length: u64) -> Result<&'a [u8], BundleError> {
        if length == 0 || length > MAX_CODE_BYTES {
            return Err(BundleError::CodeSize {
                kernel: kernel.to_owned(),
                found: length,
                limit: MAX_CODE_BYTES,
            });
        }
        // Neither sum wraps: a file has at most 256 MiB, a piece at most 16.
        let start = self.at.next_multiple_of(CODE_ALIGN);
        let end = start + length as usize;
        let (Some(gap), Some(code)) = (self.bytes.get(self.at..start), self.bytes.get(start..end))
        else {
            return Err(BundleError::CutOff {
                wanted: (end + DIGEST_BYTES) as u64,
                found: (self.bytes.len() + DIGEST_BYTES) as u64,
            });
        };
        if gap.iter().any(|&byte| byte != 0) {
            return Err(BundleError::GapNotZero {
                kernel: kernel.to_owned(),
            });
        }
        self.at = end;
        Ok(code)
    }

    /// After the last piece.
    pub(crate) fn finish(self) -> Result<(), BundleError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            found => Err(BundleError::TrailingBytes {
                found: found as u64,
            }),
        }
    }
}

/// The limit of a file's size.
pub(crate) fn check_file_bytes(found: u64) -> Result<(), BundleError> {
    if found > MAX_FILE_BYTES {
        return Err(BundleError::FileTooLarge {
            found,
            limit: MAX_FILE_BYTES,
        });
    }
    Ok(())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .map_or(u32::MAX, |word| u32::from_le_bytes(*word))
}
