//! A kernel on the way to being callable: verifier, backend, loader.
//!
//! The one `unsafe` of this crate stands here: it vouches that the code belongs to the kernel.

use std::sync::Arc;
use std::time::Instant;

use tdse_backend::{EntryPoint, Lowered};
use tdse_bundle::{Executable, Loader};
use tdse_isa::Proof;
use tdse_kir::{Kernel, NumericClass, verify};
use tdse_templates::TemplateError;

use crate::error::CompileRefusal;
use crate::tier::Tier;

/// Code that can be called, and what is known of it.
pub(crate) struct CompiledKernel {
    pub(crate) executable: Executable,
    /// The kernel's name, which is its key.
    pub(crate) name: String,
    pub(crate) class: NumericClass,
    /// Of the machine code; `None` for a tier that makes none.
    pub(crate) code_sha256: Option<[u8; 32]>,
    /// Bytes of machine code.
    pub(crate) code_bytes: usize,
    /// From describing the kernel to callable code.
    pub(crate) compile_ns: u64,
}

impl CompiledKernel {
    /// Describes, verifies, lowers and loads one kernel. The code is made for the proof's level.
    pub(crate) fn make(
        describe: impl FnOnce() -> Result<Kernel, TemplateError>,
        tier: Tier,
        proof: Proof,
    ) -> Result<Self, CompileRefusal> {
        let start = Instant::now();
        let kernel = verify(describe()?)?;
        if tier.makes_machine_code() {
            // Where no code can be mapped, none need be made.
            Loader::probe().as_ref().map_err(Clone::clone)?;
        }
        let (entry, code) = match tier.backend().lower(&kernel, proof.level())? {
            Lowered::Ready(entry) => (entry, None),
            Lowered::Machine(image) => {
                let loader = Loader::probe().as_ref().map_err(Clone::clone)?;
                let loaded: Arc<dyn EntryPoint> = Arc::new(loader.load(&image, proof)?);
                (loaded, Some(image))
            }
        };
        let compile_ns = start.elapsed().as_nanos() as u64;
        // SAFETY: the entry was lowered from this kernel above, by a backend of this project.
        let executable = unsafe { Executable::new(&kernel, entry) };
        Ok(CompiledKernel {
            executable,
            name: kernel.name.clone(),
            class: kernel.class,
            code_sha256: code.as_ref().map(|image| image.sha256()),
            code_bytes: code.map_or(0, |image| image.bytes.len()),
            compile_ns,
        })
    }
}
