//! The part of a model that depends on its element type: ring, workspace, what its route multiplies.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use tdse_lookahead::{FarHistory, FarState, LookaheadError, Sample};
use tdse_pack::Shape;

use crate::RuntimeError;
use crate::history::MirroredRing;

/// What a route multiplies: the operators of a pack in one element type, shared by its models.
pub(crate) trait Operators<T: Sample>: Send + Sync {
    /// Ports, rows and taps.
    fn shape(&self) -> Shape;

    /// Lags that [`Operators::head`] sums: the newest ones.
    fn head_taps(&self) -> usize;

    /// The sum over the newest `head_taps` vectors, oldest first.
    fn head(&self, window: &[T], out: &mut [T]) -> Result<(), RuntimeError>;

    /// `H[0]` times one vector.
    fn direct(&self, x: &[T], out: &mut [T]) -> Result<(), RuntimeError>;

    /// The lags beyond the head, when a plan evaluates them ahead.
    fn far(&self) -> Option<&Arc<FarHistory<T>>>;

    /// Bytes of packed taps and code.
    fn bytes(&self) -> usize;
}

/// A history that any route of the same pack can go on from.
#[derive(Debug, Clone, Default)]
pub(crate) struct SavedHistory {
    /// The last `nh - 1` vectors committed, oldest first, zeros before the first.
    pub(crate) window: Vec<f64>,
    /// The vector accepted last.
    pub(crate) accepted: Vec<f64>,
}

/// What a model asks of its route, whatever the element type.
pub(crate) trait Stepper: Send {
    /// The sum over committed inputs.
    fn history(&mut self, out: &mut [f64]) -> Result<(), RuntimeError>;

    /// Rounds `x` to the element type and checks it; changes nothing else.
    fn stage(&mut self, x: &[f64]) -> Result<(), RuntimeError>;

    /// Accepts the staged vector into the history.
    fn accept(&mut self) -> Result<(), RuntimeError>;

    /// `H[0]` times the accepted vector.
    fn direct(&mut self, out: &mut [f64]) -> Result<(), RuntimeError>;

    /// Forgets the history.
    fn reset(&mut self);

    /// Bytes of history and workspace.
    fn bytes(&self) -> usize;

    /// Does some of the work that commits to come would do; false when there is none.
    fn idle(&mut self) -> Result<bool, RuntimeError> {
        Ok(false)
    }

    /// The history.
    fn save(&self) -> SavedHistory;

    /// What else the route keeps, for a model of the same preparation; `None` when it is nothing.
    fn save_exact(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Goes on from a history after `committed` steps; `exact` comes from a model of the same preparation.
    fn restore(
        &mut self,
        history: &SavedHistory,
        committed: u64,
        exact: Option<&(dyn Any + Send + Sync)>,
    ) -> Result<(), RuntimeError>;
}

/// Makes steppers; what a prepared pack holds.
pub(crate) trait StepperSource: Send + Sync {
    /// A stepper with an empty history.
    fn stepper(self: Arc<Self>) -> Box<dyn Stepper>;

    /// Bytes of packed taps and code.
    fn bytes(&self) -> usize;
}

/// The source of typed steppers over some operators.
pub(crate) struct Typed<T, O> {
    operators: O,
    elem: PhantomData<fn() -> T>,
}

impl<T: Sample, O: Operators<T>> Typed<T, O> {
    /// Steppers over `operators`.
    pub(crate) fn new(operators: O) -> Self {
        Typed {
            operators,
            elem: PhantomData,
        }
    }
}

impl<T: Sample, O: Operators<T> + 'static> StepperSource for Typed<T, O> {
    fn stepper(self: Arc<Self>) -> Box<dyn Stepper> {
        let shape = self.operators.shape();
        Box::new(TypedStepper {
            ring: MirroredRing::new(shape.nh() - 1, shape.np()),
            far: self.operators.far().map(|far| far.state(0)),
            staged: vec![T::default(); shape.np()],
            accepted: vec![T::default(); shape.np()],
            out: vec![T::default(); shape.nq()],
            source: self,
        })
    }

    fn bytes(&self) -> usize {
        self.operators.bytes()
    }
}

struct TypedStepper<T: Sample, O> {
    source: Arc<Typed<T, O>>,
    ring: MirroredRing<T>,
    far: Option<FarState<T>>,
    staged: Vec<T>,
    accepted: Vec<T>,
    out: Vec<T>,
}

impl<T: Sample, O: Operators<T> + 'static> Stepper for TypedStepper<T, O> {
    fn history(&mut self, out: &mut [f64]) -> Result<(), RuntimeError> {
        let operators = &self.source.operators;
        let window = self.ring.newest(operators.head_taps());
        operators.head(window, &mut self.out)?;
        match &self.far {
            None => widen(&self.out, out),
            Some(far) => {
                let sums = self.out.iter().zip(far.response());
                for (wide, (&head, &far)) in out.iter_mut().zip(sums) {
                    *wide = (head + far).to_f64();
                }
            }
        }
        Ok(())
    }

    fn stage(&mut self, x: &[f64]) -> Result<(), RuntimeError> {
        for (port, (&value, staged)) in x.iter().zip(&mut self.staged).enumerate() {
            *staged = T::rounded(value);
            if !staged.to_f64().is_finite() {
                return Err(RuntimeError::NonFinite { port, value });
            }
        }
        Ok(())
    }

    fn accept(&mut self) -> Result<(), RuntimeError> {
        std::mem::swap(&mut self.accepted, &mut self.staged);
        self.ring.push(&self.accepted);
        match &mut self.far {
            None => Ok(()),
            Some(far) => far.commit(&self.accepted).map_err(lookahead),
        }
    }

    fn direct(&mut self, out: &mut [f64]) -> Result<(), RuntimeError> {
        let operators = &self.source.operators;
        operators.direct(&self.accepted, &mut self.out)?;
        widen(&self.out, out);
        Ok(())
    }

    fn reset(&mut self) {
        self.ring.clear();
        if let Some(far) = &mut self.far {
            far.clear();
        }
    }

    fn bytes(&self) -> usize {
        let workspace = self.staged.len() + self.accepted.len() + self.out.len();
        let far = self.far.as_ref().map_or(0, FarState::bytes);
        self.ring.bytes() + workspace * size_of::<T>() + far
    }

    fn idle(&mut self) -> Result<bool, RuntimeError> {
        match &mut self.far {
            None => Ok(false),
            Some(far) => far.idle().map_err(lookahead),
        }
    }

    fn save(&self) -> SavedHistory {
        let wide = |values: &[T]| values.iter().map(|v| v.to_f64()).collect();
        SavedHistory {
            window: wide(self.ring.window()),
            accepted: wide(&self.accepted),
        }
    }

    fn save_exact(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let far: Arc<dyn Any + Send + Sync> = Arc::new(self.far.clone()?);
        Some(far)
    }

    fn restore(
        &mut self,
        history: &SavedHistory,
        committed: u64,
        exact: Option<&(dyn Any + Send + Sync)>,
    ) -> Result<(), RuntimeError> {
        let values = || history.window.iter().chain(&history.accepted);
        if let Some(&value) = values().find(|&&v| !T::rounded(v).to_f64().is_finite()) {
            return Err(RuntimeError::NotRepresentable {
                place: "an input of the saved history".into(),
                value,
            });
        }
        let np = self.accepted.len();
        let narrow = |values: &[f64], into: &mut [T]| {
            for (into, &value) in into.iter_mut().zip(values) {
                *into = T::rounded(value);
            }
        };
        narrow(&history.accepted, &mut self.accepted);
        self.ring.clear();
        for vector in history.window.chunks_exact(np) {
            narrow(vector, &mut self.staged);
            self.ring.push(&self.staged);
        }
        let Some(far) = &mut self.far else {
            return Ok(());
        };
        if let Some(exact) = exact.and_then(|exact| exact.downcast_ref::<FarState<T>>()) {
            far.clone_from(exact);
            return Ok(());
        }
        // The inputs are committed again, at the numbers that their steps had.
        let slots = history.window.len() / np;
        let count = slots.min(usize::try_from(committed).unwrap_or(usize::MAX));
        if let Some(shared) = self.source.operators.far() {
            *far = shared.state(committed - count as u64);
        }
        for vector in history.window[(slots - count) * np..].chunks_exact(np) {
            narrow(vector, &mut self.staged);
            far.commit(&self.staged).map_err(lookahead)?;
        }
        Ok(())
    }
}

fn widen<T: Sample>(values: &[T], out: &mut [f64]) {
    for (wide, narrow) in out.iter_mut().zip(values) {
        *wide = narrow.to_f64();
    }
}

/// All calls of kernels fit their buffers, so a refusal in a step is a defect.
fn lookahead(refusal: LookaheadError) -> RuntimeError {
    RuntimeError::Internal(refusal.to_string())
}
