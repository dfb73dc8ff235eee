//! The part of a model that depends on its element type: kernels, ring, workspace.

use std::sync::Arc;

use tdse_compiler::{DirectKernel, Real};

use crate::RuntimeError;
use crate::history::MirroredRing;

/// Compiled kernels of a pack in one element type, shared by its models.
pub(crate) struct Kernels<T: Real> {
    /// Sum over the lags 1 to nh - 1; `None` when nh is 1.
    pub(crate) history: Option<DirectKernel<T>>,
    /// `H[0]` times one vector.
    pub(crate) direct: DirectKernel<T>,
    /// Inputs.
    pub(crate) np: usize,
    /// Outputs.
    pub(crate) nq: usize,
    /// Taps.
    pub(crate) nh: usize,
}

/// What a model asks of its kernels; implemented once for each element type.
pub(crate) trait Stepper: Send {
    /// The sum over committed inputs.
    fn history(&mut self, out: &mut [f64]) -> Result<(), RuntimeError>;

    /// Rounds `x` to the element type and checks it; changes nothing else.
    fn stage(&mut self, x: &[f64]) -> Result<(), RuntimeError>;

    /// Accepts the staged vector into the history.
    fn accept(&mut self);

    /// `H[0]` times the accepted vector.
    fn direct(&mut self, out: &mut [f64]) -> Result<(), RuntimeError>;

    /// Forgets the history.
    fn reset(&mut self);

    /// Bytes of history and workspace.
    fn bytes(&self) -> usize;
}

/// Makes steppers; what a prepared pack holds.
pub(crate) trait StepperSource: Send + Sync {
    /// A stepper with an empty history.
    fn stepper(self: Arc<Self>) -> Box<dyn Stepper>;

    /// Bytes of packed taps and code.
    fn bytes(&self) -> usize;
}

impl<T: Real> StepperSource for Kernels<T> {
    fn stepper(self: Arc<Self>) -> Box<dyn Stepper> {
        Box::new(TypedStepper {
            ring: MirroredRing::new(self.nh - 1, self.np),
            staged: vec![T::default(); self.np],
            accepted: vec![T::default(); self.np],
            out: vec![T::default(); self.nq],
            kernels: self,
        })
    }

    fn bytes(&self) -> usize {
        let history = self
            .history
            .as_ref()
            .map_or(0, DirectKernel::resident_bytes);
        history + self.direct.resident_bytes()
    }
}

struct TypedStepper<T: Real> {
    kernels: Arc<Kernels<T>>,
    ring: MirroredRing<T>,
    staged: Vec<T>,
    accepted: Vec<T>,
    out: Vec<T>,
}

impl<T: Real> Stepper for TypedStepper<T> {
    fn history(&mut self, out: &mut [f64]) -> Result<(), RuntimeError> {
        let Some(kernel) = &self.kernels.history else {
            out.fill(0.0);
            return Ok(());
        };
        run(kernel, self.ring.window(), &mut self.out, out)
    }

    fn stage(&mut self, x: &[f64]) -> Result<(), RuntimeError> {
        for (port, (&value, staged)) in x.iter().zip(&mut self.staged).enumerate() {
            *staged = T::from_f64(value);
            if !staged.to_f64().is_finite() {
                return Err(RuntimeError::NonFinite { port, value });
            }
        }
        Ok(())
    }

    fn accept(&mut self) {
        self.accepted.copy_from_slice(&self.staged);
        self.ring.push(&self.accepted);
    }

    fn direct(&mut self, out: &mut [f64]) -> Result<(), RuntimeError> {
        run(&self.kernels.direct, &self.accepted, &mut self.out, out)
    }

    fn reset(&mut self) {
        self.ring.clear();
    }

    fn bytes(&self) -> usize {
        let workspace = self.staged.len() + self.accepted.len() + self.out.len();
        self.ring.bytes() + workspace * size_of::<T>()
    }
}

/// Runs a kernel and widens its result.
fn run<T: Real>(
    kernel: &DirectKernel<T>,
    x: &[T],
    typed: &mut [T],
    out: &mut [f64],
) -> Result<(), RuntimeError> {
    kernel
        .run(x, typed)
        .map_err(|e| RuntimeError::Internal(e.to_string()))?;
    for (wide, narrow) in out.iter_mut().zip(typed) {
        *wide = narrow.to_f64();
    }
    Ok(())
}
