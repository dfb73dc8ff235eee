//! The taps as a matrix over frequency, on a grid several times finer than the data, and its norm.
//!
//! Between the points of its data a response can overshoot, so its norm is taken on a grid of
//! `n >= factor * max(nh, m)` points:
//!
//! ```text
//! bins r, r + R, r + 2R, ...  =  transform of n/R points of  taps[k] * e^(-j 2 pi r k / n)     r = 0 .. R/2
//! ```
//!
//! One residue `r` at a time keeps the memory at `n/R` matrices. Between grid points the norm is bounded too:
//! a FIR of `nh` taps is of exponential type `(nh - 1)/2`, so it nowhere exceeds its largest value on the
//! grid divided by `cos(pi (nh - 1) / (2 n))`.
//!
//! Cost: `n/2` spectral norms, which outweigh the transforms from about 4 ports on.

use num_complex::Complex;
use rustfft::FftPlanner;

use super::hermitian::SpectralNorm;
use crate::Shape;

type C64 = Complex<f64>;

/// Most matrix values held at once: 256 MiB.
const MAX_HELD: usize = 1 << 24;

/// The largest norm and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Largest {
    pub(crate) value: f64,
    /// Bin of the grid, `bin / (n dt)` in Hz.
    pub(crate) bin: usize,
}

/// A frequency grid for one shape.
pub(crate) struct Grid {
    shape: Shape,
    /// Points of one transform.
    part: usize,
    /// Number of residues, even.
    residues: usize,
}

impl Grid {
    /// At least `factor` times as many points as taps or as `m`, the points of the data.
    pub(crate) fn new(shape: Shape, factor: usize, m: usize) -> Grid {
        let points = shape.nh().max(m).max(1);
        let entries = shape.nq() * shape.np();
        let split = (points.saturating_mul(entries))
            .div_ceil(MAX_HELD)
            .clamp(1, points);
        let residues = factor.max(2).saturating_mul(split).next_multiple_of(2);
        Grid {
            shape,
            part: points.div_ceil(split),
            residues,
        }
    }

    /// Points of the whole circle.
    pub(crate) fn points(&self) -> usize {
        self.part * self.residues
    }

    /// What the largest grid value has to be multiplied with to bound all frequencies.
    pub(crate) fn overshoot(&self) -> f64 {
        1.0 / (std::f64::consts::FRAC_PI_2 * (self.shape.nh() - 1) as f64 / self.points() as f64)
            .cos()
    }

    /// The same for a real trigonometric polynomial of a degree below half the grid's points.
    pub(crate) fn overshoot_of_degree(&self, degree: usize) -> f64 {
        1.0 / (std::f64::consts::PI * degree as f64 / self.points() as f64).cos()
    }

    /// Calls `visit(bin, matrix)` for every bin from 0 to half the circle, in no particular order; matrices
    /// are row-major `[nq][np]`.
    pub(crate) fn visit(&self, taps: &[f64], mut visit: impl FnMut(usize, &[C64])) {
        let (nh, entries) = (self.shape.nh(), self.shape.nq() * self.shape.np());
        let n = self.points();
        let fft = FftPlanner::new().plan_fft_forward(self.part);
        let mut scratch = vec![C64::default(); fft.get_inplace_scratch_len()];
        let mut line = vec![C64::default(); self.part];
        let mut matrices = vec![C64::default(); self.part * entries];
        for r in 0..=self.residues / 2 {
            let turn: Vec<C64> = (0..nh)
                .map(|k| {
                    let place = (r as u128 * k as u128 % n as u128) as f64 / n as f64;
                    C64::cis(-std::f64::consts::TAU * place)
                })
                .collect();
            for entry in 0..entries {
                line.fill(C64::default());
                for (k, (tap, turn)) in taps[entry..].iter().step_by(entries).zip(&turn).enumerate()
                {
                    line[k % self.part] += turn * tap;
                }
                fft.process_with_scratch(&mut line, &mut scratch);
                for (value, matrix) in line
                    .iter()
                    .zip(matrices[entry..].iter_mut().step_by(entries))
                {
                    *matrix = *value;
                }
            }
            for (j, matrix) in matrices.chunks_exact(entries).enumerate() {
                let bin = r + self.residues * j;
                if bin <= n / 2 {
                    visit(bin, matrix);
                } else if r != 0 && 2 * r != self.residues {
                    visit(n - bin, matrix);
                }
            }
        }
    }

    /// The largest spectral norm over the grid.
    pub(crate) fn largest(&self, taps: &[f64]) -> Largest {
        let mut norm = SpectralNorm::new(self.shape.nq(), self.shape.np());
        let mut best = Largest { value: 0.0, bin: 0 };
        self.visit(taps, |bin, matrix| {
            if best.value > 0.0 && norm.is_below(matrix, best.value) {
                return;
            }
            let value = norm.of(matrix);
            if value > best.value {
                best = Largest { value, bin };
            }
        });
        best
    }

    /// The largest spectral norm in each of at most `buckets` equal parts of the grid, as (bin, norm).
    pub(crate) fn curve(&self, taps: &[f64], buckets: usize) -> Vec<Largest> {
        let bins = self.points() / 2 + 1;
        let width = bins.div_ceil(buckets.max(1));
        let mut norm = SpectralNorm::new(self.shape.nq(), self.shape.np());
        let mut curve: Vec<Option<Largest>> = vec![None; bins.div_ceil(width)];
        self.visit(taps, |bin, matrix| {
            let place = &mut curve[bin / width];
            if let Some(held) = place
                && held.value > 0.0
                && norm.is_below(matrix, held.value)
            {
                return;
            }
            let value = norm.of(matrix);
            if place.is_none_or(|held| value > held.value) {
                *place = Some(Largest { value, bin });
            }
        });
        curve.into_iter().flatten().collect()
    }
}

/// The largest singular value over square matrices `[point][row][col]`.
pub(crate) fn largest_over_points(data: &[C64], ports: usize) -> f64 {
    let mut norm = SpectralNorm::new(ports, ports);
    data.chunks_exact(ports * ports)
        .map(|point| norm.of(point))
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn taps(nh: usize, entries: usize) -> Vec<f64> {
        (0..nh * entries)
            .map(|i| (i as f64 * 0.7 + 0.3).sin() / (1.0 + (i / entries) as f64))
            .collect()
    }

    #[test]
    fn every_bin_is_visited_once_with_its_matrix() {
        for (nh, nq, np, factor, m) in [
            (1, 1, 1, 4, 1),
            (5, 2, 3, 4, 5),
            (7, 1, 2, 5, 3),
            (6, 2, 2, 4, 11),
        ] {
            let shape = Shape::new(nh, nq, np).unwrap();
            let taps = taps(nh, nq * np);
            let grid = Grid::new(shape, factor, m);
            let n = grid.points();
            assert!(n >= factor * nh.max(m));
            let mut seen = vec![0; n / 2 + 1];
            grid.visit(&taps, |bin, matrix| {
                seen[bin] += 1;
                for (e, value) in matrix.iter().enumerate() {
                    let want: C64 = (0..nh)
                        .map(|k| {
                            C64::cis(-std::f64::consts::TAU * (bin * k) as f64 / n as f64)
                                * taps[k * nq * np + e]
                        })
                        .sum();
                    let off = (value - want).norm().min((value - want.conj()).norm());
                    assert!(off < 1e-13, "bin {bin} entry {e}");
                }
            });
            assert!(seen.iter().all(|c| *c == 1), "{nh} {nq} {np}: {seen:?}");
        }
    }

    #[test]
    fn the_bound_between_grid_points_holds() {
        let shape = Shape::new(9, 2, 2).unwrap();
        let taps = taps(9, 4);
        let coarse = Grid::new(shape, 4, 9);
        let fine = Grid::new(shape, 512, 9).largest(&taps).value;
        let value = coarse.largest(&taps).value;
        assert!(value <= fine * (1.0 + 1e-14));
        assert!(
            fine <= value * coarse.overshoot(),
            "{fine} {value} {}",
            coarse.overshoot()
        );
    }

    #[test]
    fn the_curve_holds_the_largest_value() {
        let shape = Shape::new(40, 3, 3).unwrap();
        let taps = taps(40, 9);
        let grid = Grid::new(shape, 4, 40);
        let best = grid.largest(&taps);
        for buckets in [1, 7, 1000] {
            let curve = grid.curve(&taps, buckets);
            assert!(curve.len() <= buckets);
            assert!(curve.windows(2).all(|w| w[0].bin < w[1].bin));
            let top = curve
                .iter()
                .fold(curve[0], |a, b| if b.value > a.value { *b } else { a });
            assert_eq!(top.bin, best.bin);
            assert!((top.value - best.value).abs() < 1e-14);
        }
    }
}
