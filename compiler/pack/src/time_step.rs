//! One time step from what a file says and what the options say.

use crate::PackError;
use crate::fault::ImportFault;

/// Largest relative difference at which two time steps count as the same: a rate such as 44100 Hz
/// is often given as a time step with ten digits.
const SAME: f64 = 1e-9;

/// Whether two time steps are the same but for rounding.
pub(crate) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

/// The file's time step in seconds, else the one asked for; with its origin.
///
/// # Errors
/// Neither is there, or both are and differ.
pub(crate) fn choose(
    format: &'static str,
    found: Option<f64>,
    asked: Option<f64>,
) -> Result<(f64, &'static str), PackError> {
    match (found, asked) {
        (Some(found), Some(asked)) if !same(found, asked) => {
            Err(ImportFault::TimeStepConflict { found, asked }.into())
        }
        (Some(found), _) => Ok((found, "file")),
        (None, Some(asked)) => Ok((asked, "options")),
        (None, None) => Err(ImportFault::MissingTimeStep { format }.into()),
    }
}
