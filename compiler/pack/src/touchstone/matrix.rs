//! Numbers of one record to one full complex matrix.

use super::Format;
use num_complex::Complex;

/// Which elements a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// All, row by row.
    Full,
    /// All, column by column (the order 11 21 12 22 of 2-ports).
    FullByColumn,
    /// On and below the diagonal, row by row.
    Lower,
    /// On and above the diagonal, row by row.
    Upper,
}

impl Layout {
    /// Real numbers in one record. `ports` is at most [`super::MAX_PORTS`], so nothing overflows.
    pub(super) fn numbers(self, ports: usize) -> usize {
        match self {
            Layout::Full | Layout::FullByColumn => 2 * ports * ports,
            Layout::Lower | Layout::Upper => ports * (ports + 1),
        }
    }

    /// Appends the full row-major matrix of one record.
    pub(super) fn expand(
        self,
        numbers: &[f64],
        ports: usize,
        format: Format,
        into: &mut Vec<Complex<f64>>,
    ) {
        let start = into.len();
        into.resize(start + ports * ports, Complex::default());
        let matrix = &mut into[start..];
        let mut pairs = numbers
            .chunks_exact(2)
            .map(|pair| format.complex(pair[0], pair[1]));
        for row in 0..ports {
            let columns = match self {
                Layout::Full | Layout::FullByColumn => 0..ports,
                Layout::Lower => 0..row + 1,
                Layout::Upper => row..ports,
            };
            for column in columns {
                let value = pairs.next().unwrap_or_default();
                match self {
                    Layout::Full => matrix[row * ports + column] = value,
                    Layout::FullByColumn => matrix[column * ports + row] = value,
                    Layout::Lower | Layout::Upper => {
                        matrix[row * ports + column] = value;
                        matrix[column * ports + row] = value;
                    }
                }
            }
        }
    }
}

impl Format {
    /// The complex number that a pair means in this format.
    pub(super) fn complex(self, first: f64, second: f64) -> Complex<f64> {
        match self {
            Format::Ri => Complex::new(first, second),
            Format::Ma => Complex::from_polar(first, second.to_radians()),
            Format::Db => Complex::from_polar(10f64.powf(first / 20.0), second.to_radians()),
        }
    }
}
