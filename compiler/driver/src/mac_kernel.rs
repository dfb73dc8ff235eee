//! A kernel of a family that works ahead, ready to be called: code alone.

use std::marker::PhantomData;
use std::sync::Arc;

use tdse_bundle::CallError;
use tdse_kir::Kernel;

use crate::error::CompileRefusal;
use crate::kernel::CompiledKernel;
use crate::maker::Maker;
use crate::real::Real;

/// `y += h * x` of a shape, compiled; `h` is the caller's, so one kernel serves many partitions.
pub struct MacKernel<T: Real> {
    code: Arc<CompiledKernel>,
    element: PhantomData<T>,
}

impl<T: Real> MacKernel<T> {
    /// Verifies a kernel with the parameters `h`, `x` and `y` of element type `T`, as
    /// [`tdse_templates::spectral_mac`] and [`tdse_templates::temporal_block`] describe them, and makes its code.
    pub fn compile(kernel: Kernel, maker: &Maker) -> Result<Self, CompileRefusal> {
        Ok(MacKernel {
            code: CompiledKernel::make(|| Ok(kernel), maker)?,
            element: PhantomData,
        })
    }

    /// Adds to `y`. Each buffer is at least as long as the kernel's shape says; more is not
    /// touched. Allocates nothing and calls no system.
    pub fn run(&self, h: &[T], x: &[T], y: &mut [T]) -> Result<(), CallError> {
        self.code.run(&mut [T::read(h), T::read(x), T::write(y)])
    }

    /// The kernel behind it.
    pub fn code(&self) -> &Arc<CompiledKernel> {
        &self.code
    }
}
