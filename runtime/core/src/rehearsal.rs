//! Steps a route for a moment to see what its steps cost.
//!
//! The history is filled first, so that no transform meets zeros only. Throughput is the least mean of several
//! stretches of whole largest periods (other work on the machine only adds); the deadline's figure is the slowest
//! step but one in a thousand: of every place in the largest period, where a plan does the same work each time, the
//! least of several periods counts, so that stalls of the machine drop out.

use std::time::{Duration, Instant};

use tdse_lookahead::Objective;

use crate::RuntimeError;
use crate::stepper::Stepper;

/// Stretches whose mean is taken.
const STRETCHES: usize = 5;
/// Periods looked at for a deadline.
const MOST_PERIODS: usize = 100;
/// Steps between two looks at the budget while the history is filled.
const CHECKED: usize = 256;
/// Steps of a stretch, at least.
const LEAST_STEPS: usize = 256;

/// Nanoseconds a step, by the objective; takes about `budget`.
pub(crate) fn rehearse(
    mut stepper: Box<dyn Stepper>,
    np: usize,
    nq: usize,
    period: usize,
    objective: Objective,
    budget: Duration,
) -> Result<f64, RuntimeError> {
    let started = Instant::now();
    let mut x = vec![0.0; np];
    let mut out = vec![0.0; nq];
    let mut n = 0usize;
    let mut step = || -> Result<(), RuntimeError> {
        stepper.history(&mut out)?;
        n += 1;
        for (port, x) in x.iter_mut().enumerate() {
            *x = ((n * 7 + port * 13) % 31) as f64 - 15.5;
        }
        stepper.stage(&x)?;
        stepper.accept()
    };
    let steps = LEAST_STEPS.next_multiple_of(period);
    // Whole periods, so that the places of the first step measured and of the plan are the same.
    for n in 0..2 * period {
        step()?;
        if n % CHECKED == CHECKED - 1 && started.elapsed() > budget {
            // Too slow for the budget: what the steps so far took has to do.
            return Ok(started.elapsed().as_nanos() as f64 / (n + 1) as f64);
        }
    }
    match objective {
        Objective::Throughput => {
            let mut least = f64::INFINITY;
            for _ in 0..STRETCHES {
                let begun = Instant::now();
                for _ in 0..steps {
                    step()?;
                }
                least = least.min(begun.elapsed().as_nanos() as f64 / steps as f64);
                if started.elapsed() > budget {
                    break;
                }
            }
            Ok(least)
        }
        Objective::Deadline => {
            let mut least = vec![f64::INFINITY; period];
            let mut periods = 0;
            while periods < 2 || (periods < MOST_PERIODS && started.elapsed() < budget) {
                for least in &mut least {
                    let begun = Instant::now();
                    step()?;
                    *least = least.min(begun.elapsed().as_nanos() as f64);
                }
                periods += 1;
            }
            least.sort_by(f64::total_cmp);
            Ok(least[(least.len() - 1) * 999 / 1000])
        }
    }
}
