//! Y, Z, G and H matrices to S, for any references, and version 1's normalisation undone.
//!
//! All four kinds are one case: with x the independent port quantities, V = A x and I = B x.
//!
//! ```text
//!      x          A                 B
//! Z    I          Z                 1
//! Y    V          1                 Y
//! H    I1, V2     [h11 h12; 0 1]    [1 0; h21 h22]
//! G    V1, I2     [1 0; g21 g22]    [g11 g12; 0 1]
//! ```
//!
//! Power waves of references z_i (K. Kurokawa, "Power waves and the scattering matrix", IEEE
//! Trans. MTT 13, 1965, pp. 194-202): a_i = (V_i + z_i I_i) / (2 sqrt(Re z_i)) and
//! b_i = (V_i - conj(z_i) I_i) / (2 sqrt(Re z_i)). With F the diagonal of 1 / sqrt(Re z_i) and
//! z that of z_i, b = S a gives S = F (A - conj(z) B) (A + z B)^-1 F^-1.
//! No inverse of Z, Y, h22 or g22 is taken, so an open, a short and an ideal transformer convert
//! as well. Real references make this the usual S. Cost: one LU and one solve of n x n a point.

use super::mixed_mode;
use super::text::Place;
use super::{Parameter, Touchstone, TouchstoneFault};
use crate::PackError;
use crate::sparams::SParameters;
use nalgebra::DMatrix;
use num_complex::Complex;

impl Touchstone {
    /// The S-parameters of the file, with the reference of each row of the matrix.
    ///
    /// S data come back as they are, not renormalised. In mixed-mode data the rows stay modes,
    /// and a differential mode has twice the reference of its ports, a common mode half of it.
    ///
    /// # Errors
    /// [`TouchstoneFault::Singular`] with the record's line where no S exists, for instance for an
    /// admittance of exactly minus that of the reference.
    pub fn to_s(&self) -> Result<SParameters, PackError> {
        let reference = match &self.mixed_mode {
            Some(modes) => mixed_mode::references(modes, &self.reference),
            None => self.reference.clone(),
        };
        let size = self.ports * self.ports;
        let mut data = Vec::with_capacity(self.data.len());
        for (point, matrix) in self.data.chunks_exact(size.max(1)).enumerate() {
            match scattering(self.parameter, matrix, &reference) {
                Some(s) => data.extend(s),
                None => {
                    let frequency = self.frequencies.get(point).copied().unwrap_or_default();
                    let line = self.lines.get(point).copied().unwrap_or(1);
                    let fault = TouchstoneFault::Singular {
                        parameter: self.parameter,
                        frequency,
                    };
                    return Err(Place::line(line).fault(fault));
                }
            }
        }
        Ok(SParameters {
            frequencies: self.frequencies.clone(),
            ports: self.ports,
            data,
            reference,
        })
    }
}

/// S of one row-major matrix of `parameter` in ohm and siemens, by the formula above.
///
/// `None` if the matrix has no S with these references, if the lengths do not fit together, or
/// if G or H is asked for other than 2 ports.
pub fn scattering(
    parameter: Parameter,
    matrix: &[Complex<f64>],
    reference: &[Complex<f64>],
) -> Option<Vec<Complex<f64>>> {
    let n = reference.len();
    let hybrid = matches!(parameter, Parameter::G | Parameter::H);
    if matrix.len() != n * n || (hybrid && n != 2) {
        return None;
    }
    if parameter == Parameter::S {
        return Some(matrix.to_vec());
    }
    let (zero, one) = (Complex::new(0.0, 0.0), Complex::new(1.0, 0.0));
    let given = DMatrix::from_row_slice(n, n, matrix);
    let identity = DMatrix::identity(n, n);
    let with_rows = |first: [Complex<f64>; 2], second: [Complex<f64>; 2]| {
        DMatrix::from_row_slice(2, 2, &[first[0], first[1], second[0], second[1]])
    };
    let (a, b) = match parameter {
        Parameter::Y => (identity, given),
        Parameter::H => (
            with_rows([matrix[0], matrix[1]], [zero, one]),
            with_rows([one, zero], [matrix[2], matrix[3]]),
        ),
        Parameter::G => (
            with_rows([one, zero], [matrix[2], matrix[3]]),
            with_rows([matrix[0], matrix[1]], [zero, one]),
        ),
        Parameter::Z | Parameter::S => (given, identity),
    };
    // Row i of both sums carries z_i; the F factors scale entry i,j by sqrt(Re z_j / Re z_i).
    let sum = DMatrix::from_fn(n, n, |i, j| a[(i, j)] + reference[i] * b[(i, j)]);
    let difference = DMatrix::from_fn(n, n, |i, j| a[(i, j)] - reference[i].conj() * b[(i, j)]);
    // S' sum = difference, solved for the rows of S' through the transpose.
    let solved = sum.transpose().lu().solve(&difference.transpose())?;
    let root: Vec<f64> = reference.iter().map(|z| z.re.sqrt()).collect();
    let mut s = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            s.push(solved[(j, i)] * (root[j] / root[i]));
        }
    }
    s.iter()
        .all(|x| x.re.is_finite() && x.im.is_finite())
        .then_some(s)
}

/// Turns the normalised matrices of version 1 into ohm and siemens, in place.
///
/// Version 1 writes v_i = V_i / sqrt(R_i) and i_i = I_i sqrt(R_i) (Touchstone 2.1, notes on
/// versions 1.0 and 1.1), so Z_ij = z_ij sqrt(R_i R_j), Y_ij = y_ij / sqrt(R_i R_j), and H and G
/// go by the quantities that their elements connect. With one R these are the usual z R and y / R.
pub(super) fn denormalise(
    parameter: Parameter,
    data: &mut [Complex<f64>],
    reference: &[Complex<f64>],
) {
    let n = reference.len();
    let root: Vec<Complex<f64>> = reference.iter().map(|z| z.sqrt()).collect();
    // Row quantity times this gives volt or ampere; column quantity over this is normalised.
    let volt = |port: usize| root[port];
    let ampere = |port: usize| root[port].inv();
    for matrix in data.chunks_exact_mut((n * n).max(1)) {
        for (at, value) in matrix.iter_mut().enumerate() {
            let (row, column) = (at / n, at % n);
            let (out, input) = match parameter {
                Parameter::S => return,
                Parameter::Z => (volt(row), ampere(column)),
                Parameter::Y => (ampere(row), volt(column)),
                Parameter::H if row == 0 => {
                    (volt(0), if column == 0 { ampere(0) } else { volt(1) })
                }
                Parameter::H => (ampere(1), if column == 0 { ampere(0) } else { volt(1) }),
                Parameter::G if row == 0 => {
                    (ampere(0), if column == 0 { volt(0) } else { ampere(1) })
                }
                Parameter::G => (volt(1), if column == 0 { volt(0) } else { ampere(1) }),
            };
            // One reference for both ports must not leave rounding of its root behind.
            let factor = match (parameter, reference[row] == reference[column]) {
                (Parameter::Z, true) => reference[row],
                (Parameter::Y, true) => reference[row].inv(),
                _ => out / input,
            };
            *value *= factor;
        }
    }
}
