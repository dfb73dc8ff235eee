//! No kernel touches what lies beyond a buffer.

use std::ptr;
use std::slice;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};
use tdse_bundle::Arg;
use tdse_kir::{Contraction, Elem, verify};
use tdse_templates::{DirectShape, Layout, Schedule, direct};

use super::{ELEMS, Suite};

impl Suite {
    /// Tails of rows and of terms, in both directions.
    pub fn tails_stay_inside(&self) {
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
                    for elem in ELEMS {
                        self.stays_inside(DirectShape { elem, ..shape }, schedule);
                    }
                }
            }
        }
    }

    fn stays_inside(&self, shape: DirectShape, schedule: Schedule) {
        let kernel = verify(direct(&shape, Contraction::Separate, schedule).unwrap()).unwrap();
        let packed = Layout::new(&shape, schedule).len();
        let size = shape.elem.bytes();
        for end in [true, false] {
            let mut h = Guarded::new(packed * size, 64, end);
            let mut x = Guarded::new(shape.terms() * size, size, end);
            let mut y = Guarded::new(shape.nq * size, size, end);
            for way in self.ways_of(&kernel) {
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
                way.executable(&kernel).run(&mut args).unwrap();
            }
        }
    }
}

/// Bytes that end, up to alignment, where an inaccessible page begins, or begin where one ends.
struct Guarded {
    map: *mut u8,
    pages: usize,
    start: *mut u8,
    bytes: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    fn new(bytes: usize, align: usize, end: bool) -> Self {
        let pages = bytes.div_ceil(PAGE) + 1;
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping whose last or first page loses its rights; `start` lies in the rest.
        unsafe {
            let map = rustix::mm::mmap_anonymous(
                ptr::null_mut(),
                pages * PAGE,
                rights,
                MapFlags::PRIVATE,
            );
            let map = map.unwrap().cast::<u8>();
            let guard = if end {
                map.add((pages - 1) * PAGE)
            } else {
                map
            };
            rustix::mm::mprotect(guard.cast(), PAGE, MprotectFlags::empty()).unwrap();
            let start = match end {
                true => guard.sub(bytes.next_multiple_of(align)),
                false => guard.add(PAGE),
            };
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
