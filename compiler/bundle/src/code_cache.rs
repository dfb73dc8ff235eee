//! Code kept in a folder from one process to the next.
//!
//! ```text
//! FOLDER/<64 hexadecimal digits of the key's digest>     one file a piece of code
//! FOLDER/.tdse-<process>-<number>.part                   being written
//! ```
//!
//! Any doubt is a miss with its reason, and a miss costs one compilation. So there are no lock files and no
//! index: a file is written aside and renamed, whoever renames last wins, and a reader checks all of what it
//! read: the file's digest, the code's, and every field of the key.
//!
//! Invariants: a folder or a file that somebody else than this user and root could have written to is not used; no path is made
//! of a kernel's name; nothing waits, whatever stands in the folder.
//!
//! Cost: a hit reads and hashes one file twice; keeping writes one file without a flush to the device (what a
//! power failure cuts short is a miss) and lists the folder.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, OFlags, Stat};
use rustix::io::Errno;
use tdse_backend::CodeImage;

use crate::bundle_error::BundleError;
use crate::cache_miss::CacheMiss;
use crate::code_key::CodeKey;
use crate::regular_file::{self, Durability};
use crate::{cached_code, digest_text};

/// A folder of code, with a limit of its size.
#[derive(Debug, Clone)]
pub struct CodeCache {
    folder: PathBuf,
    limit_bytes: u64,
}

/// A part that no writer finished for so long is swept up.
const ABANDONED: Duration = Duration::from_secs(3600);

impl CodeCache {
    /// A cache in `folder`, which is made when something is kept. Nothing is looked at yet.
    pub fn new(folder: &Path, limit_bytes: u64) -> CodeCache {
        CodeCache {
            // Without a slash at the end, behind which a link would be followed.
            folder: folder.components().collect(),
            limit_bytes,
        }
    }

    /// The code stored under exactly this key, or why there is none.
    pub fn get(&self, key: &CodeKey) -> Result<CodeImage, CacheMiss> {
        let folder = self.open().map_err(|miss| match miss {
            Unopened::System(Errno::NOENT) => CacheMiss::Absent,
            Unopened::System(errno) => not_readable(&self.folder, regular_file::sentence(errno)),
            Unopened::NotTrusted(reason) => self.not_trusted(reason),
        })?;
        let name = digest_text::print(&key.digest());
        let bytes = self.read(folder.as_fd(), &name)?;
        let damaged = |fault| CacheMiss::Damaged {
            file: name.clone(),
            fault,
        };
        let (found, code) = cached_code::decode(&bytes).map_err(damaged)?;
        match key.difference(&found) {
            None => Ok(code),
            Some(difference) => Err(CacheMiss::OtherKey {
                file: name,
                difference,
            }),
        }
    }

    /// Keeps code under its key, in place of what is there, then removes the oldest files until the limit is met.
    pub fn put(&self, key: &CodeKey, class: &str, code: &CodeImage) -> Result<(), CacheMiss> {
        let bytes = cached_code::encode(key, class, code).map_err(CacheMiss::NotStorable)?;
        let size = bytes.len() as u64;
        if size > self.limit_bytes {
            return Err(CacheMiss::LargerThanCache {
                bytes: size,
                limit: self.limit_bytes,
            });
        }
        let mut private = fs::DirBuilder::new();
        private
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(|error| self.not_writable(error.to_string()))?;
        let folder = self.open().map_err(|miss| match miss {
            Unopened::System(errno) => self.not_writable(regular_file::sentence(errno)),
            Unopened::NotTrusted(reason) => self.not_trusted(reason),
        })?;
        let name = digest_text::print(&key.digest());
        let path = Path::new(&name);
        // Code is no secret: where the folder lets others in, they may read it.
        regular_file::publish_in(folder.as_fd(), path, &bytes, 0o644, Durability::Lazy)
            .map_err(|errno| self.not_writable(regular_file::sentence(errno)))?;
        self.trim(folder.as_fd(), &name)
            .map_err(|errno| CacheMiss::NotTrimmed {
                folder: self.folder.display().to_string(),
                reason: regular_file::sentence(errno),
            })
    }

    /// The folder, once and for all that follows: what is done later is done in the folder that was looked at.
    fn open(&self) -> Result<OwnedFd, Unopened> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let opened = regular_file::open_to_read(CWD, &self.folder, flags);
        let (folder, stat) = opened.map_err(|errno| match errno {
            Errno::LOOP | Errno::NOTDIR => Unopened::NotTrusted("a link or no folder"),
            errno => Unopened::System(errno),
        })?;
        writable_by_others(&stat).map_or(Ok(folder), |reason| Err(Unopened::NotTrusted(reason)))
    }

    fn read(&self, folder: BorrowedFd<'_>, name: &str) -> Result<Vec<u8>, CacheMiss> {
        let not_trusted = |reason| CacheMiss::FileNotTrusted {
            file: name.to_owned(),
            reason,
        };
        let opened = regular_file::open_to_read(folder, Path::new(name), OFlags::NOFOLLOW);
        let (file, stat) = opened.map_err(|errno| match errno {
            Errno::NOENT => CacheMiss::Absent,
            Errno::LOOP => not_trusted("a symbolic link"),
            errno => not_readable(&self.folder.join(name), regular_file::sentence(errno)),
        })?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Err(not_trusted(regular_file::kind_name(kind)));
        }
        if let Some(reason) = writable_by_others(&stat) {
            return Err(not_trusted(reason));
        }
        let limit = cached_code::MAX_BYTES;
        let claimed = size(&stat);
        let bytes = if claimed > limit {
            None
        } else {
            regular_file::read_open(file, claimed, limit)
                .map_err(|error| not_readable(&self.folder.join(name), error.to_string()))?
        };
        bytes.ok_or_else(|| CacheMiss::Damaged {
            file: name.to_owned(),
            fault: BundleError::FileTooLarge {
                found: claimed.max(limit + 1),
                limit,
            },
        })
    }

    /// Removes the oldest files until the rest fits, never the one just written, and parts that were
    /// abandoned. Other processes may do the same: a file that is gone already is as good.
    fn trim(&self, folder: BorrowedFd<'_>, just_written: &str) -> Result<(), Errno> {
        let now = SystemTime::now();
        let mut total = 0_u64;
        let mut kept = Vec::new();
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            let stored = digest_text::parse(name).is_some();
            let part = name.starts_with(regular_file::PART_PREFIX)
                && name.ends_with(regular_file::PART_SUFFIX);
            if !stored && !part {
                continue;
            }
            let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            // Folders and links are not the cache's, whatever their names.
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                continue;
            }
            let written = written_at(&stat);
            if stored {
                total = total.saturating_add(size(&stat));
                kept.push((written, name.to_owned(), size(&stat)));
            } else if now.duration_since(written).unwrap_or_default() > ABANDONED {
                remove(folder, name)?;
            }
        }
        kept.retain(|(_, name, _)| name != just_written);
        kept.sort_unstable();
        for (_, name, size) in kept {
            if total <= self.limit_bytes {
                break;
            }
            remove(folder, &name)?;
            total = total.saturating_sub(size);
        }
        Ok(())
    }

    fn not_trusted(&self, reason: &'static str) -> CacheMiss {
        CacheMiss::FolderNotTrusted {
            folder: self.folder.display().to_string(),
            reason,
        }
    }

    fn not_writable(&self, reason: String) -> CacheMiss {
        CacheMiss::NotWritable {
            folder: self.folder.display().to_string(),
            reason,
        }
    }
}

/// Why the folder was not opened.
enum Unopened {
    System(Errno),
    NotTrusted(&'static str),
}

fn not_readable(path: &Path, reason: String) -> CacheMiss {
    CacheMiss::NotReadable {
        path: path.display().to_string(),
        reason,
    }
}

/// Who else than this user and root could have put something there.
fn writable_by_others(stat: &Stat) -> Option<&'static str> {
    let own = rustix::process::geteuid();
    if stat.st_uid != own.as_raw() && stat.st_uid != rustix::process::Uid::ROOT.as_raw() {
        Some("another user's")
    } else if stat.st_mode & 0o022 != 0 {
        Some("writable by others")
    } else {
        None
    }
}

fn remove(folder: BorrowedFd<'_>, name: &str) -> Result<(), Errno> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(u64::MAX)
}

// The type of the nanoseconds differs from system to system.
#[allow(clippy::useless_conversion)]
fn written_at(stat: &Stat) -> SystemTime {
    let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or(0));
    let nanos = Duration::from_nanos(u64::try_from(stat.st_mtime_nsec).unwrap_or(0));
    SystemTime::UNIX_EPOCH
        .checked_add(seconds + nanos)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
