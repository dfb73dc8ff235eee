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

use crate::code_source::CodeFacts;
use crate::error::CompileRefusal;
use crate::maker::Maker;

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

    /// Makes other code for the same kernel, so the same bits. Takes as long as the code generator does; meant
    /// for a thread that has the time.
    pub fn again(&self, maker: &Maker) -> Result<OtherCode, CompileRefusal> {
        executable(&self.kernel, maker).map(|(executable, _)| OtherCode(executable))
    }

    /// Takes the code of [`CompiledKernel::again`], which runs from [`CompiledKernel::adopt`] on. Only the first call
    /// counts.
    pub fn prepare(&self, other: OtherCode) {
        // The key is the kernel's own: code of another kernel would be another kernel's bits.
        if other.0.name() == self.kernel.name {
            let _ = self.other.set(other.0);
        }
    }

    /// Runs the code taken by [`CompiledKernel::prepare`], if any. Allocates nothing.
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

/// Other code for a kernel, not yet in use.
pub struct OtherCode(Executable);

fn executable(
    kernel: &Verified,
    maker: &Maker,
) -> Result<(Executable, Option<CodeFacts>), CompileRefusal> {
    let (entry, facts) = maker.entry(kernel)?;
    // SAFETY: the entry was lowered from this kernel: here and now, or where a bundle or cache entry was made, both of which are
    // trusted like a shared library. The sources, sealed in this crate, compare the digest of the kernel's
    // text with that of the key, and reading has compared the digest over key and code.
    let executable = unsafe { Executable::new(kernel, entry) };
    Ok((executable, facts))
}
