//! Timing kernels: multiply-adds, rows and calls.
//!
//! Three shapes of the direct kernel, all within the first cache, give three unknowns:
//!
//! ```text
//!   t(np, nq, taps) = call + nq * row + np * nq * taps * multiply_add
//! ```

use std::time::Duration;

use tdse_bundle::AlignedBuffer;
use tdse_compiler::{DirectKernel, Tier, candidates};
use tdse_isa::Proof;
use tdse_kir::Contraction;
use tdse_templates::{DirectShape, TemplateError};

use super::CostConstants;
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
    reference: &CostConstants,
    budget: Duration,
) -> Result<KernelCost, LookaheadError> {
    let time = |np, nq, taps| direct::<T>(tier, proof, [np, nq, taps], budget / 3);
    let (long, short, one_row) = (time(8, 8, 32)?, time(8, 8, 4)?, time(8, 1, 4)?);
    // Noise must not make anything free.
    let least = |ns: f64| ns.max(1e-3);
    let direct_ns = least((long - short) / (8 * 8 * 28) as f64);
    let direct_row_ns = least((short - one_row - 7.0 * 32.0 * direct_ns) / 7.0);
    let call_ns = least(one_row - direct_row_ns - 32.0 * direct_ns);
    let ratio = direct_ns / reference.direct_ns;
    Ok(KernelCost {
        direct_ns,
        direct_row_ns,
        block_ns: reference.block_ns * ratio,
        spectral_ns: reference.spectral_ns * ratio,
        call_ns,
    })
}

fn direct<T: Sample>(
    tier: Tier,
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
    let contraction = contraction(proof);
    let schedule = candidates(&shape, contraction, proof.level())
        .into_iter()
        .find(|candidate| candidate.tier == tier)
        .map(|candidate| candidate.schedule)
        .ok_or(TemplateError::Empty { np, nq, taps })
        .map_err(tdse_compiler::CompileRefusal::from)?;
    let kernel = DirectKernel::<T>::compile(&shape, contraction, tier, schedule, proof, |q, i| {
        (q + i) as f64
    })?;
    let x = AlignedBuffer::<T>::new(np * taps);
    let mut y = AlignedBuffer::<T>::new(nq);
    kernel.run(&x, &mut y)?;
    Ok(least_ns(budget, || {
        // The call above showed that the lengths are right.
        let _ = kernel.run(&x, &mut y);
    }))
}

fn contraction(proof: Proof) -> Contraction {
    if proof.level().has_fma() {
        Contraction::Fma
    } else {
        Contraction::Separate
    }
}
