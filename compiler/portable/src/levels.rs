//! Instantiations of everything that executes, by level.
//!
//! The bodies are `inline(always)`, so within a function of a level they are compiled with its
//! instructions. `unsafe`: the functions may run only where the level is proved; [`Instance::of`]
//! takes the proof.

use crate::execution::{Run, execute};
use crate::lane::Lane;
use crate::mac::{self, MacFn, Register, Walk};
use crate::program::{Form, Program};
use tdse_backend::Slot;
use tdse_isa::{Level, Proof};
use tdse_kir::Elem;

/// The instantiation for a level.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    /// The interpreter loop.
    pub(crate) run: Run,
    find: fn(Form, Elem, usize, usize, bool) -> Option<MacFn>,
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
}

macro_rules! instance {
    ($(#[$attribute:meta])* $module:ident) => {
        mod $module {
            use super::*;

            pub(super) const INSTANCE: Instance = Instance { run, find };

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
