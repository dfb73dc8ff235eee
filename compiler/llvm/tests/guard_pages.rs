//! No kernel touches what lies beyond a buffer: each ends where an inaccessible page begins.
#![cfg(all(feature = "llvm", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

mod oracle;

use std::ptr;
use std::slice;

use oracle::{executable, ways};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};
use tdse_bundle::Arg;
use tdse_kir::{Contraction, Elem, verify};
use tdse_templates::{DirectShape, Layout, Schedule, direct};

#[test]
fn tails_stay_inside() {
    let schedules = [
        Schedule::Taps { rows: 3, unroll: 2 },
        Schedule::Rows {
            lanes: 4,
            unroll: 1,
        },
        Schedule::Rows {
            lanes: 16,
            unroll: 1,
        },
    ];
    for schedule in schedules {
        for nq in 1..=5 {
            for taps in 1..=17 {
                let shape = DirectShape {
                    np: 1,
                    nq,
                    taps,
                    elem: Elem::F32,
                };
                run(shape, schedule);
                run(
                    DirectShape {
                        elem: Elem::F64,
                        ..shape
                    },
                    schedule,
                );
            }
        }
    }
}

fn run(shape: DirectShape, schedule: Schedule) {
    let kernel = verify(direct(&shape, Contraction::Separate, schedule).unwrap()).unwrap();
    let packed = Layout::new(&shape, schedule).len();
    let size = shape.elem.bytes();
    let mut h = Guarded::new(packed * size, 64);
    let mut x = Guarded::new(shape.terms() * size, size);
    let mut y = Guarded::new(shape.nq * size, size);
    for (backend, proof) in ways(Contraction::Separate) {
        let run = executable(&backend, &kernel, proof);
        let mut args = match shape.elem {
            Elem::F64 => [
                Arg::F64(h.slice()),
                Arg::F64(x.slice()),
                Arg::F64Mut(y.slice()),
            ],
            Elem::F32 => [
                Arg::F32(h.slice()),
                Arg::F32(x.slice()),
                Arg::F32Mut(y.slice()),
            ],
        };
        run.run(&mut args).unwrap();
    }
}

/// Bytes that end, up to alignment, where an inaccessible page begins.
struct Guarded {
    map: *mut u8,
    pages: usize,
    start: *mut u8,
    bytes: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    fn new(bytes: usize, align: usize) -> Self {
        let pages = bytes.div_ceil(PAGE) + 1;
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping whose last page loses its rights; `start` lies in it.
        unsafe {
            let map = rustix::mm::mmap_anonymous(
                ptr::null_mut(),
                pages * PAGE,
                rights,
                MapFlags::PRIVATE,
            );
            let map = map.unwrap().cast::<u8>();
            let guard = map.add((pages - 1) * PAGE);
            rustix::mm::mprotect(guard.cast(), PAGE, MprotectFlags::empty()).unwrap();
            let start = guard.sub(bytes.next_multiple_of(align));
            Guarded {
                map,
                pages,
                start,
                bytes,
            }
        }
    }

    fn slice<T>(&mut self) -> &mut [T] {
        // SAFETY: `bytes` initialised bytes at `start`, borrowed through `self`.
        unsafe { slice::from_raw_parts_mut(self.start.cast(), self.bytes / size_of::<T>()) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `new`.
        unsafe { rustix::mm::munmap(self.map.cast(), self.pages * PAGE).unwrap() };
    }
}
