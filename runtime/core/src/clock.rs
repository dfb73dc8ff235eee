//! When steps happen: uniform time at the pack's `dt`.
//!
//! The host may compute its times as `t0 + n * dt` or by adding `dt` again and again; both round.
//! A time is accepted when it differs from "last committed + dt" by at most `1e-9 dt` plus eight
//! units of rounding of the time itself. (An absolute tolerance would be larger than a whole step
//! of an RF pack.) Steps are counted, not divided out of the time: the rounding of added times
//! grows and would pass half a step after some 10^8 steps.

use crate::RuntimeError;

/// Largest relative difference between the host's step and the pack's.
const STEP_TOLERANCE: f64 = 1e-9;

/// Time of a model.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    dt: f64,
    start: f64,
    /// Time and number of the last committed step.
    committed: Option<(f64, i64)>,
}

impl Clock {
    /// A clock for steps of `dt` seconds; `start` is the time of step 0.
    pub(crate) fn new(dt: f64, start: f64) -> Self {
        Clock {
            dt,
            start,
            committed: None,
        }
    }

    /// Checks that a step may begin at `t` with `dt`.
    pub(crate) fn check(&self, t: f64, dt: f64) -> Result<(), RuntimeError> {
        let same_step = (dt - self.dt).abs() <= STEP_TOLERANCE * self.dt;
        if !same_step {
            return Err(RuntimeError::StepSize {
                expected: self.dt,
                found: dt,
            });
        }
        let expected = self.committed.map_or(t, |(last, _)| last + self.dt);
        let tolerance = STEP_TOLERANCE * self.dt + 8.0 * f64::EPSILON * expected.abs();
        if !t.is_finite() || (t - expected).abs() > tolerance {
            return Err(RuntimeError::Time { expected, found: t });
        }
        Ok(())
    }

    /// Number of the step at `t`, a time that [`Clock::check`] passed; 0 is at the start time.
    pub(crate) fn step(&self, t: f64) -> i64 {
        match self.committed {
            Some((_, step)) => step.saturating_add(1),
            // Rounding costs a call where the baseline has no instruction for it: once only.
            None => ((t - self.start) / self.dt).round() as i64,
        }
    }

    /// Accepts the step at `t`.
    pub(crate) fn commit(&mut self, t: f64) {
        self.committed = Some((t, self.step(t)));
    }

    /// Forgets every committed step.
    pub(crate) fn reset(&mut self) {
        self.committed = None;
    }
}
