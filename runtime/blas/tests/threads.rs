//! Guards of the number of threads. One test a process: the number belongs to the process.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::sync::{Arc, Barrier};
use std::thread;

use support::libraries;
use tdse_blas::{Blas, SharedThreadGuard};

#[test]
fn guards_hold_the_number_and_the_last_one_restores_it() {
    for blas in libraries() {
        restores_after_nesting(&blas);
        refuses_another_number(&blas);
        renews_what_was_changed(&blas);
        restores_after_threads_in_any_order(&blas);
        refuses_a_number_the_library_does_not_take(&blas);
    }
}

/// Starts from two threads, wherever the library takes them.
fn two(blas: &Blas) -> u32 {
    blas.with_threads(2).map_or(1, |guard| guard.threads())
}

fn restores_after_nesting(blas: &Arc<Blas>) {
    let before = blas.threads();
    let outer = blas.single_threaded().unwrap();
    let inner = SharedThreadGuard::new(Arc::clone(blas), 1).unwrap();
    assert_eq!(blas.threads(), Some(1));
    drop(outer);
    assert_eq!(blas.threads(), Some(1), "a guard is left");
    drop(inner);
    assert_eq!(blas.threads(), before);
    if two(blas) == 2 {
        let guard = blas.with_threads(2).unwrap();
        assert_eq!((guard.threads(), blas.threads()), (2, Some(2)));
        drop(guard);
        assert_eq!(blas.threads(), before);
    }
}

fn refuses_another_number(blas: &Blas) {
    let guard = blas.single_threaded().unwrap();
    let refusal = blas.with_threads(2).unwrap_err();
    println!("{refusal}");
    assert_eq!(refusal.name(), "blas_threads_held");
    assert_eq!(blas.threads(), Some(1));
    drop(guard);
}

fn renews_what_was_changed(blas: &Blas) {
    let before = blas.threads();
    let guard = blas.single_threaded().unwrap();
    if set_behind_the_guards(blas, 2) {
        assert_eq!(blas.threads(), Some(2));
    }
    guard.renew();
    assert_eq!(blas.threads(), Some(1));
    drop(guard);
    assert_eq!(blas.threads(), before);
}

/// Sets the number as a host would that knows nothing of guards; `false` where it cannot be.
fn set_behind_the_guards(blas: &Blas, threads: i32) -> bool {
    // SAFETY: the library is open already, so nothing of it runs here; each function is declared so.
    unsafe {
        let library = libloading::Library::new(&blas.info().path).unwrap();
        for name in [
            "openblas_set_num_threads",
            "scipy_openblas_set_num_threads64_",
            "MKL_Set_Num_Threads",
        ] {
            if let Ok(set) = library.get::<unsafe extern "C" fn(i32)>(name) {
                set(threads);
                return blas.threads() == Some(threads as u32);
            }
        }
    }
    false
}

fn restores_after_threads_in_any_order(blas: &Arc<Blas>) {
    let before = blas.threads();
    let all_hold = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let guard = blas.single_threaded().unwrap();
                all_hold.wait();
                for _ in 0..100 {
                    assert_eq!(blas.threads(), Some(1));
                    drop(blas.single_threaded().unwrap());
                }
                drop(guard);
            });
        }
    });
    assert_eq!(blas.threads(), before);
}

fn refuses_a_number_the_library_does_not_take(blas: &Blas) {
    let before = blas.threads();
    // MKL and BLIS take any number; OpenBLAS has a bound from when it was built.
    match blas.with_threads(1 << 20) {
        Ok(guard) => drop(guard),
        Err(refusal) => {
            println!("{refusal}");
            assert_eq!(refusal.name(), "blas_threads_not_taken");
        }
    }
    assert_eq!(blas.threads(), before);
}
