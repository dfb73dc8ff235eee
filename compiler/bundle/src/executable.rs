//! The typed call: everything a kernel relies on is checked before it runs.
//!
//! A kernel trusts its slots: extents, alignment, index ranges, no overlap. [`Executable::run`]
//! checks the first three; Rust's borrows give the last, since a buffer that is written is an
//! exclusive borrow. Buffers that are only read may overlap one another.
//!
//! Cost: a few compares an argument. Nothing is allocated unless the call is refused, and no
//! system call is made.

use std::fmt;
use std::mem::MaybeUninit;
use std::sync::Arc;

use tdse_backend::{EntryPoint, Slot};
use tdse_kir::{Access, Buffer, Elem, Param, Verified};

use crate::call_error::CallError;

/// The most parameters a call passes; the slots live on the stack.
pub const MAX_PARAMS: usize = 32;

/// An argument of a call.
#[derive(Debug)]
pub enum Arg<'a> {
    /// A buffer of `f64` to read.
    F64(&'a [f64]),
    /// A buffer of `f64` to write, or to read.
    F64Mut(&'a mut [f64]),
    /// A buffer of `f32` to read.
    F32(&'a [f32]),
    /// A buffer of `f32` to write, or to read.
    F32Mut(&'a mut [f32]),
    /// An index.
    Index(i64),
}

/// A kernel together with its signature. Cheap to clone.
#[derive(Clone)]
pub struct Executable {
    entry: Arc<dyn EntryPoint>,
    checks: Arc<[Check]>,
    params: Arc<[Param]>,
    vars: Arc<[String]>,
    name: Arc<str>,
}

impl Executable {
    /// Joins a kernel and what was made of it.
    ///
    /// # Safety
    /// `entry` was lowered from this very `kernel` by a backend that keeps its meaning: the checks
    /// of [`Executable::run`] are those of the kernel's parameters.
    pub unsafe fn new(kernel: &Verified, entry: Arc<dyn EntryPoint>) -> Self {
        Executable {
            entry,
            checks: kernel.params.iter().map(Check::of).collect(),
            params: kernel.params.clone().into(),
            vars: kernel.vars.clone().into(),
            name: kernel.name.as_str().into(),
        }
    }

    /// Name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs the kernel, or says why the arguments do not fit; then nothing has run.
    pub fn run(&self, args: &mut [Arg<'_>]) -> Result<(), CallError> {
        let mut slots = [const { MaybeUninit::<Slot>::uninit() }; MAX_PARAMS];
        if args.len() != self.checks.len() || args.len() > MAX_PARAMS {
            return Err(self.refusal(args));
        }
        for ((check, arg), slot) in self.checks.iter().zip(args.iter_mut()).zip(&mut slots) {
            match check.pass(arg) {
                Some(passed) => slot.write(passed),
                None => return Err(self.refusal(args)),
            };
        }
        // SAFETY: one slot per parameter was written, in order, each checked against its
        // declaration; buffers that are written are exclusive borrows and overlap nothing.
        unsafe { self.entry.call(slots.as_ptr().cast()) };
        Ok(())
    }

    /// Why the arguments do not pass. Apart from the checks, so that these stay a few compares.
    #[cold]
    fn refusal(&self, args: &[Arg<'_>]) -> CallError {
        if args.len() != self.params.len() {
            return CallError::Count {
                expected: self.params.len(),
                found: args.len(),
            };
        }
        let mut pairs = self.params.iter().zip(args).enumerate();
        let refused = pairs.find_map(|(index, (param, arg))| self.refused(index, param, arg));
        refused.unwrap_or(CallError::TooManyParameters {
            found: args.len(),
            limit: MAX_PARAMS,
        })
    }

    fn refused(&self, index: usize, param: &Param, arg: &Arg<'_>) -> Option<CallError> {
        let (var, lo, hi) = match param {
            Param::Buffer(buffer) => return refused_buffer(index, buffer, arg),
            &Param::Index { var, lo, hi } => (var, lo, hi),
        };
        let name = self.vars.get(var.0 as usize).cloned().unwrap_or_default();
        match *arg {
            Arg::Index(value) if (lo..=hi).contains(&value) => None,
            Arg::Index(found) => Some(CallError::Range {
                index,
                name,
                lo,
                hi,
                found,
            }),
            _ => Some(CallError::Type {
                index,
                name,
                expected: "an index",
                found: kind(arg),
            }),
        }
    }
}

/// What an argument has to be, without names.
#[derive(Debug, Clone, Copy)]
enum Check {
    F64(BufferCheck),
    F32(BufferCheck),
    Index { lo: i64, hi: i64 },
}

#[derive(Debug, Clone, Copy)]
struct BufferCheck {
    read_only: bool,
    extent: u64,
    /// Bits of an address that have to be zero.
    misaligned: usize,
}

impl Check {
    fn of(param: &Param) -> Self {
        match *param {
            Param::Index { lo, hi, .. } => Check::Index { lo, hi },
            Param::Buffer(ref buffer) => {
                let check = BufferCheck {
                    read_only: buffer.access == Access::ReadOnly,
                    extent: buffer.extent,
                    // The verifier admits powers of two only.
                    misaligned: (buffer.align as usize).wrapping_sub(1),
                };
                match buffer.elem {
                    Elem::F64 => Check::F64(check),
                    Elem::F32 => Check::F32(check),
                }
            }
        }
    }

    /// The slot of an argument that passes.
    #[inline]
    fn pass(&self, arg: &mut Arg<'_>) -> Option<Slot> {
        match (self, arg) {
            (Check::F64(check), Arg::F64(s)) => check.pass(s.as_ptr().cast_mut(), s.len(), false),
            (Check::F64(check), Arg::F64Mut(s)) => check.pass(s.as_mut_ptr(), s.len(), true),
            (Check::F32(check), Arg::F32(s)) => check.pass(s.as_ptr().cast_mut(), s.len(), false),
            (Check::F32(check), Arg::F32Mut(s)) => check.pass(s.as_mut_ptr(), s.len(), true),
            (Check::Index { lo, hi }, Arg::Index(value)) => (*lo..=*hi)
                .contains(value)
                .then_some(Slot { index: *value }),
            _ => None,
        }
    }
}

impl BufferCheck {
    #[inline]
    fn pass<T>(&self, start: *mut T, len: usize, writable: bool) -> Option<Slot> {
        let fits = (writable || self.read_only)
            && len as u64 >= self.extent
            && start.addr() & self.misaligned == 0;
        fits.then_some(Slot {
            pointer: start.cast(),
        })
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executable")
            .field("name", &self.name)
            .field("params", &self.params)
            .finish()
    }
}

fn refused_buffer(index: usize, buffer: &Buffer, arg: &Arg<'_>) -> Option<CallError> {
    let read_only = buffer.access == Access::ReadOnly;
    let (address, len) = match (buffer.elem, arg) {
        (Elem::F64, Arg::F64Mut(s)) => (s.as_ptr().addr(), s.len()),
        (Elem::F32, Arg::F32Mut(s)) => (s.as_ptr().addr(), s.len()),
        (Elem::F64, Arg::F64(s)) if read_only => (s.as_ptr().addr(), s.len()),
        (Elem::F32, Arg::F32(s)) if read_only => (s.as_ptr().addr(), s.len()),
        (_, arg) => {
            let expected = match (buffer.elem, read_only) {
                (Elem::F64, true) => "a buffer of f64",
                (Elem::F64, false) => "a writable buffer of f64",
                (Elem::F32, true) => "a buffer of f32",
                (Elem::F32, false) => "a writable buffer of f32",
            };
            return Some(CallError::Type {
                index,
                name: buffer.name.clone(),
                expected,
                found: kind(arg),
            });
        }
    };
    if (len as u64) < buffer.extent {
        return Some(CallError::Length {
            index,
            name: buffer.name.clone(),
            expected: buffer.extent,
            found: len as u64,
        });
    }
    if address & (buffer.align as usize).wrapping_sub(1) != 0 {
        return Some(CallError::Alignment {
            index,
            name: buffer.name.clone(),
            align: buffer.align,
        });
    }
    None
}

fn kind(arg: &Arg<'_>) -> &'static str {
    match arg {
        Arg::F64(_) => "a read-only buffer of f64",
        Arg::F64Mut(_) => "a buffer of f64",
        Arg::F32(_) => "a read-only buffer of f32",
        Arg::F32Mut(_) => "a buffer of f32",
        Arg::Index(_) => "an index",
    }
}
