//! Timing what is not a kernel: reading memory, and transforms.
//!
//! Every figure is the least of many short repetitions: what disturbs a measurement makes it longer,
//! never shorter. A repetition lasts at least twenty microseconds, a thousand times the
//! clock's resolution.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tdse_bundle::AlignedBuffer;
use tdse_isa::Level;

use super::{CacheLevel, MemoryCost, TransformCost, cpu_caches, fit};
use crate::transform::{Places, RealTransform, Workspace};
use crate::{LookaheadError, Sample, TransformKind};

/// A repetition lasts at least this long.
const REPETITION: Duration = Duration::from_micros(20);
/// The largest buffer read: more than a last cache of 32 MiB.
const MOST_BYTES: u64 = 64 << 20;
/// Bins in a group of a spectrum; every length is a multiple.
const LANES: usize = 4;
/// Ports that are transformed together.
const PORTS: usize = 4;
/// Independent sums: enough to hide the latency of an addition.
const SUMS: usize = 16;

/// The least nanoseconds of one call of `work`, over about `budget`; two repetitions at least.
pub(crate) fn least_ns(budget: Duration, mut work: impl FnMut()) -> f64 {
    let started = Instant::now();
    work();
    let once = started.elapsed().max(Duration::from_nanos(1));
    let calls = REPETITION
        .as_nanos()
        .div_ceil(once.as_nanos())
        .clamp(1, 1 << 16);
    let mut least = f64::INFINITY;
    loop {
        let begun = Instant::now();
        for _ in 0..calls {
            work();
        }
        least = least.min(begun.elapsed().as_nanos() as f64 / calls as f64);
        if started.elapsed() >= budget {
            return least.max(1e-3);
        }
    }
}

/// Caches and bandwidths of this machine; sizes of `reference` where it does not tell its own.
pub(crate) fn memory<T: Sample>(reference: &MemoryCost, budget: Duration) -> MemoryCost {
    let mut sizes = cpu_caches::sizes();
    if sizes.is_empty() {
        sizes = reference.caches.iter().map(|cache| cache.bytes).collect();
    }
    let share = budget / (sizes.len() as u32 + 1);
    let largest = sizes.last().copied().unwrap_or_default();
    let mut buffer =
        AlignedBuffer::<T>::new(elements::<T>(largest.saturating_mul(2).min(MOST_BYTES)));
    // Pages that were never written all share one page of zeros, which any cache holds.
    buffer.fill(T::one());
    let bandwidth = |bytes: u64| {
        let part = &buffer[..elements::<T>(bytes).min(buffer.len())];
        let ns = least_ns(share, || {
            black_box(sum(black_box(part)));
        });
        size_of_val(part) as f64 / ns
    };
    // Half a small cache is surely its own. A last cache is shared with others, so an eighth.
    let inside = |i: usize, size: u64| {
        if i + 1 == sizes.len() {
            size / 8
        } else {
            size / 2
        }
    };
    let mut caches: Vec<CacheLevel> = Vec::new();
    for (i, &bytes) in sizes.iter().enumerate() {
        let bytes_per_ns = bandwidth(inside(i, bytes).min(MOST_BYTES));
        caches.push(CacheLevel {
            bytes,
            bytes_per_ns,
        });
    }
    MemoryCost {
        caches,
        bytes_per_ns: bandwidth(MOST_BYTES),
    }
}

/// The cost of transforms with the code that is made for a level.
pub(crate) fn transform<T: Sample>(
    level: Level,
    budget: Duration,
) -> Result<TransformCost, LookaheadError> {
    let lengths: Vec<usize> = (3..=11).map(|s| 1 << s).collect();
    let share = budget / lengths.len() as u32;
    let mut rows = Vec::new();
    for n in lengths {
        let transform = RealTransform::<T>::new(n, TransformKind::of(level))?;
        let mut work = Workspace::new(n, transform.scratch_len());
        // Zeros: the time does not depend on the values.
        let samples = vec![T::zero(); 2 * n];
        let mut spectra = vec![T::zero(); PORTS * 2 * n];
        let places = Places {
            lanes: LANES,
            group: PORTS * 2 * LANES,
            port: 2 * LANES,
        };
        let ns = least_ns(share, || {
            let samples = |_| black_box(samples.as_slice());
            transform.forward(0..PORTS, samples, &mut work, &mut spectra, places);
            black_box(&mut spectra);
        }) / PORTS as f64;
        let points = n as f64;
        rows.push(([1.0, points, points * points.log2()], ns));
    }
    let [fixed_ns, linear_ns, log_ns] = fit::non_negative(&rows);
    Ok(TransformCost {
        fixed_ns,
        linear_ns,
        log_ns,
    })
}

/// Sums in sixteen lanes, so that reading and not adding is what takes time.
fn sum<T: Sample>(values: &[T]) -> T {
    let mut sums = [T::zero(); SUMS];
    for chunk in values.chunks_exact(SUMS) {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum = *sum + value;
        }
    }
    sums.into_iter().fold(T::zero(), |a, b| a + b)
}

fn elements<T: Sample>(bytes: u64) -> usize {
    bytes as usize / T::ELEM.bytes()
}
