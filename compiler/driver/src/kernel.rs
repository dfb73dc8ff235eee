//! A direct kernel ready to be called: code, packed taps, nothing else.
//!
//! The one `unsafe` of this crate stands here: it vouches that the code belongs to the kernel.

use std::time::Instant;

use tdse_backend::Lowered;
use tdse_bundle::{AlignedBuffer, CallError, Executable, Loader};
use tdse_isa::Proof;
use tdse_kir::{Contraction, NumericClass, verify};
use tdse_templates::{DirectShape, Layout, Schedule, direct};

use crate::error::CompileRefusal;
use crate::real::Real;
use crate::tier::Tier;

/// `y[q] = sum_i h[q][i] * x[i]`, compiled, with its taps.
pub struct DirectKernel<T: Real> {
    executable: Executable,
    packed: AlignedBuffer<T>,
    name: String,
    class: NumericClass,
    code_sha256: Option<[u8; 32]>,
    code_bytes: usize,
    compile_ns: u64,
}

impl<T: Real> DirectKernel<T> {
    /// Describes, verifies, lowers and loads one kernel, and packs its taps.
    ///
    /// `tap(row, term)` gives `h[row][term]` in the term order of [`DirectShape`]. The code is
    /// made for the proof's level.
    pub fn compile(
        shape: &DirectShape,
        contraction: Contraction,
        tier: Tier,
        schedule: Schedule,
        proof: Proof,
        tap: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, CompileRefusal> {
        let shape = DirectShape {
            elem: T::ELEM,
            ..*shape
        };
        let start = Instant::now();
        let kernel = verify(direct(&shape, contraction, schedule)?)?;
        if tier.makes_machine_code() {
            // Where no code can be mapped, none need be made.
            Loader::probe().as_ref().map_err(Clone::clone)?;
        }
        let (entry, code) = match tier.backend().lower(&kernel, proof.level())? {
            Lowered::Ready(entry) => (entry, None),
            Lowered::Machine(image) => {
                let loader = Loader::probe().as_ref().map_err(Clone::clone)?;
                let loaded: std::sync::Arc<dyn tdse_backend::EntryPoint> =
                    std::sync::Arc::new(loader.load(&image, proof)?);
                (loaded, Some(image))
            }
        };
        let compile_ns = start.elapsed().as_nanos() as u64;

        let layout = Layout::new(&shape, schedule);
        let mut packed = AlignedBuffer::<T>::new(layout.len());
        for row in 0..shape.nq {
            for term in 0..shape.terms() {
                packed[layout.index(row, term)] = T::from_f64(tap(row, term));
            }
        }
        // SAFETY: the entry was lowered from this kernel above, by a backend of this project.
        let executable = unsafe { Executable::new(&kernel, entry) };
        Ok(DirectKernel {
            executable,
            packed,
            name: kernel.name.clone(),
            class: kernel.class,
            code_sha256: code.as_ref().map(|image| image.sha256()),
            code_bytes: code.map_or(0, |image| image.bytes.len()),
            compile_ns,
        })
    }

    /// Computes `y` from the window `x`. Allocates nothing and calls no system.
    pub fn run(&self, x: &[T], y: &mut [T]) -> Result<(), CallError> {
        self.executable
            .run(&mut [T::read(&self.packed), T::read(x), T::write(y)])
    }

    /// The kernel's name, which is its key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What fixes the bits of the result.
    pub fn class(&self) -> NumericClass {
        self.class
    }

    /// SHA-256 of the machine code; `None` for a tier that makes none.
    pub fn code_sha256(&self) -> Option<[u8; 32]> {
        self.code_sha256
    }

    /// Bytes of packed taps and code.
    pub fn resident_bytes(&self) -> usize {
        self.packed.len() * T::ELEM.bytes() + self.code_bytes
    }

    /// Nanoseconds from shape to callable code, packing left out.
    pub fn compile_ns(&self) -> u64 {
        self.compile_ns
    }
}
