//! A model: one history of a prepared pack, stepped by the host.

use crate::RuntimeError;
use crate::clock::Clock;
use crate::prepared::Prepared;
use crate::snapshot::Snapshot;
use crate::stepper::Stepper;

/// One instance of a prepared pack.
///
/// Order of a step: [`begin`](Model::begin), then [`op`](Model::op), [`hr`](Model::hr) and
/// [`ir`](Model::ir) in any order and number, then [`commit`](Model::commit), then
/// [`dr`](Model::dr). `hr` and `ir` are pure: a trial that is not committed leaves no trace.
/// A model belongs to one thread at a time, which `&mut self` enforces; it may move between threads.
pub struct Model {
    prepared: Prepared,
    stepper: Box<dyn Stepper>,
    clock: Clock,
    trial: Option<f64>,
    committed: u64,
}

impl Model {
    pub(crate) fn new(prepared: Prepared, stepper: Box<dyn Stepper>) -> Self {
        let clock = Clock::new(prepared.pack().dt(), prepared.start_time());
        Model {
            prepared,
            stepper,
            clock,
            trial: None,
            committed: 0,
        }
    }

    /// Opens a trial at time `t` with step `dt`, both in seconds.
    ///
    /// `dt` must be the pack's, `t` the last committed time plus `dt`; the first step may begin at
    /// any time. A trial that is still open is dropped without a trace. On an error an open trial
    /// stays open.
    pub fn begin(&mut self, t: f64, dt: f64) -> Result<(), RuntimeError> {
        self.clock.check(t, dt)?;
        self.prepared.adopt();
        self.trial = Some(t);
        Ok(())
    }

    /// Drops the open trial, if any.
    pub fn abort(&mut self) {
        self.trial = None;
    }

    /// The instantaneous operator `H[0]`, `[nq][np]`, as the kernels use it (rounded to the
    /// model's element type). The same at every step and callable at any time.
    pub fn op(&self, out: &mut [f64]) -> Result<(), RuntimeError> {
        let op = self.prepared.operator();
        check_length("op", op.len(), out.len())?;
        out.copy_from_slice(op);
        Ok(())
    }

    /// The history response, `[nq]`: the sum over the lags `k >= 1` of `H[k] x[t - k]`.
    pub fn hr(&mut self, out: &mut [f64]) -> Result<(), RuntimeError> {
        self.open("hr")?;
        check_length("hr", self.prepared.pack().shape().nq(), out.len())?;
        self.stepper.history(out)
    }

    /// The independent response at this step, `[nq]`.
    ///
    /// Step 0 is at the start time of [`PrepareOptions`](crate::PrepareOptions); outside the
    /// response's horizon this is an error, never zeros.
    pub fn ir(&self, out: &mut [f64]) -> Result<(), RuntimeError> {
        let t = self.open("ir")?;
        let nq = self.prepared.pack().shape().nq();
        check_length("ir", nq, out.len())?;
        let Some(response) = self.prepared.independent() else {
            return Err(RuntimeError::NoIr);
        };
        let steps = response.len() / nq;
        let step = self.clock.step(t);
        let row = usize::try_from(step).ok().filter(|&row| row < steps);
        let row = row.ok_or(RuntimeError::IrStepOutOfRange {
            step,
            last: steps as i64 - 1,
        })?;
        out.copy_from_slice(&response[row * nq..(row + 1) * nq]);
        Ok(())
    }

    /// Accepts the step with input `x`, `[np]`: the only call that changes the history.
    ///
    /// Non-finite values (and, in an f32 model, values that f32 cannot hold) are refused; then the
    /// trial stays open and nothing has changed.
    pub fn commit(&mut self, x: &[f64]) -> Result<(), RuntimeError> {
        let t = self.open("commit")?;
        check_length("commit", self.prepared.pack().shape().np(), x.len())?;
        self.stepper.stage(x)?;
        self.stepper.accept()?;
        self.clock.commit(t);
        self.trial = None;
        self.committed += 1;
        Ok(())
    }

    /// The direct response, `[nq]`: `H[0]` times the vector accepted last.
    pub fn dr(&mut self, out: &mut [f64]) -> Result<(), RuntimeError> {
        if self.trial.is_some() {
            return Err(RuntimeError::InTrial("dr"));
        }
        if self.committed == 0 {
            return Err(RuntimeError::NothingAccepted);
        }
        check_length("dr", self.prepared.pack().shape().nq(), out.len())?;
        self.stepper.direct(out)
    }

    /// Back to the state before the first step.
    pub fn reset(&mut self) {
        self.stepper.reset();
        self.clock.reset();
        self.trial = None;
        self.committed = 0;
    }

    /// Does a part of the work that commits to come would do, and says whether there was any.
    ///
    /// For hosts with time to spare between steps: routes in spread form then find less to do in
    /// [`commit`](Model::commit). Results are the same to the bit; an open trial is not touched.
    pub fn idle(&mut self) -> Result<bool, RuntimeError> {
        self.stepper.idle()
    }

    /// The state after the last commit. Allocates; an open trial is no part of it.
    pub fn save(&self) -> Snapshot {
        Snapshot {
            prepared: self.prepared.clone(),
            history: self.stepper.save(),
            exact: self.stepper.save_exact(),
            clock: self.clock.clone(),
            committed: self.committed,
        }
    }

    /// Goes back, or over, to a state saved by this or another model of the same pack.
    ///
    /// A model of the same [`Prepared`] goes on to the bit. One on another route goes on within its own
    /// error bounds; it commits the last `nh - 1` vectors again, at the cost of as many steps. An open trial
    /// is dropped. A state of another pack, one that began at another time, or one with inputs that the model's
    /// element type cannot hold is refused, and nothing has changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RuntimeError> {
        let other = &snapshot.prepared;
        let same_pack = other.pack().identity() == self.prepared.pack().identity();
        if !same_pack || other.start_time() != self.prepared.start_time() {
            return Err(RuntimeError::OtherPack);
        }
        let exact = snapshot.exact.as_deref();
        let exact = exact.filter(|_| other.is(&self.prepared));
        self.stepper
            .restore(&snapshot.history, snapshot.committed, exact)?;
        self.clock = snapshot.clock.clone();
        self.committed = snapshot.committed;
        self.trial = None;
        Ok(())
    }

    /// Steps committed since the start or the last reset.
    pub fn committed_steps(&self) -> u64 {
        self.committed
    }

    /// The time of the open trial. Errors are made only where they are returned: a step makes none.
    fn open(&self, call: &'static str) -> Result<f64, RuntimeError> {
        match self.trial {
            Some(t) => Ok(t),
            None => Err(RuntimeError::NoTrial(call)),
        }
    }

    /// What the model was made from.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// Bytes of this model alone: history and workspace.
    pub fn bytes(&self) -> usize {
        self.stepper.bytes()
    }
}

fn check_length(call: &'static str, expected: usize, found: usize) -> Result<(), RuntimeError> {
    if expected == found {
        Ok(())
    } else {
        Err(RuntimeError::Length {
            call,
            expected,
            found,
        })
    }
}
