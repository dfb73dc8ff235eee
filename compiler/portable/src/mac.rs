//! Loops of multiply-accumulates: where a kernel's time goes.
//!
//! ```text
//! taps   a_k[l] += h[s][k][l] * x[s][l]     one vector of x for all k, eight lanes
//! rows   a_k[l] += h[s][k][l] * x[s][k]     one element of x for each k, W lanes
//! ```
//!
//! Accumulators live in local arrays of constant size with constant indices, which the compiler
//! keeps in vector registers as far as the level has enough of them. The bodies are generic and
//! inlined into one function a level, so that they use the instructions of that level.
//! `unsafe`: raw loads, within the extents that the verifier proved for the loop replaced.

use crate::lane::Lane;
use crate::program::LANES;

/// Where a loop of multiply-accumulates reads.
pub(crate) struct Walk {
    /// Trips.
    pub(crate) trips: u64,
    /// Operands of the first trip and the first accumulator.
    pub(crate) h: *const u8,
    pub(crate) x: *const u8,
    /// Bytes to the next trip.
    pub(crate) h_step: isize,
    pub(crate) x_step: isize,
    /// Bytes to the next accumulator's operand.
    pub(crate) h_acc: isize,
    pub(crate) x_acc: isize,
    /// Registers to the next accumulator.
    pub(crate) acc_stride: usize,
}

/// Storage of a register: eight lanes of either type.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Register([f64; LANES]);

/// An instantiation: accumulates into the registers from `acc` on.
///
/// # Safety
/// The machine has the level instantiated for. `acc` and the accumulators after it are registers
/// holding initialised lanes. Every address of the walk, for each trip and accumulator, points to
/// as many readable, aligned elements as the form loads there.
pub(crate) type MacFn = unsafe fn(acc: *mut Register, walk: &Walk);

/// `R` accumulators of eight lanes that share each vector of `x`.
///
/// # Safety
/// As [`MacFn`].
#[inline(always)]
pub(crate) unsafe fn taps<T: Lane, const R: usize, const FUSED: bool>(
    acc: *mut Register,
    walk: &Walk,
) {
    let mut sums = [[T::ZERO; LANES]; R];
    for (k, sum) in sums.iter_mut().enumerate() {
        // SAFETY: register k of the accumulators is initialised (the caller's promise).
        *sum = unsafe { acc.add(k * walk.acc_stride).cast::<[T; LANES]>().read() };
    }
    let (mut h, mut x) = (walk.h, walk.x);
    for _ in 0..walk.trips {
        // SAFETY: eight elements of x are readable in every trip.
        let window = unsafe { x.cast::<[T; LANES]>().read() };
        for (k, sum) in sums.iter_mut().enumerate() {
            let row = h.wrapping_offset(k as isize * walk.h_acc);
            // SAFETY: eight elements of h are readable for each trip and accumulator.
            let taps = unsafe { row.cast::<[T; LANES]>().read() };
            for l in 0..LANES {
                sum[l] = T::accumulate::<FUSED>(taps[l], window[l], sum[l]);
            }
        }
        h = h.wrapping_offset(walk.h_step);
        x = x.wrapping_offset(walk.x_step);
    }
    for (k, sum) in sums.iter().enumerate() {
        // SAFETY: register k belongs to the accumulators.
        unsafe {
            acc.add(k * walk.acc_stride)
                .cast::<[T; LANES]>()
                .write(*sum)
        };
    }
}

/// Accumulators of the rows form: the partial sums of the direct class.
pub(crate) const ROWS_ACCUMULATORS: usize = 8;

/// Eight accumulators of `W` lanes, each meeting its own element of `x`.
///
/// # Safety
/// As [`MacFn`].
#[inline(always)]
pub(crate) unsafe fn rows<T: Lane, const W: usize, const FUSED: bool>(
    acc: *mut Register,
    walk: &Walk,
) {
    let mut sums = [[T::ZERO; W]; ROWS_ACCUMULATORS];
    for (k, sum) in sums.iter_mut().enumerate() {
        // SAFETY: register k of the accumulators is initialised and has at least W lanes.
        *sum = unsafe { acc.add(k * walk.acc_stride).cast::<[T; W]>().read() };
    }
    let (mut h, mut x) = (walk.h, walk.x);
    for _ in 0..walk.trips {
        for (k, sum) in sums.iter_mut().enumerate() {
            let tile = h.wrapping_offset(k as isize * walk.h_acc);
            let input = x.wrapping_offset(k as isize * walk.x_acc);
            // SAFETY: W elements of h and one of x are readable for each trip and accumulator.
            let (taps, input) = unsafe { (tile.cast::<[T; W]>().read(), input.cast::<T>().read()) };
            for l in 0..W {
                sum[l] = T::accumulate::<FUSED>(taps[l], input, sum[l]);
            }
        }
        h = h.wrapping_offset(walk.h_step);
        x = x.wrapping_offset(walk.x_step);
    }
    for (k, sum) in sums.iter().enumerate() {
        // SAFETY: register k belongs to the accumulators; lanes above W keep their values.
        unsafe { acc.add(k * walk.acc_stride).cast::<[T; W]>().write(*sum) };
    }
}
