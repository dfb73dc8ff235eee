//! A direct kernel ready to be called: code, packed taps, nothing else.

use std::sync::Arc;

use tdse_bundle::{AlignedBuffer, CallError};
use tdse_kir::Contraction;
use tdse_templates::{DirectShape, Layout, Schedule, direct};

use crate::error::CompileRefusal;
use crate::kernel::CompiledKernel;
use crate::maker::Maker;
use crate::real::Real;

/// `y[q] = sum_i h[q][i] * x[i]`, compiled, with its taps.
pub struct DirectKernel<T: Real> {
    code: Arc<CompiledKernel>,
    packed: AlignedBuffer<T>,
}

impl<T: Real> DirectKernel<T> {
    /// Describes and verifies one kernel, makes its code, and packs its taps.
    ///
    /// `tap(row, term)` gives `h[row][term]` in the term order of [`DirectShape`].
    pub fn compile(
        shape: &DirectShape,
        contraction: Contraction,
        schedule: Schedule,
        maker: &Maker,
        tap: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, CompileRefusal> {
        let shape = DirectShape {
            elem: T::ELEM,
            ..*shape
        };
        let code = CompiledKernel::make(|| direct(&shape, contraction, schedule), maker)?;
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
            .run(&mut [T::read(&self.packed), T::read(x), T::write(y)])
    }

    /// The kernel behind it.
    pub fn code(&self) -> &Arc<CompiledKernel> {
        &self.code
    }

    /// Bytes of packed taps and code.
    pub fn resident_bytes(&self) -> usize {
        let code = self.code.facts().map_or(0, |facts| facts.bytes);
        self.packed.len() * T::ELEM.bytes() + code
    }
}
