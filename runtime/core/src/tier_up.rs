//! Faster code for a pack that is running already.
//!
//! ```text
//! Prepared::tier_up --a thread--> the same kernels by LLVM --> ready
//!                                           a model's next begin --> they run
//! ```
//!
//! Each kernel keeps its schedule and its numeric class: the other code is another lowering of the very same
//! kernel, so no bit changes. All models of a preparation change over together, when one of them begins a step;
//! another one may be between two kernels of a step then.
//!
//! Cost: a step reads one flag. The thread takes a core for some milliseconds a kernel, which a host with deadlines may not have to
//! give; therefore nothing does this unasked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use tdse_compiler::{CompileRefusal, CompiledKernel, Maker};

use crate::RuntimeError;

/// The kernels of a preparation, and whether others are ready for them.
pub(crate) struct Improvable {
    kernels: Vec<Arc<CompiledKernel>>,
    /// Whether a tier-up was asked for; there is one at most.
    started: AtomicBool,
    /// Whether all code is made and none has been adopted yet.
    ready: AtomicBool,
    adopted: AtomicBool,
}

impl Improvable {
    /// Kernels as they were made first.
    pub(crate) fn new(kernels: Vec<Arc<CompiledKernel>>) -> Self {
        Improvable {
            kernels,
            started: AtomicBool::new(false),
            ready: AtomicBool::new(false),
            adopted: AtomicBool::new(false),
        }
    }

    /// Lets the other code run, once it is ready. Allocates nothing and waits for nothing.
    pub(crate) fn adopt(&self) {
        if self.ready.load(Ordering::Relaxed) && self.ready.swap(false, Ordering::Acquire) {
            self.kernels.iter().for_each(|kernel| kernel.adopt());
            self.adopted.store(true, Ordering::Release);
        }
    }

    /// Whether the other code runs.
    pub(crate) fn adopted(&self) -> bool {
        self.adopted.load(Ordering::Acquire)
    }

    /// Makes other code for every kernel on a thread of its own.
    pub(crate) fn start(self: &Arc<Self>, maker: Maker) -> Result<TierUp, RuntimeError> {
        let contradiction = |second: &str| RuntimeError::Contradiction {
            first: "a tier-up".into(),
            second: second.into(),
        };
        if self.kernels.is_empty() {
            return Err(contradiction("a route without kernels of its own"));
        }
        if self.started.swap(true, Ordering::AcqRel) {
            let second = "an earlier tier-up of the same preparation";
            return Err(contradiction(second));
        }
        let own = Arc::clone(self);
        let work = move || {
            let started = Instant::now();
            let others = own.kernels.iter().map(|kernel| kernel.again(&maker));
            // All or none: a refusal leaves every kernel as it is.
            let others = others.collect::<Result<Vec<_>, CompileRefusal>>()?;
            for (kernel, other) in own.kernels.iter().zip(others) {
                kernel.prepare(other);
            }
            own.ready.store(true, Ordering::Release);
            Ok(TierUpReport {
                kernels: own.kernels.len(),
                compile_ns: started.elapsed().as_nanos() as u64,
            })
        };
        let thread = std::thread::Builder::new().name("tdse-tier-up".into());
        let thread = thread.spawn(work).map_err(|error| RuntimeError::Pinned {
            pinned: "tier-up".into(),
            reason: format!("no thread could be started: {error}"),
        })?;
        Ok(TierUp {
            thread: Some(thread),
        })
    }
}

/// Code being made in the background. Dropping it waits: a process must not end while a compiler runs in it.
#[derive(Debug)]
pub struct TierUp {
    thread: Option<JoinHandle<Result<TierUpReport, CompileRefusal>>>,
}

/// What a tier-up made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TierUpReport {
    /// Kernels compiled.
    pub kernels: usize,
    /// Nanoseconds for all of them.
    pub compile_ns: u64,
}

impl TierUp {
    /// Whether [`TierUp::wait`] would return at once.
    pub fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until the code is ready; the next step of any model of the preparation runs it. On a refusal the
    /// models go on as they were.
    pub fn wait(mut self) -> Result<TierUpReport, RuntimeError> {
        let panicked = || RuntimeError::Internal("the compiling thread panicked".into());
        let thread = self.thread.take().ok_or_else(panicked)?;
        let outcome = thread.join().map_err(|_| panicked())?;
        outcome.map_err(|refusal| RuntimeError::Pinned {
            pinned: "tier-up".into(),
            reason: refusal.to_string(),
        })
    }
}

impl Drop for TierUp {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Its outcome was not asked for.
            let _ = thread.join();
        }
    }
}
