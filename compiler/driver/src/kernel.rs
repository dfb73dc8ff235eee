//! A kernel on the way to being callable: verifier, maker, checked call; and later perhaps faster code
//! for the same kernel.
//!
//! The one `unsafe` of this crate stands here: it vouches that the code belongs to the kernel.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tdse_bundle::{Arg, CallError, Executable};
use tdse_kir::{Kernel, NumericClass, Verified, verify};
use tdse_templates::TemplateError;

use crate::error::CompileRefusal;
use crate::maker::{CodeFacts, Maker};

/// A kernel that can be called, and what is known of its code.
pub struct CompiledKernel {
    kernel: Verified,
    executable: Executable,
    facts: Option<CodeFacts>,
    /// Other code for the same kernel.
    other: OnceLock<Executable>,
    /// Whether the other code runs.
    adopted: AtomicBool,
    compile_ns: u64,
}

impl CompiledKernel {
    /// Describes and verifies one kernel and makes its code.
    pub(crate) fn make(
        describe: impl FnOnce() -> Result<Kernel, TemplateError>,
        maker: &Maker,
    ) -> Result<Arc<Self>, CompileRefusal> {
        let start = Instant::now();
        let kernel = verify(describe()?)?;
        let (executable, facts) = executable(&kernel, maker)?;
        Ok(Arc::new(CompiledKernel {
            kernel,
            executable,
            facts,
            other: OnceLock::new(),
            adopted: AtomicBool::new(false),
            compile_ns: start.elapsed().as_nanos() as u64,
        }))
    }

    /// Runs the kernel. Allocates nothing and calls no system.
    pub(crate) fn run(&self, args: &mut [Arg<'_>]) -> Result<(), CallError> {
        let other = match self.adopted.load(Ordering::Acquire) {
            true => self.other.get(),
            false => None,
        };
        other.unwrap_or(&self.executable).run(args)
    }

    /// Makes other code for the same kernel, so the same bits; it runs from [`CompiledKernel::adopt`] on.
    ///
    /// Takes as long as the code generator does; meant for a thread that has the time. Only the first call counts.
    pub fn improve(&self, maker: &Maker) -> Result<(), CompileRefusal> {
        let (executable, _) = executable(&self.kernel, maker)?;
        let _ = self.other.set(executable);
        Ok(())
    }

    /// Runs the code that [`CompiledKernel::improve`] has made, if any. Allocates nothing.
    pub fn adopt(&self) {
        self.adopted.store(true, Ordering::Release);
    }

    /// The kernel's name, which is its key.
    pub fn name(&self) -> &str {
        &self.kernel.name
    }

    /// What fixes the bits of the result.
    pub fn class(&self) -> NumericClass {
        self.kernel.class
    }

    /// Of the machine code that was made or supplied first; `None` for a tier that makes none.
    pub fn facts(&self) -> Option<CodeFacts> {
        self.facts
    }

    /// Nanoseconds from describing the kernel to callable code.
    pub fn compile_ns(&self) -> u64 {
        self.compile_ns
    }
}

fn executable(
    kernel: &Verified,
    maker: &Maker,
) -> Result<(Executable, Option<CodeFacts>), CompileRefusal> {
    let (entry, facts) = maker.entry(kernel)?;
    // SAFETY: the entry was lowered from this kernel by a backend of this project, here or where its bundle or
    // cache entry was made: code is supplied under the kernel's full key only, and its digest was checked.
    let executable = unsafe { Executable::new(kernel, entry) };
    Ok((executable, facts))
}
