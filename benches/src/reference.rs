//! The history response in twice the working precision.
//!
//! Each sum is a compensated dot product (Ogita, Rump, Oishi 2005): products and sums are split
//! without error into a rounded part and the rest, and the rests are added up beside it. The result is
//! as good as a sum in 106 bits rounded once, which is beyond what any route can show.
//!
//! Cost: about ten operations a term, so a few chosen steps only.

use tdse_pack::Pack;

/// History responses at chosen steps, `[steps][nq]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The steps, ascending.
    pub(crate) steps: Vec<usize>,
    /// The responses.
    pub(crate) values: Vec<f64>,
}

impl Reference {
    /// Evaluates; `x` is `[steps][np]` from step 0, before which all inputs are zero.
    pub fn new(pack: &Pack, x: &[f64], steps: Vec<usize>) -> Self {
        let (nq, np, nh) = (pack.shape().nq(), pack.shape().np(), pack.shape().nh());
        let mut values = Vec::with_capacity(steps.len() * nq);
        for &t in &steps {
            let mut sums = vec![Sum::default(); nq];
            for k in 1..nh.min(t + 1) {
                let (tap, x) = (pack.tap(k), &x[(t - k) * np..(t - k + 1) * np]);
                for (sum, row) in sums.iter_mut().zip(tap.chunks_exact(np)) {
                    for (&h, &x) in row.iter().zip(x) {
                        sum.add(h, x);
                    }
                }
            }
            values.extend(sums.iter().map(|sum| sum.rounded + sum.rest));
        }
        Reference { steps, values }
    }

    /// The response at the n-th chosen step.
    pub fn row(&self, n: usize) -> &[f64] {
        let nq = self.values.len() / self.steps.len().max(1);
        &self.values[n * nq..(n + 1) * nq]
    }
}

/// A sum with the rest that rounding took from it.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    rounded: f64,
    rest: f64,
}

impl Sum {
    fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let product_rest = a.mul_add(b, -product);
        let sum = self.rounded + product;
        let part = sum - self.rounded;
        let sum_rest = (self.rounded - (sum - part)) + (product - part);
        self.rounded = sum;
        self.rest += product_rest + sum_rest;
    }
}

/// Distance of outputs from the reference, gathered step by step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Distance {
    difference: f64,
    norm: f64,
}

impl Distance {
    /// Takes the outputs of a step.
    pub fn add(&mut self, found: &[f64], wanted: &[f64]) {
        for (found, wanted) in found.iter().zip(wanted) {
            self.difference += (found - wanted) * (found - wanted);
            self.norm += wanted * wanted;
        }
    }

    /// Relative L2 distance; absolute where the reference is all zero.
    pub fn relative_l2(self) -> f64 {
        if self.norm == 0.0 {
            return self.difference.sqrt();
        }
        (self.difference / self.norm).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_takes_is_kept() {
        let mut sum = Sum::default();
        for (a, b) in [(1e16, 1.0), (3.0, 0.25), (-1e16, 1.0)] {
            sum.add(a, b);
        }
        assert_eq!(sum.rounded + sum.rest, 0.75);
        let mut sum = Sum::default();
        let third = 1.0 / 3.0;
        sum.add(third, 3.0);
        sum.add(-1.0, 1.0);
        // 3 * fl(1/3) is 1 - 2^-54, of which nothing is left in working precision.
        assert_eq!(sum.rounded + sum.rest, -(2.0_f64.powi(-54)));
    }

    #[test]
    fn distance_is_relative() {
        let mut distance = Distance::default();
        distance.add(&[3.0, 4.0], &[3.0, 4.5]);
        distance.add(&[0.0], &[0.0]);
        let expected = 0.5 / (9.0_f64 + 20.25).sqrt();
        assert!((distance.relative_l2() - expected).abs() < 1e-15);
    }
}
