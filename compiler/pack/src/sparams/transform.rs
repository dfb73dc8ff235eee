//! The inverse transform of one matrix entry, with the scale of taps (not of a density).
//!
//! `h[k] = (1/nt) (S_0 + 2 Re sum W_n S_n e^(j 2 pi n k / nt))`; the sum of all `nt` samples is `S_0`.
//! Samples `0 .. m` lie at times from 0 on, the rest at negative time: a causal response has nothing there.

use std::sync::Arc;

use num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner};

use super::BuildFault;
use super::options::Transform;

type C64 = Complex<f64>;

/// A prepared transform from `m` weighted grid points to `nt` samples.
pub(super) struct Inverse {
    plan: Arc<dyn ComplexToReal<f64>>,
    weights: Vec<f64>,
    nt: usize,
    /// Samples at times from 0 on: `m`, or `m - 1` for an even length whose last bin is Nyquist.
    causal: usize,
    even: bool,
    /// Largest imaginary part dropped from the Nyquist bin so far (after the window).
    pub(super) nyquist_imag: f64,
}

impl Inverse {
    /// `weights` has one entry for each of the `m >= 2` grid points.
    pub(super) fn new(weights: Vec<f64>, transform: Transform) -> Inverse {
        let m = weights.len();
        let even = transform == Transform::Even;
        let nt = if even { 2 * (m - 1) } else { 2 * m - 1 };
        let plan = RealFftPlanner::new().plan_fft_inverse(nt);
        let causal = if even { m - 1 } else { m };
        Inverse {
            plan,
            weights,
            nt,
            causal,
            even,
            nyquist_imag: 0.0,
        }
    }

    /// Number of samples.
    pub(super) fn nt(&self) -> usize {
        self.nt
    }

    /// How many of them lie at times from 0 on.
    pub(super) fn causal(&self) -> usize {
        self.causal
    }

    /// The samples of a spectrum whose first value is real.
    ///
    /// A weighted spectrum that is one real constant is a Dirac and becomes exactly that: no rounding of a
    /// transform can turn a perfect through into a response with a tail.
    pub(super) fn samples(&mut self, mut spectrum: Vec<C64>) -> Result<Vec<f64>, BuildFault> {
        for (value, weight) in spectrum.iter_mut().zip(&self.weights) {
            *value *= *weight;
        }
        if self.even
            && let Some(last) = spectrum.last_mut()
        {
            self.nyquist_imag = self.nyquist_imag.max(last.im.abs());
            last.im = 0.0;
        }
        let mut out = vec![0.0; self.nt];
        let constant = spectrum[0];
        if spectrum.iter().all(|v| *v == constant) {
            out[0] = constant.re;
            return Ok(out);
        }
        self.plan
            .process(&mut spectrum, &mut out)
            .map_err(|_| BuildFault::Overflow { tap: 0 })?;
        let scale = 1.0 / self.nt as f64;
        out.iter_mut().for_each(|v| *v *= scale);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The definition, summed term by term.
    fn by_definition(s: &[C64], nt: usize) -> Vec<f64> {
        let turn = |n: usize, k: usize| {
            C64::cis(std::f64::consts::TAU * ((n * k) % nt) as f64 / nt as f64)
        };
        (0..nt)
            .map(|k| {
                let sum: f64 = (1..s.len())
                    .map(|n| if 2 * n == nt { 1.0 } else { 2.0 } * (s[n] * turn(n, k)).re)
                    .sum();
                (s[0].re + sum) / nt as f64
            })
            .collect()
    }

    #[test]
    fn both_lengths_follow_the_definition() {
        for m in [2, 3, 5, 8, 31] {
            for transform in [Transform::Odd, Transform::Even] {
                let mut s: Vec<C64> = (0..m)
                    .map(|n| C64::cis(-0.3 * n as f64) / (1.0 + n as f64))
                    .collect();
                let mut inverse = Inverse::new(vec![1.0; m], transform);
                let got = inverse.samples(s.clone()).unwrap();
                if transform == Transform::Even {
                    assert_eq!(inverse.nyquist_imag, s[m - 1].im.abs());
                    s[m - 1].im = 0.0;
                }
                let want = by_definition(&s, inverse.nt());
                assert_eq!(got.len(), want.len());
                for (got, want) in got.iter().zip(&want) {
                    assert!((got - want).abs() < 1e-14, "{m} {transform}: {got} {want}");
                }
                assert!((got.iter().sum::<f64>() - s[0].re).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_constant_is_exactly_a_dirac() {
        for m in 2..40 {
            for transform in [Transform::Odd, Transform::Even] {
                let got = Inverse::new(vec![1.0; m], transform)
                    .samples(vec![C64::new(0.7, 0.0); m])
                    .unwrap();
                assert_eq!(got[0], 0.7);
                assert!(got[1..].iter().all(|v| *v == 0.0));
            }
        }
    }
}
