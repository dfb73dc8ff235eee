//! Finds out once how this process may load code, then loads it.

use std::sync::OnceLock;

use tdse_backend::CodeImage;
use tdse_isa::Proof;

use crate::executable_memory::{ExecutableMemory, LoadedCode, MapMethod};
use crate::load_refusal::{LoadRefusal, MapRefusal};

/// A way to load code that was tried and works in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loader {
    method: MapMethod,
    passed_over: Option<MapRefusal>,
}

impl Loader {
    /// The loader of this process, found on the first call.
    ///
    /// A policy that is tightened later does not change the answer; loading then fails with
    /// [`LoadRefusal::Mapping`].
    pub fn probe() -> &'static Result<Loader, LoadRefusal> {
        static FOUND: OnceLock<Result<Loader, LoadRefusal>> = OnceLock::new();
        FOUND.get_or_init(Loader::probe_now)
    }

    /// Tries both methods now, in order of cost, by mapping a page. Nothing stays mapped.
    pub fn probe_now() -> Result<Loader, LoadRefusal> {
        // Never entered: zeros are enough to learn what the system permits.
        let sample = [0_u8; 16];
        let mprotect = match ExecutableMemory::map(&sample, MapMethod::Mprotect) {
            Ok(_) => {
                return Ok(Loader {
                    method: MapMethod::Mprotect,
                    passed_over: None,
                });
            }
            Err(refusal) => refusal,
        };
        match ExecutableMemory::map(&sample, MapMethod::Memfd) {
            Ok(_) => Ok(Loader {
                method: MapMethod::Memfd,
                passed_over: Some(mprotect),
            }),
            Err(memfd) => Err(LoadRefusal::NotPermitted { mprotect, memfd }),
        }
    }

    /// How code becomes executable.
    pub fn method(&self) -> MapMethod {
        self.method
    }

    /// Why the cheaper method was passed over, when it was.
    pub fn passed_over(&self) -> Option<MapRefusal> {
        self.passed_over
    }

    /// Loads an image. `proof` must be one for the level of the image.
    pub fn load(&self, image: &CodeImage, proof: Proof) -> Result<LoadedCode, LoadRefusal> {
        if proof.level() != image.level {
            return Err(LoadRefusal::LevelNotProven {
                kernel: image.kernel.clone(),
                needed: image.level,
                proven: proof.level(),
            });
        }
        if image.entry >= image.bytes.len() {
            return Err(LoadRefusal::EntryOutside {
                kernel: image.kernel.clone(),
                entry: image.entry,
                bytes: image.bytes.len(),
            });
        }
        LoadedCode::map(image, self.method).map_err(|refusal| LoadRefusal::Mapping {
            kernel: image.kernel.clone(),
            bytes: image.bytes.len(),
            method: self.method,
            refusal,
        })
    }
}
