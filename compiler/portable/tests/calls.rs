//! What a call costs besides its arithmetic: no allocation, no lock, no shared state.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::families::Family;
use harness::lower;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tdse_backend::{EntryPoint, Slot};
use tdse_isa::Host;
use tdse_kir::{Contraction, Elem, Verified, verify};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROWS: i64 = 3;
const STEPS: i64 = 5;

fn kernel() -> Verified {
    let (elem, contraction) = (Elem::F64, Contraction::Separate);
    let sizes = Family {
        elem,
        contraction,
        rows: ROWS,
        blocks: 1,
        unroll: 1,
        steps: STEPS,
        left: 1,
        tail: 3,
    };
    verify(sizes.taps()).unwrap()
}

fn call(entry: &dyn EntryPoint, h: &[f64], x: &[f64], y: &mut [f64]) {
    let slots = [
        Slot {
            pointer: h.as_ptr().cast_mut().cast(),
        },
        Slot {
            pointer: x.as_ptr().cast_mut().cast(),
        },
        Slot {
            pointer: y.as_mut_ptr().cast(),
        },
    ];
    // SAFETY: a slot for each parameter; every slice has its buffer's extent.
    unsafe { entry.call(slots.as_ptr()) }
}

#[test]
fn a_call_allocates_nothing() {
    let kernel = kernel();
    let groups = STEPS + 2;
    let h = vec![0.5; (ROWS * groups * 8) as usize];
    let x = vec![2.0; (8 * (STEPS + 1) + 3) as usize];
    for proof in Host::get().levels() {
        let entry = lower(&kernel, proof.level());
        let mut y = [0.0; ROWS as usize];
        let before = ALLOCATIONS.get();
        call(&*entry, &h, &x, &mut y);
        assert_eq!(ALLOCATIONS.get(), before, "{}", proof.level());
        assert_eq!(y, [x.len() as f64; ROWS as usize]);
    }
}

#[test]
fn threads_share_a_program() {
    let kernel = kernel();
    let entry = lower(&kernel, Host::get().best());
    std::thread::scope(|scope| {
        for t in 1..=4 {
            let entry = &*entry;
            scope.spawn(move || {
                let h = vec![f64::from(t); (ROWS * (STEPS + 2) * 8) as usize];
                let x = vec![1.0; (8 * (STEPS + 1) + 3) as usize];
                for _ in 0..500 {
                    let mut y = [0.0; ROWS as usize];
                    call(entry, &h, &x, &mut y);
                    assert_eq!(y, [f64::from(t) * x.len() as f64; ROWS as usize]);
                }
            });
        }
    });
}
