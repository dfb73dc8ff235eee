//! Timing kernels: multiply-adds, rows and calls.
//!
//! Three shapes of the direct kernel, all within the first cache, give a row and a multiply-add:
//!
//! ```text
//!   t(np, nq, taps) = call + nq * row + np * nq * taps * multiply_add
//! ```
//!
//! One shape each of the block kernel and of the spectral kernel, with the call taken off, which is what
//! a block kernel with one multiply-add takes. The direct kernel is that of a head: the first of its own list
//! that can be made, whatever makes the levels'.

use std::time::Duration;

use tdse_bundle::AlignedBuffer;
use tdse_compiler::{
    CompileRefusal, DirectKernel, MacKernel, Maker, Tier, block_schedule, candidates,
    default_contraction, spectral_lanes, spectral_schedule,
};
use tdse_isa::Proof;
use tdse_kir::Kernel;
use tdse_templates::{
    BlockLayout, BlockShape, DirectShape, SpectralLayout, SpectralShape, TemplateError,
    spectral_mac, temporal_block,
};

use super::machine_timing::least_ns;
use crate::{LookaheadError, Sample};

/// What the kernels of a tier take; the names are those of [`CostConstants`].
pub(crate) struct KernelCost {
    pub(crate) direct_ns: f64,
    pub(crate) direct_row_ns: f64,
    pub(crate) block_ns: f64,
    pub(crate) spectral_ns: f64,
    pub(crate) call_ns: f64,
}

/// Makes and times kernels of a tier for a level.
pub(crate) fn kernels<T: Sample>(
    tier: Tier,
    proof: Proof,
    budget: Duration,
) -> Result<KernelCost, LookaheadError> {
    let time = |np, nq, taps| direct::<T>(proof, [np, nq, taps], budget / 6);
    let (long, short, one_row) = (time(8, 8, 32)?, time(8, 8, 4)?, time(8, 1, 4)?);
    // Noise must not make anything free.
    let least = |ns: f64| ns.max(1e-3);
    let direct_ns = least((long - short) / (8 * 8 * 28) as f64);
    let direct_row_ns = least((short - one_row - 7.0 * 32.0 * direct_ns) / 7.0);
    let call_ns = block::<T>(tier, proof, [1; 4])?.least_ns(budget / 6)?;
    let block = block::<T>(tier, proof, BLOCK)?.least_ns(budget / 6)?;
    let spectral = spectral::<T>(tier, proof)?.least_ns(budget / 6)?;
    Ok(KernelCost {
        direct_ns,
        direct_row_ns,
        block_ns: least((block - call_ns) / BLOCK_MADDS),
        spectral_ns: least((spectral - call_ns) / SPECTRAL_MADDS),
        call_ns,
    })
}

/// Inputs, outputs, lags and steps of the block kernel that is timed: 4 KiB of H in `f64`.
const BLOCK: [usize; 4] = [4, 8, 16, 16];
const BLOCK_MADDS: f64 = (4 * 8 * 16 * 16) as f64;
/// Inputs, outputs and bins of the spectral kernel that is timed: 16 KiB of H in `f64`.
const SPECTRAL: [usize; 3] = [4, 8, 32];
const SPECTRAL_MADDS: f64 = (4 * 8 * 32) as f64;

/// A kernel and buffers of zeros.
struct Mac<T: Sample> {
    kernel: MacKernel<T>,
    h: AlignedBuffer<T>,
    x: AlignedBuffer<T>,
    y: AlignedBuffer<T>,
}

impl<T: Sample> Mac<T> {
    fn compile(
        kernel: Result<Kernel, TemplateError>,
        tier: Tier,
        proof: Proof,
        [h, x, y]: [usize; 3],
    ) -> Result<Self, LookaheadError> {
        let kernel = kernel.map_err(CompileRefusal::from)?;
        Ok(Mac {
            kernel: MacKernel::compile(kernel, &Maker::new(tier, proof))?,
            h: AlignedBuffer::new(h),
            x: AlignedBuffer::new(x),
            y: AlignedBuffer::new(y),
        })
    }

    fn least_ns(mut self, budget: Duration) -> Result<f64, LookaheadError> {
        self.kernel.run(&self.h, &self.x, &mut self.y)?;
        Ok(least_ns(budget, || {
            // The call above showed that the lengths are right.
            let _ = self.kernel.run(&self.h, &self.x, &mut self.y);
        }))
    }
}

fn block<T: Sample>(
    tier: Tier,
    proof: Proof,
    [np, nq, lags, block]: [usize; 4],
) -> Result<Mac<T>, LookaheadError> {
    let shape = BlockShape {
        np,
        nq,
        lags,
        block,
        x_stride: block + lags,
        y_stride: block,
        elem: T::ELEM,
    };
    let schedule = block_schedule(tier, proof.level(), &shape);
    let len = BlockLayout::new(&shape, schedule).len();
    let kernel = temporal_block(&shape, default_contraction(proof.level()), schedule);
    Mac::compile(kernel, tier, proof, [len, shape.x_len(), shape.y_len()])
}

fn spectral<T: Sample>(tier: Tier, proof: Proof) -> Result<Mac<T>, LookaheadError> {
    let [np, nq, bins] = SPECTRAL;
    let lanes = spectral_lanes(tier, proof.level(), T::ELEM, bins, nq);
    let row = bins.next_multiple_of(usize::from(lanes));
    let shape = SpectralShape {
        np,
        nq,
        groups: row / usize::from(lanes),
        lanes,
        y_stride: 2 * row,
        y_im: row,
        elem: T::ELEM,
    };
    let schedule = spectral_schedule(tier, proof.level(), &shape);
    let len = SpectralLayout::new(&shape, schedule).len();
    let kernel = spectral_mac(&shape, default_contraction(proof.level()), schedule);
    Mac::compile(kernel, tier, proof, [len, shape.x_len(), shape.y_len()])
}

fn direct<T: Sample>(
    proof: Proof,
    [np, nq, taps]: [usize; 3],
    budget: Duration,
) -> Result<f64, LookaheadError> {
    let shape = DirectShape {
        np,
        nq,
        taps,
        elem: T::ELEM,
    };
    let contraction = default_contraction(proof.level());
    let mut refusal = CompileRefusal::from(TemplateError::Empty { np, nq, taps });
    let mut made = None;
    for candidate in candidates(&shape, contraction, proof.level()) {
        let maker = Maker::new(candidate.tier, proof);
        let tap = |q: usize, i: usize| (q + i) as f64;
        match DirectKernel::<T>::compile(&shape, contraction, candidate.schedule, &maker, tap) {
            Ok(kernel) => {
                made = Some(kernel);
                break;
            }
            Err(error) => refusal = error,
        }
    }
    let kernel = made.ok_or(refusal)?;
    let x = AlignedBuffer::<T>::new(np * taps);
    let mut y = AlignedBuffer::<T>::new(nq);
    kernel.run(&x, &mut y)?;
    Ok(least_ns(budget, || {
        // The call above showed that the lengths are right.
        let _ = kernel.run(&x, &mut y);
    }))
}
