//! From a verified kernel to an entry: made here, or supplied by somebody who has its code already.
//!
//! ```text
//! Verified + Maker --CodeSource--> loaded code, or bytes to load
//!                  \--no source, or "make it"--> backend --> loader --> told to the source
//! ```
//!
//! A source is asked by the full key of the kernel, so code made for anything else is never taken.

use std::sync::Arc;

use tdse_backend::{Backend, CodeImage, EntryPoint, Lowered};
use tdse_bundle::{CodeKey, Loader};
use tdse_isa::{Level, Proof};
use tdse_kir::Verified;
use tdse_portable::Portable;

use crate::code_source::{CodeFacts, CodeSource, Supply};
use crate::error::CompileRefusal;
use crate::profiling::name_kernels;
use crate::tier::Tier;

/// How kernels become code: generator, level, source.
#[derive(Debug, Clone)]
pub struct Maker {
    tier: Tier,
    level: Level,
    here: Proof,
    /// Whether code is made for another machine and nothing of it runs here.
    ahead: bool,
    source: Option<Arc<dyn CodeSource>>,
}

impl Maker {
    /// Code of `tier` for this machine, at the proof's level.
    pub fn new(tier: Tier, proof: Proof) -> Self {
        Maker {
            tier,
            level: proof.level(),
            here: proof,
            ahead: false,
            source: None,
        }
    }

    /// Code of `tier` for machines of `level`, told to `source` and never loaded. What is made here
    /// runs on the portable tier, at the level of `here`.
    pub fn ahead(tier: Tier, level: Level, here: Proof, source: Arc<dyn CodeSource>) -> Self {
        Maker {
            tier,
            level,
            here,
            ahead: true,
            source: Some(source),
        }
    }

    /// The same, with a source that is asked first.
    pub fn with_source(mut self, source: Arc<dyn CodeSource>) -> Self {
        self.source = Some(source);
        self
    }

    /// The same by another code generator.
    pub fn with_tier(&self, tier: Tier) -> Self {
        Maker {
            tier,
            ..self.clone()
        }
    }

    /// The code generator.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The level that code is made for.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The level at which things run in this process.
    pub fn here(&self) -> Proof {
        self.here
    }

    /// Something that runs `kernel`, and what is known of its machine code.
    pub(crate) fn entry(
        &self,
        kernel: &Verified,
    ) -> Result<(Arc<dyn EntryPoint>, Option<CodeFacts>), CompileRefusal> {
        if !self.tier.makes_machine_code() {
            return Ok((self.portable(kernel)?, None));
        }
        let backend = self.tier.backend();
        let Some(source) = &self.source else {
            // Where no code can be mapped, none need be made.
            Loader::probe().as_ref().map_err(Clone::clone)?;
            let image = machine_code(backend, kernel, self.level)?;
            return self.load(&image);
        };
        let key = CodeKey::of(kernel, backend, self.level);
        if self.ahead {
            let image = machine_code(backend, kernel, self.level)?;
            source.made(&key, &kernel.class.to_string(), &image);
            return Ok((self.portable(kernel)?, Some(CodeFacts::of(&image))));
        }
        match source.supply(&key) {
            Supply::Loaded(code, facts) => Ok((code, Some(facts))),
            Supply::Bytes(image) => self.load(&image),
            Supply::Nothing => {
                Loader::probe().as_ref().map_err(Clone::clone)?;
                let image = machine_code(backend, kernel, self.level)?;
                source.made(&key, &kernel.class.to_string(), &image);
                self.load(&image)
            }
            Supply::Refused(reason) => Err(CompileRefusal::NotSupplied {
                kernel: kernel.name.clone(),
                reason,
            }),
        }
    }

    fn load(
        &self,
        image: &CodeImage,
    ) -> Result<(Arc<dyn EntryPoint>, Option<CodeFacts>), CompileRefusal> {
        let loader = Loader::probe().as_ref().map_err(Clone::clone)?;
        let code = loader.load(image, self.here)?;
        name_kernels(loader, &[&code]);
        Ok((Arc::new(code), Some(CodeFacts::of(image))))
    }

    fn portable(&self, kernel: &Verified) -> Result<Arc<dyn EntryPoint>, CompileRefusal> {
        match Portable.lower(kernel, self.here.level())? {
            Lowered::Ready(entry) => Ok(entry),
            // The portable tier makes none.
            Lowered::Machine(image) => self.load(&image).map(|(entry, _)| entry),
        }
    }
}

fn machine_code(
    backend: &dyn Backend,
    kernel: &Verified,
    level: Level,
) -> Result<CodeImage, CompileRefusal> {
    match backend.lower(kernel, level)? {
        Lowered::Machine(image) => Ok(image),
        Lowered::Ready(_) => Err(CompileRefusal::NotSupplied {
            kernel: kernel.name.clone(),
            reason: format!("{} made no machine code", backend.name()),
        }),
    }
}
