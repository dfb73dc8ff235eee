//! The input of a run as a matrix `[steps][np]`.

use crate::args::Input;
use crate::arrays::{Matrix, read_matrix};
use crate::fault::Fault;
use crate::random::SplitMix64;

/// Steps of a generated input when none were asked for.
const DEFAULT_STEPS: usize = 1024;

/// Most values of a generated input: 4 GiB.
const MAX_VALUES: usize = 1 << 29;

/// Reads or generates the input of a pack with `np` inputs.
pub(crate) fn source_matrix(
    input: &Input,
    steps: Option<usize>,
    np: usize,
) -> Result<Matrix, Fault> {
    if steps == Some(0) {
        return Err(Fault::Value(
            "--steps 0 asks for nothing; ask for at least one step".to_owned(),
        ));
    }
    match input {
        Input::File(path) => {
            let mut x = read_matrix(path, np, "the input")?;
            let wanted = steps.unwrap_or(x.rows);
            if wanted > x.rows || x.rows == 0 {
                return Err(Fault::InputTooShort {
                    wanted: wanted.max(1),
                    found: x.rows,
                });
            }
            x.rows = wanted;
            x.data.truncate(wanted * np);
            match x.data.iter().position(|v| !v.is_finite()) {
                None => Ok(x),
                Some(at) => Err(Fault::Value(format!(
                    "the input in {} holds {} at step {}, input {}; give finite values",
                    path.display(),
                    x.data[at],
                    at / np,
                    at % np + 1
                ))),
            }
        }
        Input::Random(seed) => {
            let mut generator = SplitMix64::new(*seed);
            let mut x = zeros(steps, np)?;
            x.data.fill_with(|| generator.uniform());
            Ok(x)
        }
        Input::Impulse(port) => {
            if *port > np {
                return Err(Fault::Value(format!(
                    "--input impulse:{port}: the pack has {np} inputs, counted from 1"
                )));
            }
            let mut x = zeros(steps, np)?;
            x.data[port - 1] = 1.0;
            Ok(x)
        }
    }
}

fn zeros(steps: Option<usize>, np: usize) -> Result<Matrix, Fault> {
    let rows = steps.unwrap_or(DEFAULT_STEPS);
    match rows.checked_mul(np) {
        Some(values) if values <= MAX_VALUES => Ok(Matrix {
            rows,
            columns: np,
            data: vec![0.0; values],
        }),
        _ => Err(Fault::Value(format!(
            "--steps {rows} with {np} inputs is more than {MAX_VALUES} values; run fewer steps at a time"
        ))),
    }
}
