//! Files: read once into owned memory, published by writing aside and one rename.
//!
//! The bytes that are checked are the bytes that are used: a file is read once, bounded by
//! [`MAX_FILE_BYTES`] whatever its claimed length is, and never mapped, so nobody can change it
//! between the check and the use.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use crate::fault::FileFault;
use crate::{MAX_FILE_BYTES, PackError};

/// Reads a whole file, at most [`MAX_FILE_BYTES`].
pub(crate) fn read_once(path: &Path) -> Result<Vec<u8>, PackError> {
    let refused = |error: std::io::Error| FileFault::Read {
        path: path.display().to_string(),
        reason: error.to_string(),
    };
    let too_large = FileFault::TooLarge {
        path: path.display().to_string(),
        limit: MAX_FILE_BYTES,
    };
    let file = File::open(path).map_err(refused)?;
    // The length is a hint: it spares the reading of what will be refused, and a pipe has none.
    if file.metadata().map_err(refused)?.len() > MAX_FILE_BYTES {
        return Err(too_large.into());
    }
    let mut bytes = Vec::new();
    // One byte past the limit shows that there is more without reading it all.
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(refused)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large.into());
    }
    Ok(bytes)
}

/// Writes a temporary file in the folder of `path`, then renames it over `path`.
pub(crate) fn write_aside(path: &Path, bytes: &[u8]) -> Result<(), PackError> {
    publish(path, bytes).map_err(|error| {
        FileFault::Write {
            path: path.display().to_string(),
            reason: error.to_string(),
        }
        .into()
    })
}

fn publish(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A bare file name has the empty parent, which means the current folder.
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tdse-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are private by default; a pack is meant to be read by others, and the
        // umask still takes its share.
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    let mut aside = builder.tempfile_in(folder)?;
    aside.write_all(bytes)?;
    aside.as_file().sync_all()?;
    aside.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}
