//! The file in which Linux profilers look up names of code that no library holds.
//!
//! `perf` reads `/tmp/perf-PID.map`: a line for each piece of code, `start size name`, numbers in
//! hexadecimal. The folder is everybody's and the name can be foreseen, so the file is neither
//! followed through a link nor appended to when it is not this user's regular file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::executable_memory::LoadedCode;
use crate::load_refusal::MapRefusal;

/// Appends a line for each piece of code.
pub(crate) fn append(codes: &[&LoadedCode]) -> Result<(), MapRefusal> {
    let mut lines = String::new();
    for code in codes {
        let place = code.addresses();
        let name = code.kernel().chars();
        let name: String = name.map(|c| if c.is_control() { '?' } else { c }).collect();
        // Printing to a string does not fail.
        let _ = writeln!(lines, "{:x} {:x} {name}", place.start, place.len());
    }
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, path, flags, Mode::from_raw_mode(0o644))
        .map_err(|errno| refusal("opening the map of names for perf", errno))?;
    let stat = rustix::fs::fstat(&file)
        .map_err(|errno| refusal("looking at the map of names for perf", errno))?;
    let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    if !regular || stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(refusal("taking the map of names for perf", Errno::PERM));
    }
    // One write, so that lines of several threads do not mix.
    File::from(file)
        .write_all(lines.as_bytes())
        .map_err(|error| {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            refusal("writing the map of names for perf", errno)
        })
}

fn refusal(step: &'static str, errno: Errno) -> MapRefusal {
    MapRefusal {
        step,
        os_error: errno.raw_os_error(),
    }
}
