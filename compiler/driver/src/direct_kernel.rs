//! A direct kernel ready to be called: code, packed taps, nothing else.

use tdse_bundle::{AlignedBuffer, CallError};
use tdse_isa::Proof;
use tdse_kir::{Contraction, NumericClass};
use tdse_templates::{DirectShape, Layout, Schedule, direct};

use crate::error::CompileRefusal;
use crate::kernel::CompiledKernel;
use crate::real::Real;
use crate::tier::Tier;

/// `y[q] = sum_i h[q][i] * x[i]`, compiled, with its taps.
pub struct DirectKernel<T: Real> {
    code: CompiledKernel,
    packed: AlignedBuffer<T>,
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
        let code = CompiledKernel::make(|| direct(&shape, contraction, schedule), tier, proof)?;
        let layout = Layout::new(&shape, schedule);
        let mut packed = AlignedBuffer::<T>::new(layout.len());
        for row in 0..shape.nq {
            for term in 0..shape.terms() {
                packed[layout.index(row, term)] = T::from_f64(tap(row, term));
            }
        }
        Ok(DirectKernel { code, packed })
    }

    /// Computes `y` from the window `x`. Allocates nothing and calls no system.
    pub fn run(&self, x: &[T], y: &mut [T]) -> Result<(), CallError> {
        self.code
            .executable
            .run(&mut [T::read(&self.packed), T::read(x), T::write(y)])
    }

    /// The kernel's name, which is its key.
    pub fn name(&self) -> &str {
        &self.code.name
    }

    /// What fixes the bits of the result.
    pub fn class(&self) -> NumericClass {
        self.code.class
    }

    /// SHA-256 of the machine code; `None` for a tier that makes none.
    pub fn code_sha256(&self) -> Option<[u8; 32]> {
        self.code.code_sha256
    }

    /// Bytes of packed taps and code.
    pub fn resident_bytes(&self) -> usize {
        self.packed.len() * T::ELEM.bytes() + self.code.code_bytes
    }

    /// Nanoseconds from shape to callable code, packing left out.
    pub fn compile_ns(&self) -> u64 {
        self.code.compile_ns
    }
}
