//! Real transforms of length `2B` through complex ones of length `B`.
//!
//! Two neighbouring real samples make one complex number; after the complex transform the spectrum
//! of the real sequence is taken apart bin by bin, mirrored bins together:
//!
//! ```text
//!   z[n] = x[2n] + i x[2n+1]     Z = FFT_B(z)     w = exp(-i pi k / B)
//!   2 X[k] = (Z[k] + Z*[B-k]) - i w (Z[k] - Z*[B-k])       k = 0 .. B
//! ```
//!
//! `X[0]` and `X[B]` are real and share bin 0, so a spectrum has `B` bins and wastes none. Forward
//! and backward leave their factors (2 and `2B`) in the numbers; the spectra of `H` carry the inverse.
//! Which instructions the library uses is pinned by the level, never detected, and named in the
//! numeric class. Scratch is the caller's: nothing is allocated after construction.

use std::f64::consts::PI;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftNum};
use tdse_isa::Level;

use crate::{LookaheadError, Sample};

/// Sizes of one block's transforms.
pub(crate) struct RealTransform<T: FftNum> {
    block: usize,
    forward: Arc<dyn Fft<T>>,
    backward: Arc<dyn Fft<T>>,
    /// `exp(-i pi k / B)` for `k` below half of `B`.
    twiddles: Vec<Complex<T>>,
}

/// What the library's forward and backward transforms multiply by together with the passes here.
pub(crate) fn round_trip_gain(block: usize) -> f64 {
    4.0 * block as f64
}

impl<T: Sample> RealTransform<T> {
    /// Plans the transforms of `2 * block` samples.
    pub(crate) fn new(block: usize, kind: TransformKind) -> Result<Self, LookaheadError> {
        let (forward, backward) = kind.plan(block)?;
        let twiddles = (0..block.div_ceil(2))
            .map(|k| {
                let (sin, cos) = (-PI * k as f64 / block as f64).sin_cos();
                Complex::new(T::rounded(cos), T::rounded(sin))
            })
            .collect();
        Ok(RealTransform {
            block,
            forward,
            backward,
            twiddles,
        })
    }

    /// Bins of a spectrum.
    pub(crate) fn block(&self) -> usize {
        self.block
    }

    /// Complex numbers of scratch that the transforms need.
    pub(crate) fn scratch_len(&self) -> usize {
        let of = |fft: &Arc<dyn Fft<T>>| fft.get_inplace_scratch_len();
        of(&self.forward).max(of(&self.backward))
    }

    /// Transforms `samples` (at most `2 * block`, zeros after them) and writes twice its spectrum:
    /// bin `k` to `k / lanes * stride + k % lanes`, its imaginary part `lanes` further; `lanes` is a
    /// power of two.
    pub(crate) fn forward(
        &self,
        samples: &[T],
        work: &mut Workspace<T>,
        out: &mut [T],
        lanes: usize,
        stride: usize,
    ) {
        let (z, scratch) = work.split(self.block);
        let pairs = samples.len() / 2;
        for (z, pair) in z.iter_mut().zip(samples.chunks_exact(2)) {
            *z = Complex::new(pair[0], pair[1]);
        }
        z[pairs..].fill(Complex::new(T::zero(), T::zero()));
        if let [last] = samples.chunks_exact(2).remainder() {
            z[pairs].re = *last;
        }
        self.forward.process_with_scratch(z, scratch);

        let half = self.block / 2;
        let (shift, mask) = (lanes.trailing_zeros(), lanes - 1);
        let mut write = |k: usize, re: T, im: T| {
            let at = (k >> shift) * stride + (k & mask);
            out[at] = re;
            out[at + lanes] = im;
        };
        let dc = z[0];
        write(0, twice(dc.re + dc.im), twice(dc.re - dc.im));
        for (k, w) in self.twiddles.iter().enumerate().skip(1) {
            let (a, b) = (z[k], z[self.block - k].conj());
            let (s, d) = (a + b, a - b);
            let wd = w * d;
            let t = Complex::new(wd.im, -wd.re);
            write(k, s.re + t.re, s.im + t.im);
            write(self.block - k, s.re - t.re, t.im - s.im);
        }
        if self.block.is_multiple_of(2) {
            write(half, twice(z[half].re), -twice(z[half].im));
        }
    }

    /// Transforms a spectrum back and writes the second half of the samples, `block` of them.
    pub(crate) fn backward(&self, re: &[T], im: &[T], work: &mut Workspace<T>, out: &mut [T]) {
        let (z, scratch) = work.split(self.block);
        let half = self.block / 2;
        z[0] = Complex::new(re[0] + im[0], re[0] - im[0]);
        for (k, w) in self.twiddles.iter().enumerate().skip(1) {
            let m = self.block - k;
            let (s_re, s_im) = (re[k] + re[m], im[k] - im[m]);
            let d = Complex::new(re[k] - re[m], im[k] + im[m]);
            let wd = w.conj() * d;
            let (t_re, t_im) = (-wd.im, wd.re);
            z[k] = Complex::new(s_re + t_re, s_im + t_im);
            z[m] = Complex::new(s_re - t_re, t_im - s_im);
        }
        if self.block.is_multiple_of(2) {
            z[half] = Complex::new(twice(re[half]), -twice(im[half]));
        }
        self.backward.process_with_scratch(z, scratch);

        let (z, out) = if self.block.is_multiple_of(2) {
            (&z[half..], out)
        } else {
            out[0] = z[half].im;
            (&z[half + 1..], &mut out[1..])
        };
        for (pair, z) in out.chunks_exact_mut(2).zip(z) {
            pair[0] = z.re;
            pair[1] = z.im;
        }
    }
}

fn twice<T: FftNum>(value: T) -> T {
    value + value
}

/// Room for one transform of the largest block and the library's scratch.
#[derive(Clone)]
pub(crate) struct Workspace<T> {
    block: usize,
    data: Vec<Complex<T>>,
}

impl<T: FftNum> Workspace<T> {
    /// Room for blocks up to `block` and `scratch` numbers beside.
    pub(crate) fn new(block: usize, scratch: usize) -> Self {
        Workspace {
            block,
            data: vec![Complex::new(T::zero(), T::zero()); block + scratch],
        }
    }

    fn split(&mut self, block: usize) -> (&mut [Complex<T>], &mut [Complex<T>]) {
        let (z, scratch) = self.data.split_at_mut(self.block);
        (&mut z[..block], scratch)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.data.as_slice())
    }
}

/// Instructions that the transform library uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransformKind {
    /// No vector instructions.
    Scalar,
    /// SSE4.1.
    Sse,
    /// AVX with FMA.
    Avx,
    /// NEON.
    Neon,
}

impl TransformKind {
    /// The kind that a level implies: the same on every machine of the level.
    pub fn of(level: Level) -> Self {
        match level {
            Level::V3 | Level::V4 => TransformKind::Avx,
            Level::V2 => TransformKind::Sse,
            Level::Neon => TransformKind::Neon,
            _ => TransformKind::Scalar,
        }
    }

    /// The name in a numeric class.
    pub const fn name(self) -> &'static str {
        match self {
            TransformKind::Scalar => "scalar",
            TransformKind::Sse => "sse",
            TransformKind::Avx => "avx",
            TransformKind::Neon => "neon",
        }
    }

    /// The library's forward and backward transforms of `len` numbers.
    fn plan<T: FftNum>(self, len: usize) -> Result<Pair<T>, LookaheadError> {
        let absent = || LookaheadError::Transform(self.name().into());
        match self {
            TransformKind::Scalar => {
                let mut planner = rustfft::FftPlannerScalar::new();
                Ok((planner.plan_fft_forward(len), planner.plan_fft_inverse(len)))
            }
            TransformKind::Sse => {
                let mut planner = rustfft::FftPlannerSse::new().map_err(|()| absent())?;
                Ok((planner.plan_fft_forward(len), planner.plan_fft_inverse(len)))
            }
            TransformKind::Avx => {
                let mut planner = rustfft::FftPlannerAvx::new().map_err(|()| absent())?;
                Ok((planner.plan_fft_forward(len), planner.plan_fft_inverse(len)))
            }
            TransformKind::Neon => {
                let mut planner = rustfft::FftPlannerNeon::new().map_err(|()| absent())?;
                Ok((planner.plan_fft_forward(len), planner.plan_fft_inverse(len)))
            }
        }
    }
}

type Pair<T> = (Arc<dyn Fft<T>>, Arc<dyn Fft<T>>);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The circular convolution of length 2B, second half, by its definition.
    fn convolved(h: &[f64], x: &[f64], block: usize) -> Vec<f64> {
        let n = 2 * block;
        let at = |v: &[f64], i: usize| v.get(i).copied().unwrap_or(0.0);
        (block..n)
            .map(|i| (0..n).map(|u| at(h, u) * at(x, (i + n - u) % n)).sum())
            .collect()
    }

    #[test]
    fn the_product_of_spectra_is_the_circular_convolution() {
        for kind in [
            TransformKind::Scalar,
            TransformKind::of(tdse_isa::Host::get().best()),
        ] {
            for block in [1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 64, 100] {
                let transform = RealTransform::<f64>::new(block, kind).unwrap();
                let mut work = Workspace::new(block + 3, transform.scratch_len());
                for filled in [2 * block, block, block + 1, 1] {
                    let h: Vec<f64> = (0..2 * block)
                        .map(|i| ((i * 7 % 11) as f64) - 4.0)
                        .collect();
                    let x: Vec<f64> = (0..filled).map(|i| ((i * 5 % 13) as f64) - 6.0).collect();
                    let mut spectra = [vec![0.0; 2 * block], vec![0.0; 2 * block]];
                    transform.forward(&h, &mut work, &mut spectra[0], 1, 2);
                    transform.forward(&x, &mut work, &mut spectra[1], 1, 2);
                    let gain = 2.0 * round_trip_gain(block);
                    let mut re = vec![0.0; block];
                    let mut im = vec![0.0; block];
                    for k in 0..block {
                        let (a, b) = (spectra[0][2 * k], spectra[0][2 * k + 1]);
                        let (c, d) = (spectra[1][2 * k], spectra[1][2 * k + 1]);
                        if k == 0 {
                            (re[0], im[0]) = (a * c / gain, b * d / gain);
                        } else {
                            re[k] = (a * c - b * d) / gain;
                            im[k] = (a * d + b * c) / gain;
                        }
                    }
                    let mut out = vec![0.0; block];
                    transform.backward(&re, &im, &mut work, &mut out);
                    for (n, (got, want)) in out.iter().zip(convolved(&h, &x, block)).enumerate() {
                        assert!(
                            (got - want).abs() < 1e-11,
                            "{kind:?} {block} {n}: {got} {want}"
                        );
                    }
                }
            }
        }
    }
}
