//! Instantiations of everything that executes, by level.
//!
//! The bodies are `inline(always)`, so within a function of a level they are compiled with its
//! instructions. `unsafe`: the functions may run only where the level is proved; [`Instance::of`]
//! takes the proof.

use crate::execution::{Run, execute};
use crate::lane::Lane;
use crate::mac::{self, MacFn, Register, TileFn, TileWalk, Walk};
use crate::program::{Form, Program, TileForm};
use tdse_backend::Slot;
use tdse_isa::{Level, Proof};
use tdse_kir::Elem;

/// The instantiation for a level.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    /// The interpreter loop.
    pub(crate) run: Run,
    find: fn(Form, Elem, usize, usize, bool) -> Option<MacFn>,
    find_tile: fn(TileForm, Elem, usize, Width, bool) -> Option<TileFn>,
}

impl Instance {
    /// The instantiation for a proved level; `None` for one of another architecture.
    pub(crate) fn of(proof: Proof) -> Option<Instance> {
        match proof.level() {
            // What x86-64-v2 adds does not serve these bodies: measured no faster.
            #[cfg(target_arch = "x86_64")]
            Level::Baseline | Level::V2 => Some(base::INSTANCE),
            #[cfg(target_arch = "x86_64")]
            Level::V3 => Some(v3::INSTANCE),
            #[cfg(target_arch = "x86_64")]
            Level::V4 => Some(v4::INSTANCE),
            #[cfg(not(target_arch = "x86_64"))]
            Level::Neon | Level::Scalar => Some(base::INSTANCE),
            _ => None,
        }
    }

    /// The loop of multiply-accumulates with `accs` accumulators of `lanes` lanes, if there is one.
    pub(crate) fn mac(
        &self,
        form: Form,
        elem: Elem,
        accs: usize,
        lanes: usize,
        fused: bool,
    ) -> Option<MacFn> {
        (self.find)(form, elem, accs, lanes, fused)
    }

    /// The tile of `rows` rows of `lanes` lanes in use, if there is one.
    pub(crate) fn tile(
        &self,
        form: TileForm,
        elem: Elem,
        rows: usize,
        lanes: usize,
        fused: bool,
    ) -> Option<TileFn> {
        (self.find_tile)(form, elem, rows, Width::of(elem, lanes)?, fused)
    }
}

/// Bytes that the lanes in use of a tile's vectors take. No other lane is computed: nothing reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// 64.
    Two,
    /// 32.
    One,
    /// 16.
    Half,
    /// Fewer.
    Part,
}

impl Width {
    /// The width of `lanes` lanes, if tiles have one.
    fn of(elem: Elem, lanes: usize) -> Option<Width> {
        match lanes * elem.bytes() {
            64 => Some(Width::Two),
            32 => Some(Width::One),
            16 => Some(Width::Half),
            0..16 => Some(Width::Part),
            _ => None,
        }
    }
}

macro_rules! instance {
    ($(#[$attribute:meta])* $module:ident) => {
        mod $module {
            use super::*;

            pub(super) const INSTANCE: Instance = Instance {
                run,
                find,
                find_tile,
            };

            $(#[$attribute])*
            unsafe fn run(program: &Program, slots: *const Slot) {
                // SAFETY: the caller's promise, passed on.
                unsafe { execute(program, slots) }
            }

            $(#[$attribute])*
            unsafe fn taps<T: Lane, const R: usize, const FUSED: bool>(
                acc: *mut Register,
                walk: &Walk,
            ) {
                // SAFETY: the caller's promise, passed on.
                unsafe { mac::taps::<T, R, FUSED>(acc, walk) }
            }

            $(#[$attribute])*
            unsafe fn rows<T: Lane, const W: usize, const FUSED: bool>(
                acc: *mut Register,
                walk: &Walk,
            ) {
                // SAFETY: the caller's promise, passed on.
                unsafe { mac::rows::<T, W, FUSED>(acc, walk) }
            }

            $(#[$attribute])*
            unsafe fn columns<
                T: Lane,
                const R: usize,
                const W: usize,
                const MASKED: bool,
                const FUSED: bool,
            >(
                walk: &TileWalk,
                y: *mut u8,
                own: *const u8,
                shared: *const u8,
            ) {
                // SAFETY: the caller's promise, passed on.
                unsafe { mac::columns::<T, R, W, MASKED, FUSED>(walk, y, own, shared) }
            }

            $(#[$attribute])*
            unsafe fn complex<
                T: Lane,
                const R: usize,
                const W: usize,
                const FUSED: bool,
            >(
                walk: &TileWalk,
                y: *mut u8,
                own: *const u8,
                shared: *const u8,
            ) {
                // SAFETY: the caller's promise, passed on.
                unsafe { mac::complex::<T, R, W, FUSED>(walk, y, own, shared) }
            }

            fn find_tile(
                form: TileForm,
                elem: Elem,
                rows: usize,
                width: Width,
                fused: bool,
            ) -> Option<TileFn> {
                match (elem, fused) {
                    (Elem::F64, true) => tile_in::<f64, 1, 2, 4, 8, false, true>(form, rows, width),
                    (Elem::F64, false) => tile_in::<f64, 1, 2, 4, 8, false, false>(form, rows, width),
                    (Elem::F32, true) => tile_in::<f32, 4, 4, 8, 16, true, true>(form, rows, width),
                    (Elem::F32, false) => tile_in::<f32, 4, 4, 8, 16, true, false>(form, rows, width),
                }
            }

            /// `H` lanes take 16 bytes, `N` take 32, `W` take 64. Fewer bytes are `P` lanes, `MASKED`
            /// where it may be fewer.
            fn tile_in<
                T: Lane,
                const P: usize,
                const H: usize,
                const N: usize,
                const W: usize,
                const MASKED: bool,
                const FUSED: bool,
            >(
                form: TileForm,
                rows: usize,
                width: Width,
            ) -> Option<TileFn> {
                use TileForm::{Columns, Complex};
                match (form, width, rows) {
                    (Columns, Width::Two, 1) => Some(columns::<T, 1, W, false, FUSED>),
                    (Columns, Width::Two, 2) => Some(columns::<T, 2, W, false, FUSED>),
                    (Columns, Width::Two, 3) => Some(columns::<T, 3, W, false, FUSED>),
                    (Columns, Width::Two, 4) => Some(columns::<T, 4, W, false, FUSED>),
                    (Columns, Width::One, 1) => Some(columns::<T, 1, N, false, FUSED>),
                    (Columns, Width::One, 2) => Some(columns::<T, 2, N, false, FUSED>),
                    (Columns, Width::One, 3) => Some(columns::<T, 3, N, false, FUSED>),
                    (Columns, Width::One, 4) => Some(columns::<T, 4, N, false, FUSED>),
                    (Columns, Width::Half, 1) => Some(columns::<T, 1, H, false, FUSED>),
                    (Columns, Width::Half, 2) => Some(columns::<T, 2, H, false, FUSED>),
                    (Columns, Width::Half, 3) => Some(columns::<T, 3, H, false, FUSED>),
                    (Columns, Width::Half, 4) => Some(columns::<T, 4, H, false, FUSED>),
                    (Columns, Width::Part, 1) => Some(columns::<T, 1, P, MASKED, FUSED>),
                    (Columns, Width::Part, 2) => Some(columns::<T, 2, P, MASKED, FUSED>),
                    (Columns, Width::Part, 3) => Some(columns::<T, 3, P, MASKED, FUSED>),
                    (Columns, Width::Part, 4) => Some(columns::<T, 4, P, MASKED, FUSED>),
                    (Complex, Width::One, 1) => Some(complex::<T, 1, N, FUSED>),
                    (Complex, Width::One, 2) => Some(complex::<T, 2, N, FUSED>),
                    (Complex, Width::One, 3) => Some(complex::<T, 3, N, FUSED>),
                    (Complex, Width::One, 4) => Some(complex::<T, 4, N, FUSED>),
                    (Complex, Width::Two, 1) => Some(complex::<T, 1, W, FUSED>),
                    (Complex, Width::Two, 2) => Some(complex::<T, 2, W, FUSED>),
                    _ => None,
                }
            }

            fn find(
                form: Form,
                elem: Elem,
                accs: usize,
                lanes: usize,
                fused: bool,
            ) -> Option<MacFn> {
                match (elem, fused) {
                    (Elem::F64, true) => find_in::<f64, true>(form, accs, lanes),
                    (Elem::F64, false) => find_in::<f64, false>(form, accs, lanes),
                    (Elem::F32, true) => find_in::<f32, true>(form, accs, lanes),
                    (Elem::F32, false) => find_in::<f32, false>(form, accs, lanes),
                }
            }

            fn find_in<T: Lane, const FUSED: bool>(
                form: Form,
                accs: usize,
                lanes: usize,
            ) -> Option<MacFn> {
                match (form, accs, lanes) {
                    (Form::Taps, 1, 8) => Some(taps::<T, 1, FUSED>),
                    (Form::Taps, 2, 8) => Some(taps::<T, 2, FUSED>),
                    (Form::Taps, 3, 8) => Some(taps::<T, 3, FUSED>),
                    (Form::Taps, 4, 8) => Some(taps::<T, 4, FUSED>),
                    (Form::Taps, 5, 8) => Some(taps::<T, 5, FUSED>),
                    (Form::Taps, 6, 8) => Some(taps::<T, 6, FUSED>),
                    (Form::Taps, 7, 8) => Some(taps::<T, 7, FUSED>),
                    (Form::Taps, 8, 8) => Some(taps::<T, 8, FUSED>),
                    (Form::Rows, mac::ROWS_ACCUMULATORS, 2) => Some(rows::<T, 2, FUSED>),
                    (Form::Rows, mac::ROWS_ACCUMULATORS, 4) => Some(rows::<T, 4, FUSED>),
                    (Form::Rows, mac::ROWS_ACCUMULATORS, 8) => Some(rows::<T, 8, FUSED>),
                    _ => None,
                }
            }
        }
    };
}

instance!(base);
#[cfg(target_arch = "x86_64")]
instance!(
    #[target_feature(
        enable = "sse3,ssse3,sse4.1,sse4.2,popcnt,cmpxchg16b,avx,avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe"
    )]
    v3
);
#[cfg(target_arch = "x86_64")]
instance!(
    #[target_feature(
        enable = "sse3,ssse3,sse4.1,sse4.2,popcnt,cmpxchg16b,avx,avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
    )]
    v4
);
