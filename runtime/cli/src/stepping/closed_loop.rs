//! The host's side of a closed loop: the equations that tie `x[t]` to `y[t]`, solved with `op`.

use nalgebra::{DMatrix, DVector, Dyn, LU};

use crate::args::Termination;
use crate::arrays::{Matrix, read_matrix};
use crate::fault::Fault;

/// Above this condition number of `I - G H[0]` the solution has fewer than four good digits.
const CONDITION_LIMIT: f64 = 1e12;

/// `I - G H[0]`, factored, and G.
#[derive(Debug)]
pub(crate) struct ClosedLoop {
    factors: LU<f64, Dyn, Dyn>,
    feedback: DMatrix<f64>,
    response: DVector<f64>,
    right: DVector<f64>,
    condition: f64,
}

impl ClosedLoop {
    /// Factors the loop of a termination around `op`, the `[nq][np]` operator of the model.
    pub(crate) fn new(
        termination: &Termination,
        op: &[f64],
        nq: usize,
        np: usize,
    ) -> Result<Self, Fault> {
        let feedback = feedback(termination, nq, np)?;
        let op = DMatrix::from_row_slice(nq, np, op);
        let matrix = DMatrix::identity(np, np) - &feedback * op;
        let values = matrix.singular_values();
        let (largest, smallest) = (values.max(), values.min());
        // A matrix of zeros has no quotient and is singular all the same.
        let condition = if smallest > 0.0 {
            largest / smallest
        } else {
            f64::INFINITY
        };
        if condition > CONDITION_LIMIT {
            return Err(Fault::IllConditioned {
                condition,
                limit: CONDITION_LIMIT,
            });
        }
        Ok(ClosedLoop {
            factors: matrix.lu(),
            feedback,
            response: DVector::zeros(nq),
            right: DVector::zeros(np),
            condition,
        })
    }

    /// Condition number of `I - G H[0]` in the 2-norm.
    pub(crate) fn condition(&self) -> f64 {
        self.condition
    }

    /// `x` from the responses of the model and the source at this step.
    pub(crate) fn solve(&mut self, hr: &[f64], ir: &[f64], source: &[f64], x: &mut [f64]) {
        for (q, value) in self.response.iter_mut().enumerate() {
            *value = hr[q] + ir[q];
        }
        self.right.copy_from_slice(source);
        self.right.gemv(1.0, &self.feedback, &self.response, 1.0);
        // The condition was checked, so the factors have no zero on their diagonal.
        let solved = self.factors.solve_mut(&mut self.right);
        debug_assert!(solved);
        x.copy_from_slice(self.right.as_slice());
    }
}

fn feedback(termination: &Termination, nq: usize, np: usize) -> Result<DMatrix<f64>, Fault> {
    let diagonal = |value: f64| {
        if nq == np {
            return Ok(DMatrix::from_diagonal_element(np, np, value));
        }
        Err(Fault::Value(format!(
            "--terminate: matched, open and short need as many outputs as inputs, the pack has {nq} and {np}; give G as a [{np}, {nq}] .npy file"
        )))
    };
    match termination {
        Termination::Matched => diagonal(0.0),
        Termination::Open => diagonal(1.0),
        Termination::Short => diagonal(-1.0),
        Termination::File(path) => {
            let Matrix { rows, data, .. } = read_matrix(path, nq, "G")?;
            if rows != np {
                return Err(Fault::ArrayShape {
                    what: format!("G in {}", path.display()),
                    found: vec![rows, nq],
                    wanted: format!("[{np}, {nq}]"),
                });
            }
            if data.iter().any(|v| !v.is_finite()) {
                return Err(Fault::Value(format!(
                    "G in {} holds a value that is not finite",
                    path.display()
                )));
            }
            Ok(DMatrix::from_row_slice(np, nq, &data))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn solution_satisfies_the_loop() {
        let op = [0.2, -0.1, 0.05, 0.3];
        let mut closed = ClosedLoop::new(&Termination::Open, &op, 2, 2).unwrap();
        let (hr, ir, s) = ([0.4, -0.7], [0.1, 0.0], [1.0, 2.0]);
        let mut x = [0.0; 2];
        closed.solve(&hr, &ir, &s, &mut x);
        for q in 0..2 {
            let y = op[2 * q] * x[0] + op[2 * q + 1] * x[1] + hr[q] + ir[q];
            assert!((x[q] - (y + s[q])).abs() < 1e-15);
        }
    }

    #[test]
    fn singular_loop_is_refused() {
        let refused = ClosedLoop::new(&Termination::Open, &[1.0], 1, 1);
        assert!(matches!(refused, Err(Fault::IllConditioned { .. })));
        assert!(ClosedLoop::new(&Termination::Short, &[1.0], 1, 1).is_ok());
    }

    #[test]
    fn named_terminations_need_a_square_pack() {
        assert!(matches!(
            ClosedLoop::new(&Termination::Open, &[1.0, 0.0], 2, 1),
            Err(Fault::Value(_))
        ));
    }
}
