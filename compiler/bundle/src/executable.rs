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
        if args.len() != self.params.len() {
            return Err(CallError::Count {
                expected: self.params.len(),
                found: args.len(),
            });
        }
        let mut slots = [const { MaybeUninit::<Slot>::uninit() }; MAX_PARAMS];
        if args.len() > MAX_PARAMS {
            return Err(CallError::TooManyParameters {
                found: args.len(),
                limit: MAX_PARAMS,
            });
        }
        for (index, (param, arg)) in self.params.iter().zip(args).enumerate() {
            slots[index].write(self.slot(index, param, arg)?);
        }
        // SAFETY: one slot per parameter was written, in order, each checked against its
        // declaration; buffers that are written are exclusive borrows and overlap nothing.
        unsafe { self.entry.call(slots.as_ptr().cast()) };
        Ok(())
    }

    fn slot(&self, index: usize, param: &Param, arg: &mut Arg<'_>) -> Result<Slot, CallError> {
        let (var, lo, hi) = match param {
            Param::Buffer(buffer) => return buffer_slot(index, buffer, arg),
            &Param::Index { var, lo, hi } => (var, lo, hi),
        };
        let name = || self.vars.get(var.0 as usize).cloned().unwrap_or_default();
        match *arg {
            Arg::Index(value) if (lo..=hi).contains(&value) => Ok(Slot { index: value }),
            Arg::Index(found) => Err(CallError::Range {
                index,
                name: name(),
                lo,
                hi,
                found,
            }),
            _ => Err(CallError::Type {
                index,
                name: name(),
                expected: "an index",
                found: kind(arg),
            }),
        }
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

fn buffer_slot(index: usize, buffer: &Buffer, arg: &mut Arg<'_>) -> Result<Slot, CallError> {
    let read_only = buffer.access == Access::ReadOnly;
    let (pointer, len): (*mut u8, usize) = match (buffer.elem, arg) {
        (Elem::F64, Arg::F64Mut(s)) => (s.as_mut_ptr().cast(), s.len()),
        (Elem::F32, Arg::F32Mut(s)) => (s.as_mut_ptr().cast(), s.len()),
        (Elem::F64, Arg::F64(s)) if read_only => (s.as_ptr().cast_mut().cast(), s.len()),
        (Elem::F32, Arg::F32(s)) if read_only => (s.as_ptr().cast_mut().cast(), s.len()),
        (_, arg) => {
            let expected = match (buffer.elem, read_only) {
                (Elem::F64, true) => "a buffer of f64",
                (Elem::F64, false) => "a writable buffer of f64",
                (Elem::F32, true) => "a buffer of f32",
                (Elem::F32, false) => "a writable buffer of f32",
            };
            let name = buffer.name.clone();
            return Err(CallError::Type {
                index,
                name,
                expected,
                found: kind(arg),
            });
        }
    };
    if (len as u64) < buffer.extent {
        let name = buffer.name.clone();
        return Err(CallError::Length {
            index,
            name,
            expected: buffer.extent,
            found: len as u64,
        });
    }
    // The verifier admits powers of two only.
    if pointer.addr() & (buffer.align as usize).wrapping_sub(1) != 0 {
        let name = buffer.name.clone();
        return Err(CallError::Alignment {
            index,
            name,
            align: buffer.align,
        });
    }
    Ok(Slot { pointer })
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
