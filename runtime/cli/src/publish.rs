//! Writing an output file: aside first, then one rename, so that a reader sees the old file or
//! the whole new one.
//!
//! A destination that exists and is no regular file (`/dev/null`, a pipe) is written in place:
//! a rename would replace the device. A symbolic link stays, and what it points at is replaced. A
//! kill in the middle of a write can leave `.NAME.PID.tmp` behind, and never half an output.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::fault::Fault;

/// Writes `bytes` to `path`.
pub(crate) fn publish(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    write(path, bytes).map_err(|error| Fault::Write {
        path: path.to_owned(),
        error,
    })
}

/// Makes `folder` and its parents.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(folder).map_err(|error| Fault::Write {
        path: folder.to_owned(),
        error,
    })
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return std::fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .write_all(bytes);
    }
    let behind_links = path.canonicalize();
    let path = behind_links.as_deref().unwrap_or(path);
    let aside = aside(path)?;
    let written = std::fs::write(&aside, bytes).and_then(|()| std::fs::rename(&aside, path));
    if written.is_err() {
        // The first error is the one to report; a file left behind is only untidy.
        let _ = std::fs::remove_file(&aside);
    }
    written
}

fn aside(path: &Path) -> std::io::Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it names no file",
        ));
    };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}
