//! Files of code: opened once and read once, published by writing aside and one rename.
//!
//! The bytes that are checked are the bytes that are used: a file is read into memory of the process and never mapped, so
//! nobody can change it between the check and the use. Whoever writes makes a new file in the same folder
//! and renames it: a reader finds the old file or the whole new one, also when the writer is killed.
//!
//! Invariants: what is not a regular file is refused without reading from it or waiting for it; a
//! folder is looked up once, and everything else is done relative to it.
//!
//! Cost of publishing: one flush to the device, a few milliseconds on a disk. A killed writer leaves its
//! `.tdse-*.part` beside the file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::bundle_error::BundleError;

/// Reads the regular file at `path`, at most `limit` bytes; a symbolic link is followed.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, BundleError> {
    let refused = |errno: Errno| BundleError::NotReadable {
        path: path.display().to_string(),
        reason: sentence(errno),
    };
    let (file, stat) = open_to_read(CWD, path, OFlags::empty()).map_err(refused)?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    if kind != FileType::RegularFile {
        return Err(BundleError::NotRegular {
            path: path.display().to_string(),
            found: kind_name(kind),
        });
    }
    let claimed = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
    let bytes = if claimed > limit {
        None
    } else {
        read_open(file, claimed, limit).map_err(|error| BundleError::NotReadable {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?
    };
    bytes.ok_or(BundleError::FileTooLarge {
        found: claimed.max(limit + 1),
        limit,
    })
}

/// Makes `bytes` the file at `path`.
pub(crate) fn publish(path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    let refused = |errno: Errno| BundleError::NotWritable {
        path: path.display().to_string(),
        reason: sentence(errno),
    };
    let name = path.file_name().ok_or_else(|| refused(Errno::ISDIR))?;
    // A bare file name has the empty parent, which means the current folder.
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(folder, flags, Mode::empty()).map_err(refused)?;
    // A bundle is meant to be read by others; the umask still takes its share.
    publish_in(
        folder.as_fd(),
        Path::new(name),
        bytes,
        0o644,
        Durability::Flushed,
    )
    .map_err(refused)
}

/// Whether a file outlives a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// File and folder are flushed to the device.
    Flushed,
    /// The system writes when it likes; after a power failure the file may be empty or cut short.
    Lazy,
}

/// First characters of the name of a file that is being written.
pub(crate) const PART_PREFIX: &str = ".tdse-";
/// Last characters of such a name.
pub(crate) const PART_SUFFIX: &str = ".part";

/// Makes `bytes` the file `name` of the folder.
pub(crate) fn publish_in(
    folder: BorrowedFd<'_>,
    name: &Path,
    bytes: &[u8],
    mode: u32,
    durability: Durability,
) -> Result<(), Errno> {
    let (part, file) = create_part(folder, mode)?;
    let published = write_whole(file, bytes, durability)
        .and_then(|()| rustix::fs::renameat(folder, &part, folder, name));
    if published.is_err() {
        // The first error is the one to tell; a part that stays is swept up later or by hand.
        let _ = rustix::fs::unlinkat(folder, &part, AtFlags::empty());
    } else if durability == Durability::Flushed {
        // The file is there for everybody already; some file systems cannot flush a folder.
        let _ = rustix::fs::fsync(folder);
    }
    published
}

/// Opens for reading and never waits: a pipe without a writer opens too, and is refused by its kind.
pub(crate) fn open_to_read(
    folder: BorrowedFd<'_>,
    path: &Path,
    also: OFlags,
) -> Result<(OwnedFd, Stat), Errno> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | also;
    let file = rustix::fs::openat(folder, path, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    Ok((file, stat))
}

/// The whole of a regular file, `None` when it has more than `limit` bytes. `claimed`, at most `limit`, is
/// a hint: files of the system itself claim to be empty.
pub(crate) fn read_open(file: OwnedFd, claimed: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(usize::try_from(claimed).unwrap_or(0).saturating_add(1));
    // One byte past the limit shows that there is more without reading it all.
    File::from(file).take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// What a thing is that is not a regular file.
pub(crate) fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "of no known kind",
    }
}

/// The sentence of an error of the system.
pub(crate) fn sentence(errno: Errno) -> String {
    io::Error::from(errno).to_string()
}

/// A new, empty file under a name of its own.
fn create_part(folder: BorrowedFd<'_>, mode: u32) -> Result<(String, OwnedFd), Errno> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Other machines and containers may have the same process numbers, and killed writers leave
    // names behind: then the next number is taken.
    for _ in 0..1_000 {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let name = format!("{PART_PREFIX}{process}-{number}{PART_SUFFIX}");
        match rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(mode)) {
            Err(Errno::EXIST) => {}
            other => return other.map(|file| (name, file)),
        }
    }
    Err(Errno::EXIST)
}

fn write_whole(file: OwnedFd, bytes: &[u8], durability: Durability) -> Result<(), Errno> {
    let mut file = File::from(file);
    let written = file.write_all(bytes).and_then(|()| match durability {
        Durability::Flushed => file.sync_all(),
        Durability::Lazy => Ok(()),
    });
    written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}
