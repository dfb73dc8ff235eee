//! Arrays that come from and go to `.npy` files.

use std::io::Read;
use std::path::Path;

use tdse_pack::MAX_FILE_BYTES;
use tdse_pack::npy::{read_npy, write_npy};

use crate::fault::Fault;
use crate::publish::publish;

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// Number of rows.
    pub(crate) rows: usize,
    /// Values in a row.
    pub(crate) columns: usize,
    /// `rows * columns` values.
    pub(crate) data: Vec<f64>,
}

impl Matrix {
    /// The values of a row.
    pub(crate) fn row(&self, n: usize) -> &[f64] {
        &self.data[n * self.columns..(n + 1) * self.columns]
    }
}

/// Reads a matrix with a given number of columns; a plain list will do for one column. `what`
/// names it in refusals.
pub(crate) fn read_matrix(path: &Path, columns: usize, what: &str) -> Result<Matrix, Fault> {
    let bytes = read_bounded(path).map_err(|error| Fault::Read {
        path: path.to_owned(),
        error,
    })?;
    let array = read_npy(&bytes).map_err(|error| Fault::Pack {
        path: path.to_owned(),
        error,
    })?;
    let rows = match *array.shape.as_slice() {
        [rows, found] if found == columns => rows,
        [rows] if columns == 1 => rows,
        _ => {
            return Err(Fault::ArrayShape {
                what: format!("{what} in {}", path.display()),
                found: array.shape,
                wanted: format!("[rows, {columns}]"),
            });
        }
    };
    Ok(Matrix {
        rows,
        columns,
        data: array.data,
    })
}

/// Reads at most [`MAX_FILE_BYTES`] of a file; more is refused.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(std::io::Error::new(
            std::io::ErrorKind::FileTooLarge,
            "it is larger than any array of a pack",
        ));
    }
    Ok(bytes)
}

/// Writes a matrix.
pub(crate) fn write_matrix(path: &Path, matrix: &Matrix) -> Result<(), Fault> {
    publish(
        path,
        &write_npy(&[matrix.rows, matrix.columns], &matrix.data),
    )
}
