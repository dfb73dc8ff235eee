//! Largest and smallest eigenvalues of small Hermitian matrices, and the spectral norm through them.
//!
//! Finite taps of 1e308 have transforms that are not finite. The eigenvalue iteration of nalgebra (0.35.0) never
//! ends on such a matrix, so it is answered here before it gets there: norm infinite, eigenvalue minus infinite.

use nalgebra::DMatrix;
use num_complex::Complex;

type C64 = Complex<f64>;

/// Workspace for the spectral norm of `rows x cols` matrices.
///
/// The norm is the root of the largest eigenvalue of the smaller Gram matrix. Squaring halves the digits of
/// small singular values, not of the largest one.
pub(super) struct SpectralNorm {
    rows: usize,
    cols: usize,
    gram: DMatrix<C64>,
}

impl SpectralNorm {
    /// For matrices of this shape.
    pub(super) fn new(rows: usize, cols: usize) -> SpectralNorm {
        let size = rows.min(cols);
        SpectralNorm {
            rows,
            cols,
            gram: DMatrix::zeros(size, size),
        }
    }

    /// The largest singular value of `a`, row-major; infinite when an entry is not finite.
    pub(super) fn of(&mut self, a: &[C64]) -> f64 {
        if !is_finite(a) {
            return f64::INFINITY;
        }
        let scale = largest_part(a);
        if scale < f64::MIN_POSITIVE {
            return scale;
        }
        self.fill(a, 1.0 / scale);
        scale * largest(&self.gram).max(0.0).sqrt()
    }

    /// True when the largest singular value of `a` is certainly not above `bound` (`bound > 0`).
    ///
    /// `bound^2 I - gram` is positive definite exactly then, and a Cholesky factorisation proves it at a
    /// fraction of the cost of an eigenvalue.
    pub(super) fn is_below(&mut self, a: &[C64], bound: f64) -> bool {
        self.fill(a, 1.0 / bound);
        let size = self.gram.nrows();
        self.gram.neg_mut();
        for i in 0..size {
            self.gram[(i, i)] += 1.0;
        }
        is_positive_definite(&mut self.gram)
    }

    fn fill(&mut self, a: &[C64], scale: f64) {
        let (rows, cols) = (self.rows, self.cols);
        if rows <= cols {
            for i in 0..rows {
                for j in 0..=i {
                    let (x, y) = (&a[i * cols..(i + 1) * cols], &a[j * cols..(j + 1) * cols]);
                    let sum: C64 = x
                        .iter()
                        .zip(y)
                        .map(|(x, y)| x.scale(scale) * y.conj().scale(scale))
                        .sum();
                    self.gram[(i, j)] = sum;
                    self.gram[(j, i)] = sum.conj();
                }
            }
            return;
        }
        self.gram.fill(C64::default());
        for row in a.chunks_exact(cols) {
            for (j, y) in row.iter().enumerate() {
                for (i, x) in row.iter().enumerate() {
                    self.gram[(i, j)] += x.conj().scale(scale) * y.scale(scale);
                }
            }
        }
    }
}

/// The smallest eigenvalue of the Hermitian part `(a + a^H) / 2` of a square row-major matrix; minus infinite
/// when an entry is not finite.
pub(super) fn smallest_of_hermitian_part(a: &[C64], n: usize) -> f64 {
    if !is_finite(a) {
        return f64::NEG_INFINITY;
    }
    // Scaled, so that no sum and no square overflows.
    let scale = largest_part(a);
    if scale < f64::MIN_POSITIVE {
        return 0.0;
    }
    let part = DMatrix::from_fn(n, n, |i, j| {
        (a[i * n + j] / scale + a[j * n + i].conj() / scale) * 0.5
    });
    scale * part.symmetric_eigenvalues().min()
}

fn is_finite(a: &[C64]) -> bool {
    a.iter().all(|v| v.re.is_finite() && v.im.is_finite())
}

/// The largest real or imaginary part by magnitude.
fn largest_part(a: &[C64]) -> f64 {
    a.iter()
        .fold(0.0, |m: f64, v| m.max(v.re.abs()).max(v.im.abs()))
}

fn largest(gram: &DMatrix<C64>) -> f64 {
    match gram.nrows() {
        1 => gram[(0, 0)].re,
        2 => {
            let (a, d, b) = (gram[(0, 0)].re, gram[(1, 1)].re, gram[(1, 0)].norm());
            0.5 * (a + d) + (0.5 * (a - d)).hypot(b)
        }
        _ => gram.symmetric_eigenvalues().max(),
    }
}

/// Cholesky in place on the lower triangle; false at the first pivot that is not above 0.
fn is_positive_definite(a: &mut DMatrix<C64>) -> bool {
    let n = a.nrows();
    for k in 0..n {
        let pivot = a[(k, k)].re;
        // A pivot that is only rounding noise proves nothing.
        if pivot.is_nan() || pivot <= 1e-15 {
            return false;
        }
        let inverse = 1.0 / pivot;
        for j in k + 1..n {
            let factor = a[(j, k)].conj() * inverse;
            for i in j..n {
                let below = a[(i, k)];
                a[(i, j)] -= below * factor;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: usize, cols: usize) -> Vec<C64> {
        (0..rows * cols)
            .map(|i| C64::new((i as f64 * 1.7).sin(), (i as f64 * 0.9 + 1.0).cos()))
            .collect()
    }

    #[test]
    fn the_norm_equals_the_largest_singular_value() {
        for (rows, cols) in [
            (1, 1),
            (1, 5),
            (2, 2),
            (2, 7),
            (7, 2),
            (3, 3),
            (12, 12),
            (17, 5),
        ] {
            let a = sample(rows, cols);
            let want = DMatrix::from_row_slice(rows, cols, &a)
                .singular_values()
                .max();
            let mut norm = SpectralNorm::new(rows, cols);
            let got = norm.of(&a);
            assert!(
                (got - want).abs() < 1e-13 * want,
                "{rows}x{cols}: {got} {want}"
            );
            assert!(norm.is_below(&a, want * (1.0 + 1e-9)), "{rows}x{cols}");
            assert!(!norm.is_below(&a, want * (1.0 - 1e-9)), "{rows}x{cols}");
        }
        let mut norm = SpectralNorm::new(2, 2);
        assert_eq!(norm.of(&[C64::default(); 4]), 0.0);
        for tiny in [1e-300, 1e-200, 1e200] {
            let got = norm.of(&[1.0, 0.0, 0.0, 0.5].map(|v| C64::new(v * tiny, 0.0)));
            assert!((got / tiny - 1.0).abs() < 1e-14, "{tiny}: {got}");
        }
    }

    #[test]
    fn what_is_not_finite_is_never_small() {
        for n in [1, 2, 3, 5] {
            for bad in [f64::NAN, f64::INFINITY] {
                let mut a = sample(n, n);
                a[n * n - 1].im = bad;
                assert_eq!(SpectralNorm::new(n, n).of(&a), f64::INFINITY);
                assert!(!SpectralNorm::new(n, n).is_below(&a, 1e300));
                assert_eq!(smallest_of_hermitian_part(&a, n), f64::NEG_INFINITY);
            }
        }
    }

    #[test]
    fn the_hermitian_part_of_a_rotation_is_zero() {
        let rotation = [0.0, -1.0, 1.0, 0.0].map(|v| C64::new(v, 0.0));
        assert!(smallest_of_hermitian_part(&rotation, 2).abs() < 1e-15);
        let shifted = [0.5, -1.0, 1.0, -0.25].map(|v| C64::new(v, 0.0));
        assert!((smallest_of_hermitian_part(&shifted, 2) + 0.25).abs() < 1e-15);
    }
}
