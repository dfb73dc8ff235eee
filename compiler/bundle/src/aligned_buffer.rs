//! Zeroed storage that starts at a cache line, for packed operators, windows and results.
//!
//! The allocator promises 8 or 16 bytes of alignment to a `Vec<f64>`; templates ask for up to 64.
//! Invariant: the pointer is a multiple of 64 and owns `len` initialised elements.
//!
//! Operators are read from front to back at every step, so a large one asks for huge pages: with pages of
//! 4 KiB a step took 1.3 times as long, relative to OpenBLAS in the same run (spectra of 14 MB, shared Zen 3 guest, one run each). A system that
//! has none to give, or a caller's limit, leaves ordinary ones; nothing else changes. Cost: the last huge page
//! may be filled in part only, up to 2 MiB of memory beyond the elements.

use std::alloc::{self, Layout};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

/// Alignment of every buffer, in bytes: one cache line, the most that a template asks for.
const ALIGN: usize = 64;

/// An element type of kernels.
pub trait Element: Copy + fmt::Debug + Send + Sync + sealed::AllBitsZero + 'static {}

impl Element for f32 {}
impl Element for f64 {}

mod sealed {
    /// All bits zero is the number +0.
    pub trait AllBitsZero {}
    impl AllBitsZero for f32 {}
    impl AllBitsZero for f64 {}
}

/// A fixed number of elements, zero at first, starting at a multiple of 64 bytes.
pub struct AlignedBuffer<T: Element> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: the buffer owns its elements, which are plain numbers.
unsafe impl<T: Element> Send for AlignedBuffer<T> {}
// SAFETY: shared access only reads them.
unsafe impl<T: Element> Sync for AlignedBuffer<T> {}

impl<T: Element> AlignedBuffer<T> {
    /// `len` zeros. Ends the process as `Vec` does when there is no memory.
    pub fn new(len: usize) -> Self {
        let Some(layout) = layout::<T>(len) else {
            // No address space holds this many: the largest layout stands for it in the message.
            alloc::handle_alloc_error(Layout::new::<T>());
        };
        if layout.size() == 0 {
            return AlignedBuffer {
                start: NonNull::<Line>::dangling().cast(),
                len,
            };
        }
        // SAFETY: the layout has a size above zero. Huge pages are asked for before the zeros are written, since
        // pages that were touched stay as they are; all bits zero is an initialised element.
        let start = unsafe {
            if layout.align() == HUGE {
                let start = alloc::alloc(layout);
                if !start.is_null() {
                    ask_for_huge_pages(start, layout.size());
                    start.write_bytes(0, len * size_of::<T>());
                }
                start
            } else {
                alloc::alloc_zeroed(layout)
            }
        };
        match NonNull::new(start.cast()) {
            Some(start) => AlignedBuffer { start, len },
            None => alloc::handle_alloc_error(layout),
        }
    }

    /// A copy of `values`.
    pub fn from_slice(values: &[T]) -> Self {
        let mut buffer = Self::new(values.len());
        buffer.copy_from_slice(values);
        buffer
    }
}

impl<T: Element> Deref for AlignedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `start` owns `len` initialised elements (zeroed at first), or `len` is 0 and it
        // dangles at an aligned address.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for AlignedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`; the borrow is exclusive.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> Clone for AlignedBuffer<T> {
    fn clone(&self) -> Self {
        Self::from_slice(self)
    }
}

impl<T: Element> fmt::Debug for AlignedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Element> Drop for AlignedBuffer<T> {
    fn drop(&mut self) {
        match layout::<T>(self.len) {
            Some(layout) if layout.size() > 0 => {
                // SAFETY: `start` was allocated with this very layout.
                unsafe { alloc::dealloc(self.start.as_ptr().cast(), layout) }
            }
            _ => {}
        }
    }
}

/// Gives an aligned dangling address to empty buffers.
#[repr(align(64))]
struct Line;

/// Size of a huge page.
const HUGE: usize = 2 << 20;

/// Large buffers are whole huge pages, so that one ends where the next begins.
fn layout<T>(len: usize) -> Option<Layout> {
    let layout = Layout::array::<T>(len).ok()?;
    if layout.size() < HUGE {
        return layout.align_to(ALIGN).ok();
    }
    Some(layout.align_to(HUGE).ok()?.pad_to_align())
}

/// # Safety
/// `start` owns `len` bytes, both multiples of the size of a huge page.
unsafe fn ask_for_huge_pages(start: *mut u8, len: usize) {
    #[cfg(target_os = "linux")]
    {
        let advice = rustix::mm::Advice::LinuxHugepage;
        // SAFETY: the pages are the caller's and the advice changes no byte. A refusal changes nothing.
        let _ = unsafe { rustix::mm::madvise(start.cast(), len, advice) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, len);
}

#[cfg(test)]
mod tests {
    use super::AlignedBuffer;

    #[test]
    fn starts_at_a_line_and_at_zero() {
        for len in [
            0,
            1,
            7,
            8,
            9,
            4096,
            (2 << 20) / 8 - 1,
            (2 << 20) / 8,
            600_001,
        ] {
            let buffer = AlignedBuffer::<f64>::new(len);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            assert!(buffer.iter().all(|x| x.to_bits() == 0));
        }
    }

    #[test]
    fn a_clone_is_another_buffer() {
        let mut a = AlignedBuffer::from_slice(&[1.0_f32, 2.0, 3.0]);
        let b = a.clone();
        a[1] = 9.0;
        assert_eq!(&b[..], &[1.0, 2.0, 3.0]);
        assert_eq!(&a[..], &[1.0, 9.0, 3.0]);
    }
}
