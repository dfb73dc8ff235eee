//! A pack's far history: what all lags beyond the head contribute.
//!
//! Rows and ports that no tap joins are evaluated apart, so that a pack of separate channels costs what
//! its channels cost and zero pairs are not computed:
//!
//! ```text
//!   H beyond the head  --which (row, port) pairs have taps-->  parts  --one engine each-->  response
//! ```

use std::sync::Arc;

use tdse_compiler::CompiledKernel;
use tdse_pack::Pack;

use crate::code::Code;
use crate::engine::{Engine, EngineState};
use crate::parts::{Part, parts};
use crate::plan::Plan;
use crate::taps::Taps;
use crate::{LookaheadError, Sample};

/// Code and taps of a plan for a pack; shared by all models of the pack.
pub struct FarHistory<T: Sample> {
    plan: Plan,
    np: usize,
    nq: usize,
    engines: Vec<(Part, Engine<T>)>,
    /// Whether one part has all rows and ports.
    whole: bool,
}

/// The far history of one model.
#[derive(Clone)]
pub struct FarState<T: Sample> {
    shared: Arc<FarHistory<T>>,
    states: Vec<EngineState<T>>,
    /// A part's inputs, and the response of all parts.
    inputs: Vec<T>,
    response: Vec<T>,
}

impl<T: Sample> FarHistory<T> {
    /// Compiles the plan's kernels and transforms the pack's taps.
    ///
    /// The plan must fit the pack ([`Plan::check_for`]). Memory: 2 to 2.5 times that of the taps, more where blocks are
    /// smaller than a vector register.
    pub fn build(pack: &Pack, plan: &Plan, code: &Code) -> Result<Self, LookaheadError> {
        let shape = pack.shape();
        plan.check_for(shape.nh())?;
        let far = (plan.head_taps() + 1).min(shape.nh())..shape.nh();
        let mut engines = Vec::new();
        for part in parts(pack, far) {
            let taps = Taps::new(pack, part.rows.clone(), part.ports.clone());
            engines.push((part, Engine::build(&taps, plan, code)?));
        }
        Ok(FarHistory {
            plan: plan.clone(),
            np: shape.np(),
            nq: shape.nq(),
            whole: engines
                .iter()
                .any(|(part, _)| part.rows.len() == shape.nq() && part.ports.len() == shape.np()),
            engines,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The kernel of every level, in a fixed order.
    pub fn kernels(&self) -> impl Iterator<Item = &Arc<CompiledKernel>> {
        let levels = self.engines.iter().flat_map(|(_, engine)| engine.levels());
        levels.map(|level| level.kernel().code())
    }

    /// Bytes of taps, spectra and code.
    pub fn bytes(&self) -> usize {
        self.engines.iter().map(|(_, engine)| engine.bytes()).sum()
    }

    /// A state in which nothing has been committed and the coming step is number `time`.
    ///
    /// The number of a step decides which boundaries it meets: a history that is committed again from the middle, with the
    /// numbers that its steps had, gives the same bits as soon as no window reaches back before its start.
    pub fn state(self: &Arc<Self>, time: u64) -> FarState<T> {
        FarState {
            states: self.engines.iter().map(|(_, e)| e.state(time)).collect(),
            inputs: vec![T::default(); self.np],
            response: vec![T::default(); self.nq],
            shared: Arc::clone(self),
        }
    }

    /// The one engine that serves all rows and ports, when there is no other.
    fn only(&self) -> Option<&Engine<T>> {
        match self.engines.as_slice() {
            [(_, engine)] if self.whole => Some(engine),
            _ => None,
        }
    }
}

impl<T: Sample> FarState<T> {
    /// Accepts the input of the coming step, `[np]`. All work is done here.
    pub fn commit(&mut self, x: &[T]) -> Result<(), LookaheadError> {
        if x.len() != self.inputs.len() {
            return Err(LookaheadError::Inputs {
                expected: self.inputs.len(),
                found: x.len(),
            });
        }
        if let (Some(engine), [state]) = (self.shared.only(), self.states.as_mut_slice()) {
            return engine.commit(state, x);
        }
        for ((part, engine), state) in self.shared.engines.iter().zip(&mut self.states) {
            let inputs = &mut self.inputs[..part.ports.len()];
            for (input, &port) in inputs.iter_mut().zip(&part.ports) {
                *input = x[port];
            }
            engine.commit(state, inputs)?;
            for (&row, &value) in part.rows.iter().zip(engine.response(state)) {
                self.response[row] = value;
            }
        }
        Ok(())
    }

    /// What the lags beyond the head contribute to the coming step, `[nq]`.
    pub fn response(&self) -> &[T] {
        match (self.shared.only(), self.states.as_slice()) {
            (Some(engine), [state]) => engine.response(state),
            _ => &self.response,
        }
    }

    /// Does one task of a spread plan ahead of its time; false when none is left.
    ///
    /// A host calls it when it has time to spare; later commits then have less to do. The results are
    /// the same to the bit.
    pub fn idle(&mut self) -> Result<bool, LookaheadError> {
        for ((_, engine), state) in self.shared.engines.iter().zip(&mut self.states) {
            if engine.idle(state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Back to nothing committed, the coming step number 0.
    pub fn clear(&mut self) {
        self.states.iter_mut().for_each(EngineState::clear);
        self.response.fill(T::default());
    }

    /// Bytes of this state.
    pub fn bytes(&self) -> usize {
        self.states.iter().map(EngineState::bytes).sum()
    }
}
