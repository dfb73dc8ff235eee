//! Kernels to machine code with Cranelift: the backend that is always there and compiles quickly.
//!
//! ```text
//! Verified kernel --admission--> --lowering--> CLIF --Cranelift--> CodeImage
//!                     \-> Refusal, before anything is emitted
//! ```
//!
//! Cranelift has 128-bit vectors and neither unrolls, vectorises nor moves code here, so what this
//! crate writes is what runs. Three things are decided in lowering, each in its file: how virtual
//! vectors split into registers (`chunk.rs`), in which order their parts are computed (`run.rs`),
//! and how addresses advance (`loops.rs`).
//!
//! Invariants: the image has no relocations and calls nothing (checked after each compilation);
//! instructions come from the level alone, never from the machine that compiles; what a lane
//! computes is what the interpreter computes.
#![forbid(unsafe_code)]

mod admission;
mod chunk;
mod lane_ops;
mod loops;
mod lowering;
mod memory;
mod run;
mod target;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use tdse_backend::{Backend, CodeImage, Lowered, Refusal};
use tdse_isa::Level;
use tdse_kir::Verified;

/// Name of this backend in refusals and reports.
pub(crate) const NAME: &str = "cranelift";

/// Raised whenever this crate may emit other code for the same kernel and level: it is part of the key of kept code.
const LOWERING: u32 = 2;

/// The Cranelift backend.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cranelift {
    listing: bool,
}

impl Cranelift {
    /// The backend as it is used: no listings.
    pub const fn new() -> Self {
        Cranelift { listing: false }
    }

    /// A backend whose images carry Cranelift's own listing, for golden files and inspection.
    /// The code is the same; compiling takes longer.
    pub fn with_listing() -> Self {
        Cranelift { listing: true }
    }

    /// Lowers to an image; what [`Backend::lower`] wraps.
    pub fn compile(&self, kernel: &Verified, level: Level) -> Result<CodeImage, Refusal> {
        admission::admit(kernel, level)?;
        let isa = target::isa(level)?;
        let failed = |message: String| Refusal::Generator {
            backend: NAME,
            kernel: kernel.name.clone(),
            message,
        };
        let mut context = Context::for_function(lowering::function(kernel, &*isa));
        context.set_disasm(self.listing);
        let code = context
            .compile(&*isa, &mut ControlPlane::default())
            .map_err(|e| failed(e.inner.to_string()))?;
        if !code.buffer.relocs().is_empty() {
            return Err(failed(format!(
                "{} relocations",
                code.buffer.relocs().len()
            )));
        }
        if code.buffer.call_sites().next().is_some() {
            return Err(failed("the code calls a library function".into()));
        }
        Ok(CodeImage {
            kernel: kernel.name.clone(),
            level,
            bytes: code.code_buffer().to_vec(),
            entry: 0,
            listing: code.vcode.clone(),
        })
    }
}

impl Backend for Cranelift {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> String {
        format!("{NAME} {} lowering {LOWERING}", cranelift_codegen::VERSION)
    }

    fn lower(&self, kernel: &Verified, level: Level) -> Result<Lowered, Refusal> {
        self.compile(kernel, level).map(Lowered::Machine)
    }
}
