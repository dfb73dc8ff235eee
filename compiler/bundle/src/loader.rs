//! Finds out once how this process may load code, then loads it.

use std::sync::OnceLock;

use tdse_backend::CodeImage;
use tdse_isa::Proof;

use crate::executable_memory::{ExecutableMemory, LoadedCode, MapMethod};
use crate::load_refusal::{LoadRefusal, MapRefusal};
use crate::perf_map;

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
        check(image, proof)?;
        let refused = |refusal| self.mapping_refused(&[image], refusal);
        let loaded = LoadedCode::map(&[image], self.method).map_err(refused)?;
        // One image gives one piece of code; none would be memory that could not be had.
        let none = || refused(MapRefusal::OUT_OF_MEMORY);
        loaded.into_iter().next().ok_or_else(none)
    }

    /// Loads images into one mapping, each at a multiple of 64 bytes, or none of them. The mapping
    /// stays until the last of the loaded pieces is dropped. `proof` must be one for the level of
    /// every image. Code that refers to its own pages has to keep to 64 bytes: an image is not placed at
    /// the start of a page.
    pub fn load_all(
        &self,
        images: &[&CodeImage],
        proof: Proof,
    ) -> Result<Vec<LoadedCode>, LoadRefusal> {
        for image in images {
            check(image, proof)?;
        }
        LoadedCode::map(images, self.method)
            .map_err(|refusal| self.mapping_refused(images, refusal))
    }

    /// Tells profilers the names of these kernels: appends a line for each to `/tmp/perf-PID.map`,
    /// which `perf report` reads. Never done unless asked for. Lines of code that was dropped stay, and an address that
    /// is used again then has two names.
    pub fn map_names(&self, codes: &[&LoadedCode]) -> Result<(), MapRefusal> {
        perf_map::append(codes)
    }

    fn mapping_refused(&self, images: &[&CodeImage], refusal: MapRefusal) -> LoadRefusal {
        let first = images.first().map_or("", |image| &image.kernel);
        LoadRefusal::Mapping {
            kernel: match images.len() {
                0 | 1 => first.to_owned(),
                more => format!("{first} and {} more", more - 1),
            },
            bytes: images.iter().map(|image| image.bytes.len()).sum(),
            method: self.method,
            refusal,
        }
    }
}

fn check(image: &CodeImage, proof: Proof) -> Result<(), LoadRefusal> {
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
    Ok(())
}
