//! The number of threads, held for a while.
//!
//! Problem: the number belongs to the library, so to the whole process; two users who each save,
//! set and restore it undo each other's wish. Idea: guards of one library are counted.
//!
//! ```text
//! first guard      remembers the number, sets its own
//! more guards      the same number: counted;  another number: refused
//! last one out     sets the remembered number
//! ```
//!
//! Invariants: while a guard lives, no other guard changes the number; when none is left, it is as
//! it was before the first. Whoever sets it behind the guards' back is noticed by
//! [`ThreadHold::renew`], which a step calls. Making and dropping a guard takes a lock of the whole
//! process; `renew` takes none.

use std::borrow::Borrow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::blas::Blas;
use crate::refusal::BlasRefusal;

/// A guard that borrows its library.
pub type ThreadGuard<'a> = ThreadHold<&'a Blas>;

/// A guard that shares its library, for what lives as long as a model.
pub type SharedThreadGuard = ThreadHold<Arc<Blas>>;

/// Holds a library's number of threads until it is dropped.
pub struct ThreadHold<B: Borrow<Blas>> {
    blas: B,
    threads: u32,
}

/// The number of one loaded library, while guards of it live.
struct Held {
    library: usize,
    threads: u32,
    before: u32,
    guards: usize,
}

static HELD: Mutex<Vec<Held>> = Mutex::new(Vec::new());

impl Blas {
    /// Calls use one thread as long as the guard lives.
    pub fn single_threaded(&self) -> Result<ThreadGuard<'_>, BlasRefusal> {
        self.with_threads(1)
    }

    /// Calls use `threads` threads as long as the guard lives. Refused when the library has no way
    /// to set them, does not take the number, or another guard holds another number.
    pub fn with_threads(&self, threads: u32) -> Result<ThreadGuard<'_>, BlasRefusal> {
        ThreadHold::new(self, threads)
    }
}

impl<B: Borrow<Blas>> ThreadHold<B> {
    /// As [`Blas::with_threads`], for any way to hold the library.
    pub fn new(blas: B, threads: u32) -> Result<Self, BlasRefusal> {
        let library = &blas.borrow().library;
        let name = || blas.borrow().info().path.display().to_string();
        let now = library
            .threads()
            .ok_or_else(|| BlasRefusal::ThreadsUnknown {
                library: name(),
                wanted: threads,
            })?;
        let mut held = lock();
        let place = held.iter().position(|h| h.library == library.address());
        if let Some(place) = place
            && held[place].threads != threads
        {
            return Err(BlasRefusal::ThreadsHeld {
                wanted: threads,
                held: held[place].threads,
            });
        }
        let found = set(blas.borrow(), now, threads);
        if found != threads {
            library.set_threads(now);
            return Err(BlasRefusal::ThreadsNotTaken {
                library: name(),
                wanted: threads,
                found,
            });
        }
        match place {
            Some(place) => held[place].guards += 1,
            None => held.push(Held {
                library: library.address(),
                threads,
                before: now,
                guards: 1,
            }),
        }
        drop(held);
        Ok(ThreadHold { blas, threads })
    }

    /// The number held.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// The library.
    pub fn blas(&self) -> &Blas {
        self.blas.borrow()
    }

    /// Sets the number again if somebody changed it behind the guards' back; else one read. Locks
    /// nothing. A change between this and a product goes unnoticed.
    #[inline]
    pub fn renew(&self) {
        let blas = self.blas.borrow();
        if blas.threads() != Some(self.threads) {
            blas.library.set_threads(self.threads);
        }
    }
}

impl<B: Borrow<Blas>> Drop for ThreadHold<B> {
    fn drop(&mut self) {
        let library = &self.blas.borrow().library;
        let mut held = lock();
        let Some(place) = held.iter().position(|h| h.library == library.address()) else {
            return;
        };
        held[place].guards -= 1;
        if held[place].guards == 0 {
            library.set_threads(held.swap_remove(place).before);
        }
    }
}

impl<B: Borrow<Blas>> fmt::Debug for ThreadHold<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadHold")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// Sets the number where it differs; what the library says then.
fn set(blas: &Blas, now: u32, threads: u32) -> u32 {
    if now != threads {
        blas.library.set_threads(threads);
    }
    blas.threads().unwrap_or(now)
}

/// The list; a panic while it was locked cannot have left it half changed.
fn lock() -> MutexGuard<'static, Vec<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
