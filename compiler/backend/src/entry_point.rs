//! Calling a kernel: one argument, an array of slots.

/// One parameter of a call: the address of a buffer's first element, or an index.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Slot {
    /// A buffer.
    pub pointer: *mut u8,
    /// An index.
    pub index: i64,
}

/// A kernel that can be called.
pub trait EntryPoint: Send + Sync {
    /// Runs the kernel.
    ///
    /// # Safety
    /// `slots` points to one slot for each parameter of the kernel, in order. Each buffer slot
    /// points to memory of the buffer's extent and alignment, readable and, unless the buffer is
    /// read-only, writable, overlapping no other buffer of the call. Each index lies in its range.
    unsafe fn call(&self, slots: *const Slot);
}
