//! Loops of multiply-accumulates: where a kernel's time goes.
//!
//! ```text
//! taps      a_k[l] += h[s][k][l] * x[s][l]  one vector of x for all k, eight lanes
//! rows      a_k[l] += h[s][k][l] * x[s][k]  one element of x for each k, W lanes
//! columns   y_k[l] += h[s][k] * x[s][l]     one vector of x for all k, one element of h for each
//! complex   (re_k, im_k)[l] += h[s][k][l] * x[s][l]      four real multiply-adds
//! ```
//!
//! The sums of the last two are a *tile*: they come from memory and go back to it, and the loops
//! around the tile run here too. As steps of a program those would cost more than the arithmetic
//! of an output of few terms.
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

/// Where tiles lie, and how their terms and the loops around them advance. Distances are in bytes.
#[derive(Clone, Copy)]
pub(crate) struct TileWalk {
    /// Loops around the tile, the inner one last.
    pub(crate) outer: [Line; 2],
    /// The terms of a sum: one part after the other.
    pub(crate) terms: [Terms; 2],
    /// Lanes in use.
    pub(crate) lanes: usize,
    /// From a row's sum to the next row's, and from its real to its imaginary sum.
    pub(crate) y_row: isize,
    pub(crate) y_im: isize,
}

/// A loop around a tile: trips, and what each adds to the pointers.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) trips: u64,
    pub(crate) y: isize,
    pub(crate) own: isize,
    pub(crate) shared: isize,
}

impl Line {
    /// No loop.
    pub(crate) const ONCE: Line = Line {
        trips: 1,
        y: 0,
        own: 0,
        shared: 0,
    };
}

/// A part of the terms: where it starts, and two loops.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) own: isize,
    pub(crate) shared: isize,
    pub(crate) outer: Pace,
    pub(crate) inner: Pace,
}

impl Terms {
    /// No terms.
    pub(crate) const NONE: Terms = Terms {
        own: 0,
        shared: 0,
        outer: Pace {
            trips: 0,
            own: 0,
            shared: 0,
        },
        inner: Pace {
            trips: 0,
            own: 0,
            shared: 0,
        },
    };
}

/// A loop over terms: trips, and what each adds to the operands' pointers.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) trips: u64,
    pub(crate) own: isize,
    pub(crate) shared: isize,
}

/// An instantiation: every tile of a walk, from `y`, `own` and `shared` on.
///
/// # Safety
/// The machine has the level instantiated for. Every address of the walk points to as many
/// elements, readable (and for `y` writable) and aligned, as the form accesses there.
pub(crate) type TileFn = unsafe fn(walk: &TileWalk, y: *mut u8, own: *const u8, shared: *const u8);

/// `R` sums of `W` lanes that share each vector; each meets an element of its own, the next row's
/// right behind. `MASKED`: only the lanes in use are read and written.
///
/// # Safety
/// As [`TileFn`].
#[inline(always)]
pub(crate) unsafe fn columns<
    T: Lane,
    const R: usize,
    const W: usize,
    const MASKED: bool,
    const FUSED: bool,
>(
    walk: &TileWalk,
    mut y: *mut u8,
    mut own: *const u8,
    mut shared: *const u8,
) {
    let [far, near] = walk.outer;
    for _ in 0..far.trips {
        let (mut y_near, mut own_near, mut shared_near) = (y, own, shared);
        for _ in 0..near.trips {
            let mut sums = [[T::ZERO; W]; R];
            for (k, sum) in sums.iter_mut().enumerate() {
                let at = y_near.wrapping_offset(k as isize * walk.y_row);
                // SAFETY: the lanes in use of each sum are readable.
                *sum = unsafe { lanes::<T, W, MASKED>(at, walk.lanes) };
            }
            for terms in &walk.terms {
                let mut own_far = own_near.wrapping_offset(terms.own);
                let mut shared_far = shared_near.wrapping_offset(terms.shared);
                for _ in 0..terms.outer.trips {
                    let (mut h, mut x) = (own_far, shared_far);
                    for _ in 0..terms.inner.trips {
                        // SAFETY: the lanes in use of the shared vector are readable.
                        let vector = unsafe { lanes::<T, W, MASKED>(x, walk.lanes) };
                        for (k, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: one element is readable for each row.
                            let tap = unsafe { h.cast::<T>().add(k).read() };
                            for l in 0..W {
                                sum[l] = T::accumulate::<FUSED>(tap, vector[l], sum[l]);
                            }
                        }
                        h = h.wrapping_offset(terms.inner.own);
                        x = x.wrapping_offset(terms.inner.shared);
                    }
                    own_far = own_far.wrapping_offset(terms.outer.own);
                    shared_far = shared_far.wrapping_offset(terms.outer.shared);
                }
            }
            for (k, sum) in sums.iter().enumerate() {
                let at = y_near.wrapping_offset(k as isize * walk.y_row);
                if MASKED {
                    for (l, &lane) in sum.iter().enumerate().take(walk.lanes) {
                        // SAFETY: the lanes in use of each sum are writable.
                        unsafe { at.cast::<T>().add(l).write(lane) };
                    }
                } else {
                    // SAFETY: the same, and all are in use.
                    unsafe { at.cast::<[T; W]>().write(*sum) };
                }
            }
            y_near = y_near.wrapping_offset(near.y);
            own_near = own_near.wrapping_offset(near.own);
            shared_near = shared_near.wrapping_offset(near.shared);
        }
        y = y.wrapping_offset(far.y);
        own = own.wrapping_offset(far.own);
        shared = shared.wrapping_offset(far.shared);
    }
}

/// `R` pairs of sums of `W` lanes: real and imaginary parts of products.
///
/// Vectors lie one behind the other: of the shared operand the real and the imaginary part, and of
/// each row the same. As constants these distances cost no registers; as variables they made
/// the compiler keep a pointer for each and spill them (4 times slower, Zen 3).
///
/// # Safety
/// As [`TileFn`].
#[inline(always)]
pub(crate) unsafe fn complex<T: Lane, const R: usize, const W: usize, const FUSED: bool>(
    walk: &TileWalk,
    mut y: *mut u8,
    mut own: *const u8,
    mut shared: *const u8,
) {
    let [far, near] = walk.outer;
    for _ in 0..far.trips {
        let (mut y_near, mut own_near, mut shared_near) = (y, own, shared);
        for _ in 0..near.trips {
            let (mut re, mut im) = ([[T::ZERO; W]; R], [[T::ZERO; W]; R]);
            for k in 0..R {
                let at = y_near.wrapping_offset(k as isize * walk.y_row);
                // SAFETY: both sums of each row are readable.
                unsafe {
                    re[k] = at.cast::<[T; W]>().read();
                    im[k] = at.wrapping_offset(walk.y_im).cast::<[T; W]>().read();
                }
            }
            for terms in &walk.terms {
                let mut own_far = own_near.wrapping_offset(terms.own);
                let mut shared_far = shared_near.wrapping_offset(terms.shared);
                for _ in 0..terms.outer.trips {
                    let (mut h, mut x) = (own_far, shared_far);
                    for _ in 0..terms.inner.trips {
                        let vectors = x.cast::<[T; W]>();
                        // SAFETY: both parts of the shared operand are readable.
                        let (x_re, x_im) = unsafe { (vectors.read(), vectors.add(1).read()) };
                        for k in 0..R {
                            // SAFETY: both parts of each row's own operand are readable.
                            let (h_re, h_im) = unsafe {
                                let entry = h.cast::<[T; W]>().add(2 * k);
                                (entry.read(), entry.add(1).read())
                            };
                            for l in 0..W {
                                re[k][l] = T::accumulate::<FUSED>(h_re[l], x_re[l], re[k][l]);
                            }
                            for l in 0..W {
                                re[k][l] = T::accumulate::<FUSED>(h_im[l], -x_im[l], re[k][l]);
                            }
                            for l in 0..W {
                                im[k][l] = T::accumulate::<FUSED>(h_re[l], x_im[l], im[k][l]);
                            }
                            for l in 0..W {
                                im[k][l] = T::accumulate::<FUSED>(h_im[l], x_re[l], im[k][l]);
                            }
                        }
                        h = h.wrapping_offset(terms.inner.own);
                        x = x.wrapping_offset(terms.inner.shared);
                    }
                    own_far = own_far.wrapping_offset(terms.outer.own);
                    shared_far = shared_far.wrapping_offset(terms.outer.shared);
                }
            }
            for k in 0..R {
                let at = y_near.wrapping_offset(k as isize * walk.y_row);
                // SAFETY: both sums of each row are writable.
                unsafe {
                    at.cast::<[T; W]>().write(re[k]);
                    at.wrapping_offset(walk.y_im).cast::<[T; W]>().write(im[k]);
                }
            }
            y_near = y_near.wrapping_offset(near.y);
            own_near = own_near.wrapping_offset(near.own);
            shared_near = shared_near.wrapping_offset(near.shared);
        }
        y = y.wrapping_offset(far.y);
        own = own.wrapping_offset(far.own);
        shared = shared.wrapping_offset(far.shared);
    }
}

/// The first `in_use` elements, +0 above; all of them when not `MASKED`.
///
/// # Safety
/// They are readable and aligned.
#[inline(always)]
unsafe fn lanes<T: Lane, const W: usize, const MASKED: bool>(
    at: *const u8,
    in_use: usize,
) -> [T; W] {
    if !MASKED {
        // SAFETY: the caller's promise.
        return unsafe { at.cast::<[T; W]>().read() };
    }
    let mut value = [T::ZERO; W];
    for (l, lane) in value.iter_mut().enumerate().take(in_use) {
        // SAFETY: the caller's promise.
        *lane = unsafe { at.cast::<T>().add(l).read() };
    }
    value
}
