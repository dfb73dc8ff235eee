//! A kernel of a family that works ahead, ready to be called: code alone.

use std::marker::PhantomData;

use tdse_bundle::CallError;
use tdse_isa::Proof;
use tdse_kir::{Kernel, NumericClass};

use crate::error::CompileRefusal;
use crate::kernel::CompiledKernel;
use crate::real::Real;
use crate::tier::Tier;

/// `y += h * x` of a shape, compiled; `h` is the caller's, so one kernel serves many partitions.
pub struct MacKernel<T: Real> {
    code: CompiledKernel,
    element: PhantomData<T>,
}

impl<T: Real> MacKernel<T> {
    /// Verifies, lowers and loads a kernel with the parameters `h`, `x` and `y` of element type
    /// `T`, as [`tdse_templates::spectral_mac`] and [`tdse_templates::temporal_block`] describe
    /// them. The code is made for the proof's level.
    pub fn compile(kernel: Kernel, tier: Tier, proof: Proof) -> Result<Self, CompileRefusal> {
        Ok(MacKernel {
            code: CompiledKernel::make(|| Ok(kernel), tier, proof)?,
            element: PhantomData,
        })
    }

    /// Adds to `y`. Each buffer is at least as long as the kernel's shape says; more is not
    /// touched. Allocates nothing and calls no system.
    pub fn run(&self, h: &[T], x: &[T], y: &mut [T]) -> Result<(), CallError> {
        self.code
            .executable
            .run(&mut [T::read(h), T::read(x), T::write(y)])
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

    /// Bytes of machine code; 0 for a tier that makes none.
    pub fn code_bytes(&self) -> usize {
        self.code.code_bytes
    }

    /// Nanoseconds from kernel to callable code.
    pub fn compile_ns(&self) -> u64 {
        self.code.compile_ns
    }
}
