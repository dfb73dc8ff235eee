//! Stepping a model over an input, open or in a closed loop, as a host would.
//!
//! ```text
//! open     x[t] = s[t]
//! closed   x[t] = G y[t] + s[t]   with y[t] = H[0] x[t] + hr[t] + ir[t]
//!          => (I - G H[0]) x[t] = G (hr[t] + ir[t]) + s[t]
//! ```
//!
//! The output is `y = (dr + hr) + ir` in this order, `ir` only for a pack that has it; the order is
//! fixed so that a run can be repeated bit by bit.
//!
//! Cost: one step of the model, and in a closed loop one solve with the factors of `I - G H[0]`,
//! which never change.

mod closed_loop;
mod source;

use std::time::Instant;

use tdse_runtime::{Model, RuntimeError};

use crate::arrays::Matrix;
use crate::fault::Fault;

pub(crate) use closed_loop::ClosedLoop;
pub(crate) use source::source_matrix;

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Steps {
    /// Outputs `[steps][nq]`.
    pub(crate) y: Matrix,
    /// History responses `[steps][nq]`.
    pub(crate) history: Matrix,
    /// Nanoseconds of all steps: begin, hr, ir, the solve, commit, dr.
    pub(crate) ns: u64,
}

/// Steps `model` once for each row of `source`. `tell` hears the share done now and then.
pub(crate) fn step_through(
    model: &mut Model,
    source: &Matrix,
    mut closed: Option<ClosedLoop>,
    mut tell: impl FnMut(f64),
) -> Result<Steps, Fault> {
    let pack = model.prepared().pack();
    let (nq, np, dt) = (pack.shape().nq(), pack.shape().np(), pack.dt());
    let has_ir = pack.ir_steps() > 0;
    let steps = source.rows;
    let mut y = vec![0.0; steps * nq];
    let mut history = vec![0.0; steps * nq];
    let mut ir = vec![0.0; nq];
    let mut x = vec![0.0; np];
    let start = Instant::now();
    for step in 0..steps {
        let at = |error| refusal(step, closed.is_some(), error);
        let out = step * nq..(step + 1) * nq;
        let (y, hr) = (&mut y[out.clone()], &mut history[out]);
        model.begin(step as f64 * dt, dt).map_err(at)?;
        model.hr(hr).map_err(at)?;
        if has_ir {
            model.ir(&mut ir).map_err(at)?;
        }
        match &mut closed {
            None => x.copy_from_slice(source.row(step)),
            Some(closed) => closed.solve(hr, &ir, source.row(step), &mut x),
        }
        let at = |error| refusal(step, closed.is_some(), error);
        model.commit(&x).map_err(at)?;
        model.dr(y).map_err(at)?;
        for (q, y) in y.iter_mut().enumerate() {
            *y += hr[q];
            if has_ir {
                *y += ir[q];
            }
        }
        if step % 1024 == 0 {
            tell(step as f64 / steps as f64);
        }
    }
    let ns = start.elapsed().as_nanos() as u64;
    Ok(Steps {
        y: Matrix {
            rows: steps,
            columns: nq,
            data: y,
        },
        history: Matrix {
            rows: steps,
            columns: nq,
            data: history,
        },
        ns,
    })
}

fn refusal(step: usize, closed: bool, error: RuntimeError) -> Fault {
    match error {
        RuntimeError::NonFinite { .. } if closed => Fault::Diverged { step },
        error => Fault::Step { step, error },
    }
}
