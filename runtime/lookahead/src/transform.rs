//! Convolution of real sequences of `2B` samples by complex transforms of length `B`.
//!
//! Of a convolution of length `2B` only the second half is wanted, and what wraps round falls into the
//! first; so it may wrap with a changed sign. Modulo `t^2B + 1 = (t^B - i)(t^B + i)` a real sequence is fixed by its
//! rest modulo `t^B - i`, which is `B` complex numbers, and with `t = w u`, `w = exp(i pi / 2B)`, that becomes
//! cyclic (the right-angle convolution of Crandall and Fagin, 1994):
//!
//! ```text
//!   z[n] = (x[n] + i x[n+B]) w^n     Z = FFT_B(z)     products bin by bin     IFFT     y[n+B] = Im(z[n] w^-n)
//! ```
//!
//! All `B` bins are alike, there is no pass over mirrored pairs, and nothing is computed twice. The factor `B` of the
//! transforms stays in the numbers; the spectra of `H` carry its inverse. Which instructions the library uses
//! is pinned by the level, never detected, and named in the numeric class. Scratch is the caller's: nothing is
//! allocated after construction.

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftNum};
use tdse_isa::Level;

use crate::{LookaheadError, Sample};

/// The transforms of one block size.
pub(crate) struct RealTransform<T: FftNum> {
    forward: Arc<dyn Fft<T>>,
    backward: Arc<dyn Fft<T>>,
    /// `w^n` for `n` below `B`.
    weights: Vec<Complex<T>>,
}

/// What a product of two spectra must be divided by.
pub(crate) fn round_trip_gain(block: usize) -> f64 {
    block as f64
}

impl<T: Sample> RealTransform<T> {
    /// Plans the transforms of `2 * block` samples.
    pub(crate) fn new(block: usize, kind: TransformKind) -> Result<Self, LookaheadError> {
        let (forward, backward) = kind.plan(block)?;
        let weights = (0..block)
            .map(|n| {
                let (sin, cos) = (PI * n as f64 / (2 * block) as f64).sin_cos();
                Complex::new(T::rounded(cos), T::rounded(sin))
            })
            .collect();
        Ok(RealTransform {
            forward,
            backward,
            weights,
        })
    }

    /// Bins of a spectrum.
    pub(crate) fn block(&self) -> usize {
        self.weights.len()
    }

    /// Complex numbers of scratch that the transforms need.
    pub(crate) fn scratch_len(&self) -> usize {
        let of = |fft: &Arc<dyn Fft<T>>| fft.get_inplace_scratch_len();
        of(&self.forward).max(of(&self.backward))
    }

    /// Transforms the samples of each port of a range: `2 * block` of them, or `block` with zeros after them.
    ///
    /// Ports share one call of the library as far as the workspace holds them.
    pub(crate) fn forward<'a>(
        &self,
        ports: Range<usize>,
        samples: impl Fn(usize) -> &'a [T],
        work: &mut Workspace<T>,
        out: &mut [T],
        places: Places,
    ) {
        let block = self.block();
        let (data, scratch) = work.split();
        let batch = data.len() / block;
        for start in ports.clone().step_by(batch.max(1)) {
            let batch = start..(start + batch).min(ports.end);
            let z = &mut data[..batch.len() * block];
            for (z, port) in z.chunks_exact_mut(block).zip(batch.clone()) {
                self.weigh(samples(port), z);
            }
            self.forward.process_with_scratch(z, scratch);
            for (z, port) in z.chunks_exact(block).zip(batch) {
                places.write(z, &mut out[port * places.port..]);
            }
        }
    }

    /// `(x[n] + i x[n+B]) w^n`.
    fn weigh(&self, samples: &[T], z: &mut [Complex<T>]) {
        let (low, high) = samples.split_at(self.block());
        if high.is_empty() {
            for ((z, w), &x) in z.iter_mut().zip(&self.weights).zip(low) {
                *z = Complex::new(w.re * x, w.im * x);
            }
        } else {
            let pairs = low.iter().zip(high);
            for ((z, w), (&x, &y)) in z.iter_mut().zip(&self.weights).zip(pairs) {
                *z = Complex::new(w.re * x - w.im * y, w.re * y + w.im * x);
            }
        }
    }

    /// Transforms the spectra of a range of rows back and writes the second half of their samples, `[row][block]`.
    pub(crate) fn backward<'a>(
        &self,
        rows: Range<usize>,
        spectrum: impl Fn(usize) -> (&'a [T], &'a [T]),
        work: &mut Workspace<T>,
        out: &mut [T],
    ) {
        let block = self.block();
        let (data, scratch) = work.split();
        let batch = data.len() / block;
        for start in rows.clone().step_by(batch.max(1)) {
            let batch = start..(start + batch).min(rows.end);
            let z = &mut data[..batch.len() * block];
            for (z, row) in z.chunks_exact_mut(block).zip(batch.clone()) {
                let (re, im) = spectrum(row);
                for ((z, &re), &im) in z.iter_mut().zip(re).zip(im) {
                    *z = Complex::new(re, im);
                }
            }
            self.backward.process_with_scratch(z, scratch);
            for (z, row) in z.chunks_exact(block).zip(batch) {
                let out = &mut out[row * block..][..block];
                for ((out, z), w) in out.iter_mut().zip(z).zip(&self.weights) {
                    *out = z.im * w.re - z.re * w.im;
                }
            }
        }
    }
}

/// Where the bins of a spectrum lie: bin `k` at `k / lanes * group + k % lanes`, its imaginary part `lanes` further.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    /// Bins in a group, a power of two.
    pub(crate) lanes: usize,
    /// Elements from a group to the next.
    pub(crate) group: usize,
    /// Elements from a port to the next.
    pub(crate) port: usize,
}

impl Places {
    fn write<T: Sample>(self, z: &[Complex<T>], out: &mut [T]) {
        match self.lanes {
            2 => split::<T, 2>(z, out, self.group),
            4 => split::<T, 4>(z, out, self.group),
            8 => split::<T, 8>(z, out, self.group),
            lanes => {
                for (group, z) in z.chunks(lanes).enumerate() {
                    split_group(z, &mut out[group * self.group..], lanes);
                }
            }
        }
    }
}

/// Writes groups of `LANES` bins `stride` apart, real parts first.
fn split<T: Sample, const LANES: usize>(z: &[Complex<T>], out: &mut [T], stride: usize) {
    let (groups, rest) = z.as_chunks::<LANES>();
    let mut at = 0;
    for group in groups {
        if let Some(out) = out.get_mut(at..at + 2 * LANES) {
            for (lane, z) in group.iter().enumerate() {
                out[lane] = z.re;
                out[lane + LANES] = z.im;
            }
        }
        at += stride;
    }
    if !rest.is_empty() {
        split_group(rest, &mut out[at..], LANES);
    }
}

fn split_group<T: Sample>(z: &[Complex<T>], out: &mut [T], lanes: usize) {
    for (lane, z) in z.iter().enumerate() {
        out[lane] = z.re;
        out[lane + lanes] = z.im;
    }
}

/// Room for transforms and the library's scratch.
#[derive(Clone)]
pub(crate) struct Workspace<T> {
    room: usize,
    data: Vec<Complex<T>>,
}

/// Complex numbers of several transforms that one call of the library takes: a quarter of a first-level cache.
const BATCH: usize = 512;

impl<T: FftNum> Workspace<T> {
    /// Room for one transform of `block` and more small ones, and `scratch` numbers beside.
    pub(crate) fn new(block: usize, scratch: usize) -> Self {
        let room = block.max(BATCH);
        Workspace {
            room,
            data: vec![Complex::new(T::zero(), T::zero()); room + scratch],
        }
    }

    fn split(&mut self) -> (&mut [Complex<T>], &mut [Complex<T>]) {
        self.data.split_at_mut(self.room)
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

    /// The second half of the convolution of length 2B that wraps with a changed sign, by its definition.
    fn convolved(h: &[f64], x: &[f64], block: usize) -> Vec<f64> {
        let n = 2 * block;
        let at = |v: &[f64], i: usize| v.get(i).copied().unwrap_or(0.0);
        let term = |i: usize, u: usize| {
            if u <= i {
                at(h, u) * at(x, i - u)
            } else {
                -at(h, u) * at(x, i + n - u)
            }
        };
        (block..n)
            .map(|i| (0..n).map(|u| term(i, u)).sum())
            .collect()
    }

    #[test]
    fn the_product_of_spectra_is_the_convolution_that_wraps_with_a_changed_sign() {
        let kinds = [
            TransformKind::Scalar,
            TransformKind::of(tdse_isa::Host::get().best()),
        ];
        for kind in kinds {
            for block in [1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 64, 100] {
                for (filled, lanes) in [(2 * block, 1), (block, 2), (block, 4), (2 * block, 16)] {
                    round_trip(kind, block, filled, lanes);
                }
            }
        }
    }

    fn round_trip(kind: TransformKind, block: usize, filled: usize, lanes: usize) {
        let transform = RealTransform::<f64>::new(block, kind).unwrap();
        let mut work = Workspace::new(block + 3, transform.scratch_len());
        let h: Vec<f64> = (0..2 * block).map(|i| (i * 7 % 11) as f64 - 4.0).collect();
        let x: Vec<f64> = (0..filled).map(|i| (i * 5 % 13) as f64 - 6.0).collect();
        let stride = 2 * lanes + 3;
        let mut spectra = [&h, &x].map(|samples| {
            let mut out = vec![0.0; block.div_ceil(lanes) * stride];
            let places = Places {
                lanes,
                group: stride,
                port: 0,
            };
            transform.forward(0..1, |_| samples, &mut work, &mut out, places);
            out
        });
        let [a, b] = &mut spectra;
        let at = |k: usize| k / lanes * stride + k % lanes;
        let gain = round_trip_gain(block);
        let product = |k: usize| {
            let (a_re, a_im) = (a[at(k)], a[at(k) + lanes]);
            let (b_re, b_im) = (b[at(k)], b[at(k) + lanes]);
            (
                (a_re * b_re - a_im * b_im) / gain,
                (a_re * b_im + a_im * b_re) / gain,
            )
        };
        let (re, im): (Vec<f64>, Vec<f64>) = (0..block).map(product).unzip();
        let mut out = vec![0.0; block];
        transform.backward(0..1, |_| (&re, &im), &mut work, &mut out);
        for (n, (got, want)) in out.iter().zip(convolved(&h, &x, block)).enumerate() {
            assert!(
                (got - want).abs() < 1e-11,
                "{kind:?} {block} {n}: {got} {want}"
            );
        }
    }
}
