//! The constants of the cost model: what a machine takes for a multiply-add, a byte, a transform, a call.
//!
//! Either those of a documented machine, or a fit to a short measurement on this one. They order
//! plans; as predictions of time they are good to a factor of about two (docs/planning.md).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tdse_compiler::Tier;
use tdse_isa::Proof;
use tdse_kir::Elem;

use super::{kernel_timing, machine_timing};
use crate::{LookaheadError, Sample};

/// Times in nanoseconds, for one element type, tier and level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostConstants {
    /// A multiply-add of the direct kernel, data in the first cache.
    pub direct_ns: f64,
    /// The end of a row of the direct kernel: its partial sums are added.
    pub direct_row_ns: f64,
    /// A multiply-add of the block kernel in the time domain, data in the first cache.
    pub block_ns: f64,
    /// A complex multiply-add of the spectral kernel, data in the first cache.
    pub spectral_ns: f64,
    /// A kernel call, its checks included.
    pub call_ns: f64,
    /// What every step takes whatever the plan: a commit and the reading of a result.
    pub step_ns: f64,
    /// Moving one element between step order and block order.
    pub element_ns: f64,
    /// Bytes in a vector register: shorter blocks waste the rest of it.
    pub vector_bytes: u32,
    /// A transform.
    pub transform: TransformCost,
    /// Reading memory in order.
    pub memory: MemoryCost,
}

/// A complex transform of `n` points with the pass that makes `2n` real ones of it:
/// `fixed_ns + linear_ns * n + log_ns * n * log2(n)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformCost {
    /// Independent of the length.
    pub fixed_ns: f64,
    /// A point.
    pub linear_ns: f64,
    /// A point and a doubling.
    pub log_ns: f64,
}

/// How fast memory is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryCost {
    /// Caches, the smallest first.
    pub caches: Vec<CacheLevel>,
    /// Bytes a nanosecond beyond them.
    pub bytes_per_ns: f64,
}

/// A cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheLevel {
    /// Its size.
    pub bytes: u64,
    /// Bytes a nanosecond out of it.
    pub bytes_per_ns: f64,
}

impl CostConstants {
    /// How long [`CostConstants::measure`] takes if nothing else is asked for.
    pub const BUDGET: Duration = Duration::from_millis(200);

    /// The constants of the reference machine: one core of a busy 2-core Zen 3 guest at x86-64-v3, heads by
    /// Cranelift, levels by the portable tier with 256-bit vectors.
    ///
    /// Fitted in two stages (docs/planning.md): kernels and transforms are medians of seven
    /// [`CostConstants::measure`], then factors near one, and what is read beyond the second cache, were fitted to
    /// the mean steps of whole plans. The last cache is the share that a guest has of one of 32 MiB.
    pub fn reference(elem: Elem) -> CostConstants {
        let memory = MemoryCost {
            caches: vec![
                cache(32 << 10, 88.0),
                cache(512 << 10, 80.0),
                cache(6 << 20, 50.0),
            ],
            bytes_per_ns: 11.0,
        };
        let (direct_ns, direct_row_ns) = match elem {
            Elem::F64 => (0.09, 2.8),
            Elem::F32 => (0.043, 1.5),
        };
        let (block_ns, spectral_ns, transform) = match elem {
            Elem::F64 => (0.0685, 0.255, transform(21.0, 0.91, 0.44)),
            Elem::F32 => (0.027, 0.127, transform(22.0, 0.19, 0.25)),
        };
        CostConstants {
            direct_ns,
            direct_row_ns,
            block_ns,
            spectral_ns,
            call_ns: 25.0,
            step_ns: 25.0,
            element_ns: 0.5,
            vector_bytes: 32,
            transform,
            memory,
        }
    }

    /// Fits the constants to measurements on this machine, with code for the proof's level.
    ///
    /// Two fifths of the budget are for filling 64 MiB and compiling, which take what they take; where the budget
    /// is too short each measurement still has one repetition. A build without
    /// optimisation finds memory and transforms several times too slow. Refused where a kernel of
    /// the tier cannot be made here.
    pub fn measure(
        elem: Elem,
        tier: Tier,
        proof: Proof,
        budget: Duration,
    ) -> Result<CostConstants, LookaheadError> {
        match elem {
            Elem::F64 => measure::<f64>(tier, proof, budget),
            Elem::F32 => measure::<f32>(tier, proof, budget),
        }
    }
}

impl TransformCost {
    /// Nanoseconds for one transform of `n` complex points.
    pub fn ns(&self, n: f64) -> f64 {
        self.fixed_ns + n * (self.linear_ns + self.log_ns * n.max(1.0).log2())
    }
}

impl MemoryCost {
    /// Nanoseconds to read a byte when `distance` different bytes are read before it is read again.
    ///
    /// Up to half a cache's size the cache serves it, from the full size on the next one does; between
    /// them the two mix in proportion: other data shares the cache.
    pub fn ns_per_byte(&self, distance: f64) -> f64 {
        let mut rest = 1.0;
        let mut ns = 0.0;
        for cache in &self.caches {
            let size = cache.bytes.max(1) as f64;
            let served = rest * (2.0 * (1.0 - distance / size)).clamp(0.0, 1.0);
            ns += served / cache.bytes_per_ns;
            rest -= served;
        }
        ns + rest / self.bytes_per_ns
    }
}

fn measure<T: Sample>(
    tier: Tier,
    proof: Proof,
    budget: Duration,
) -> Result<CostConstants, LookaheadError> {
    let reference = CostConstants::reference(T::ELEM);
    let memory = machine_timing::memory::<T>(&reference.memory, budget.mul_f64(0.2));
    let transform = machine_timing::transform::<T>(proof.level(), budget.mul_f64(0.2))?;
    let kernels = kernel_timing::kernels::<T>(tier, proof, budget.mul_f64(0.2))?;
    Ok(CostConstants {
        direct_ns: kernels.direct_ns,
        direct_row_ns: kernels.direct_row_ns,
        block_ns: kernels.block_ns,
        spectral_ns: kernels.spectral_ns,
        call_ns: kernels.call_ns,
        step_ns: reference.step_ns,
        element_ns: reference.element_ns,
        vector_bytes: reference.vector_bytes,
        transform,
        memory,
    })
}

const fn cache(bytes: u64, bytes_per_ns: f64) -> CacheLevel {
    CacheLevel {
        bytes,
        bytes_per_ns,
    }
}

const fn transform(fixed_ns: f64, linear_ns: f64, log_ns: f64) -> TransformCost {
    TransformCost {
        fixed_ns,
        linear_ns,
        log_ns,
    }
}
