//! Memory that holds code: written first, executable afterwards, never both at once.
//!
//! Hardened systems refuse memory that is, or ever was, writable and executable. Two ways remain,
//! and which of them a process may use is found by trying ([`crate::Loader::probe`]):
//!
//! ```text
//! mprotect   anonymous RW pages -> copy -> RX          one mapping, its rights change
//! memfd      anonymous file -> write -> seal -> RX     no writable mapping exists at any time
//! ```
//!
//! Invariants: a page is RW or RX; a sealed file can be neither written nor resized by anyone; a
//! failure on the way leaves nothing mapped; dropping the last owner unmaps. Code that is loaded together
//! shares one mapping, so that many small kernels cost few pages and few calls. The cost is three system
//! calls and one page fault for `mprotect`, seven for `memfd`; both round up to whole pages.

use std::ffi::c_void;
use std::fmt;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};
use tdse_backend::{CodeImage, EntryPoint, Slot};
use tdse_isa::Level;

use crate::code_file::CODE_ALIGN;
use crate::load_refusal::MapRefusal;

/// How code becomes executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MapMethod {
    /// Anonymous pages, written, then turned from RW to RX.
    Mprotect,
    /// An anonymous file, written, sealed, then mapped RX.
    Memfd,
}

impl fmt::Display for MapMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MapMethod::Mprotect => "mprotect",
            MapMethod::Memfd => "memfd",
        })
    }
}

/// Code in executable memory. The memory is unmapped when the last code in it is dropped.
#[derive(Debug)]
pub struct LoadedCode {
    memory: Arc<ExecutableMemory>,
    /// Where the code lies in the mapping.
    place: Range<usize>,
    /// Offset of the entry in the mapping.
    entry: usize,
    kernel: String,
    level: Level,
    method: MapMethod,
}

impl LoadedCode {
    /// Maps images whose entries the caller has checked to lie within their bytes: one mapping for
    /// all, each at a multiple of 64 bytes.
    pub(crate) fn map(images: &[&CodeImage], method: MapMethod) -> Result<Vec<Self>, MapRefusal> {
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(images.len());
        for image in images {
            bytes.resize(bytes.len().next_multiple_of(CODE_ALIGN), BETWEEN_CODE);
            let start = bytes.len();
            bytes.extend_from_slice(&image.bytes);
            places.push(start..bytes.len());
        }
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        let memory = Arc::new(ExecutableMemory::map(&bytes, method)?);
        let load = |(image, place): (&&CodeImage, Range<usize>)| LoadedCode {
            memory: Arc::clone(&memory),
            entry: place.start + image.entry,
            place,
            kernel: image.kernel.clone(),
            level: image.level,
            method,
        };
        Ok(images.iter().zip(places).map(load).collect())
    }

    /// Name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Level the code was compiled for.
    pub fn level(&self) -> Level {
        self.level
    }

    /// How the memory was made executable.
    pub fn method(&self) -> MapMethod {
        self.method
    }

    /// Addresses of the code, as long as it is loaded.
    pub fn addresses(&self) -> Range<usize> {
        let start = self.memory.start.as_ptr().addr();
        start + self.place.start..start + self.place.end
    }
}

impl EntryPoint for LoadedCode {
    unsafe fn call(&self, slots: *const Slot) {
        // SAFETY: the loader checked that the entry lies in its image, which lies in the mapping. The bytes there are
        // code of a backend for a level proven on this machine, with the C calling convention and
        // one pointer argument; the caller vouches for the slots.
        unsafe {
            let entry = self.memory.start.as_ptr().cast::<u8>().add(self.entry);
            let function = std::mem::transmute::<*mut u8, unsafe extern "C" fn(*const Slot)>(entry);
            function(slots);
        }
    }
}

/// Fills the gaps between two pieces of code: a trap, should a kernel ever run past its end.
const BETWEEN_CODE: u8 = if cfg!(target_arch = "x86_64") {
    0xcc
} else {
    0
};

/// An RX mapping, owned.
#[derive(Debug)]
pub(crate) struct ExecutableMemory {
    start: NonNull<c_void>,
    len: usize,
}

// SAFETY: the mapping is immutable once it exists, and is unmapped by its one owner.
unsafe impl Send for ExecutableMemory {}
// SAFETY: as above; shared access only reads and executes.
unsafe impl Sync for ExecutableMemory {}

impl ExecutableMemory {
    /// Maps a copy of `code`, which is not empty.
    pub(crate) fn map(code: &[u8], method: MapMethod) -> Result<Self, MapRefusal> {
        let memory = match method {
            MapMethod::Mprotect => Self::by_mprotect(code)?,
            MapMethod::Memfd => Self::by_memfd(code)?,
        };
        synchronise_instructions(memory.start.as_ptr().cast(), code.len());
        Ok(memory)
    }

    fn by_mprotect(code: &[u8]) -> Result<Self, MapRefusal> {
        let len = page_rounded(code.len())?;
        // SAFETY: a new private mapping at an address of the kernel's choice replaces nothing.
        let start = unsafe {
            rustix::mm::mmap_anonymous(
                ptr::null_mut(),
                len,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        };
        let memory = Self::owning(start, len, "mmap of writable memory")?;
        // SAFETY: the mapping is writable, at least as long as `code`, and nobody else knows it.
        unsafe {
            ptr::copy_nonoverlapping(code.as_ptr(), memory.start.as_ptr().cast(), code.len())
        };
        let flags = MprotectFlags::READ | MprotectFlags::EXEC;
        // SAFETY: the range is exactly the mapping just made; no reference into it exists.
        unsafe { rustix::mm::mprotect(memory.start.as_ptr(), len, flags) }
            .map_err(|e| refusal("mprotect from writable to executable", e))?;
        Ok(memory)
    }

    fn by_memfd(code: &[u8]) -> Result<Self, MapRefusal> {
        let len = page_rounded(code.len())?;
        let file = sealable_file().map_err(|e| refusal("memfd_create", e))?;
        let mut rest = code;
        while !rest.is_empty() {
            match rustix::io::write(&file, rest) {
                Ok(0) => return Err(refusal("write to the memfd", Errno::IO)),
                Ok(n) => rest = &rest[n..],
                Err(Errno::INTR) => {}
                Err(e) => return Err(refusal("write to the memfd", e)),
            }
        }
        let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&file, seals).map_err(|e| refusal("sealing the memfd", e))?;
        // SAFETY: as for the anonymous mapping; the seals keep the file from being written or cut
        // short, so the mapping never changes and never faults within `code.len()`.
        let start = unsafe {
            rustix::mm::mmap(
                ptr::null_mut(),
                len,
                ProtFlags::READ | ProtFlags::EXEC,
                MapFlags::PRIVATE,
                &file,
                0,
            )
        };
        Self::owning(start, len, "mmap of the sealed memfd as executable")
    }

    fn owning(
        start: Result<*mut c_void, Errno>,
        len: usize,
        step: &'static str,
    ) -> Result<Self, MapRefusal> {
        let start = start.map_err(|e| refusal(step, e))?;
        let start = NonNull::new(start).ok_or(refusal(step, Errno::NOMEM))?;
        Ok(ExecutableMemory { start, len })
    }
}

impl Drop for ExecutableMemory {
    fn drop(&mut self) {
        // SAFETY: the range is exactly the mapping this value owns, and no call runs in it: a call
        // borrows the owner. Unmapping a whole mapping of one's own does not fail.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr(), self.len) };
    }
}

/// A memfd that can be sealed. Where the kernel knows the flag, the file is also marked as not to
/// be executed by `execve`, which `vm.memfd_noexec` may demand and a mapping does not need.
fn sealable_file() -> Result<rustix::fd::OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    match rustix::fs::memfd_create("tdse-code", flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => rustix::fs::memfd_create("tdse-code", flags),
        other => other,
    }
}

fn page_rounded(len: usize) -> Result<usize, MapRefusal> {
    let page = rustix::param::page_size();
    len.max(1)
        .checked_next_multiple_of(page)
        .ok_or(refusal("rounding to pages", Errno::NOMEM))
}

fn refusal(step: &'static str, error: Errno) -> MapRefusal {
    MapRefusal {
        step,
        os_error: error.raw_os_error(),
    }
}

/// Makes new code visible to instruction fetch. x86 does so itself.
#[cfg(not(target_arch = "aarch64"))]
fn synchronise_instructions(_start: *const u8, _len: usize) {}

/// Makes new code visible to instruction fetch: data cache lines are cleaned to the point of
/// unification, then instruction cache lines are dropped. Steps of 16 bytes, the smallest line the
/// architecture permits, so that no system register need be read.
#[cfg(target_arch = "aarch64")]
fn synchronise_instructions(start: *const u8, len: usize) {
    use std::arch::asm;
    let start = start as usize & !15;
    let end = start + len + 16;
    // SAFETY: cache maintenance by address on memory of this process; it changes no data.
    unsafe {
        for line in (start..end).step_by(16) {
            asm!("dc cvau, {0}", in(reg) line, options(nostack, preserves_flags));
        }
        asm!("dsb ish", options(nostack, preserves_flags));
        for line in (start..end).step_by(16) {
            asm!("ic ivau, {0}", in(reg) line, options(nostack, preserves_flags));
        }
        asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}
