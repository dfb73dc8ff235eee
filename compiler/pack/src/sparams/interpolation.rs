//! Values between the known frequencies: cubic spline with not-a-knot ends, or straight lines.
//!
//! The knots are the same for every matrix entry, so the spline's tridiagonal system is eliminated once
//! ([`Knots::new`]) and each entry costs one forward and one backward pass. Beyond the last knot the last
//! piece goes on.

use num_complex::Complex;

use super::options::Interpolation;

type C64 = Complex<f64>;

/// The knots of an interpolation, prepared for any number of value sets.
pub(super) struct Knots<'a> {
    x: &'a [f64],
    spline: Option<Elimination>,
}

/// The eliminated rows for the second derivatives at the inner knots 1 ..= n-2.
struct Elimination {
    lower: Vec<f64>,
    pivot: Vec<f64>,
    upper: Vec<f64>,
}

impl<'a> Knots<'a> {
    /// `x` ascending, at least two values. Cubic needs four; with fewer, straight lines are used.
    pub(super) fn new(x: &'a [f64], kind: Interpolation) -> Knots<'a> {
        let cubic = kind == Interpolation::Cubic && x.len() > 3;
        Knots {
            x,
            spline: cubic.then(|| eliminate(x)),
        }
    }

    /// True when a cubic spline is used.
    pub(super) fn is_cubic(&self) -> bool {
        self.spline.is_some()
    }

    /// Values at the ascending places `at` of the curve through `y`.
    pub(super) fn evaluate(&self, y: &[C64], at: &[f64], out: &mut [C64]) {
        let curvature = self
            .spline
            .as_ref()
            .map(|rows| second_derivatives(self.x, y, rows));
        let last = self.x.len() - 2;
        let mut i = 0;
        for (place, value) in at.iter().zip(out) {
            while i < last && *place >= self.x[i + 1] {
                i += 1;
            }
            let h = self.x[i + 1] - self.x[i];
            let t = place - self.x[i];
            let slope = (y[i + 1] - y[i]) / h;
            *value = match &curvature {
                None => y[i] + slope * t,
                Some(c) => {
                    let first = slope - (c[i] * 2.0 + c[i + 1]) * (h / 6.0);
                    let third = (c[i + 1] - c[i]) / (6.0 * h);
                    y[i] + (first + (c[i] * 0.5 + third * t) * t) * t
                }
            };
        }
    }
}

/// Rows `h[i-1] c[i-1] + 2 (h[i-1] + h[i]) c[i] + h[i] c[i+1] = 6 (slope[i] - slope[i-1])`; the not-a-knot
/// condition (equal third derivatives at the second and the last but one knot) removes c[0] and c[n-1].
fn eliminate(x: &[f64]) -> Elimination {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let rows = n - 2;
    let mut lower: Vec<f64> = (0..rows).map(|r| h[r]).collect();
    let mut pivot: Vec<f64> = (0..rows).map(|r| 2.0 * (h[r] + h[r + 1])).collect();
    let mut upper: Vec<f64> = (0..rows).map(|r| h[r + 1]).collect();
    pivot[0] += h[0] * (1.0 + h[0] / h[1]);
    upper[0] -= h[0] * h[0] / h[1];
    let (z, y) = (h[n - 2], h[n - 3]);
    pivot[rows - 1] += z * (1.0 + z / y);
    lower[rows - 1] -= z * z / y;
    for r in 1..rows {
        lower[r] /= pivot[r - 1];
        pivot[r] -= lower[r] * upper[r - 1];
    }
    Elimination {
        lower,
        pivot,
        upper,
    }
}

fn second_derivatives(x: &[f64], y: &[C64], rows: &Elimination) -> Vec<C64> {
    let n = x.len();
    let slope = |i: usize| (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    let mut c = vec![C64::default(); n];
    for r in 0..n - 2 {
        let right = (slope(r + 1) - slope(r)) * 6.0;
        c[r + 1] = if r == 0 {
            right
        } else {
            right - c[r] * rows.lower[r]
        };
    }
    for r in (0..n - 2).rev() {
        let above = if r + 1 == n - 2 {
            C64::default()
        } else {
            c[r + 2] * rows.upper[r]
        };
        c[r + 1] = (c[r + 1] - above) / rows.pivot[r];
    }
    let step = |i: usize| x[i + 1] - x[i];
    c[0] = c[1] + (c[1] - c[2]) * (step(0) / step(1));
    c[n - 1] = c[n - 2] + (c[n - 2] - c[n - 3]) * (step(n - 2) / step(n - 3));
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_reproduced_within_and_beyond_the_knots() {
        let cubic = |x: f64| C64::new(1.0 - 2.0 * x + 0.5 * x * x * x, x * x);
        for x in [
            &[0.0, 0.5, 2.0, 2.25][..],
            &[0.0, 1.0, 1.5, 4.0, 4.5],
            &[-1.0, 0.0, 0.1, 3.0, 7.0, 7.5, 9.0],
        ] {
            let y: Vec<C64> = x.iter().map(|x| cubic(*x)).collect();
            let at: Vec<f64> = (0..60).map(|i| x[0] + 0.2 * f64::from(i)).collect();
            let mut out = vec![C64::default(); at.len()];
            Knots::new(x, Interpolation::Cubic).evaluate(&y, &at, &mut out);
            for (at, got) in at.iter().zip(&out) {
                let want = cubic(*at);
                assert!(
                    (got - want).norm() < 1e-11 * want.norm().max(1.0),
                    "{at}: {got} for {want}"
                );
            }
        }
    }

    #[test]
    fn knots_and_constants_are_kept_exactly() {
        let x = [0.0, 1.0, 1.7, 4.0, 4.1];
        let y: Vec<C64> = [0.3, -0.1, 0.7, 0.2, 0.9]
            .iter()
            .map(|v| C64::new(*v, 1.0))
            .collect();
        for kind in [Interpolation::Cubic, Interpolation::Linear] {
            let mut out = vec![C64::default(); 4];
            Knots::new(&x, kind).evaluate(&y, &x[..4], &mut out);
            assert_eq!(out, y[..4], "{kind}");
            assert!(out.iter().all(|v| v.im == 1.0));
        }
    }

    #[test]
    fn three_points_fall_back_to_straight_lines() {
        let x = [0.0, 1.0, 3.0];
        let y = [0.0, 1.0, 0.0].map(|v| C64::new(v, 0.0));
        let knots = Knots::new(&x, Interpolation::Cubic);
        let mut out = [C64::default(); 2];
        knots.evaluate(&y, &[0.5, 4.0], &mut out);
        assert!(!knots.is_cubic());
        assert_eq!(out.map(|v| v.re), [0.5, -0.5]);
    }
}
