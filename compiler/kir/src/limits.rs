//! Bounds that make every verified kernel finish, and every step of checking one cheap.

/// Largest extent of a buffer, in elements.
pub const MAX_EXTENT: u64 = 1 << 40;

/// Largest declared alignment, in bytes: one page.
pub const MAX_ALIGN: u32 = 4096;

/// Largest extent of a writeonly buffer, in elements: the proof that each is written once keeps
/// one bit for each (8 MiB).
pub const MAX_WRITE_ONLY: u64 = 1 << 26;

/// Largest work of one call: lanes computed, loaded and stored, plus one for each iteration.
///
/// A model of 100 x 100 ports and 100,000 taps needs 2^30 multiply-adds. At this bound the
/// interpreter takes about an hour.
pub const MAX_WORK: u64 = 1 << 36;

/// Largest magnitude of a loop bound or of the range of an index parameter.
pub const MAX_INDEX: i64 = 1 << 40;

/// Largest magnitude of every partial sum and coefficient of an address, in elements, so that no
/// backend's 64-bit arithmetic wraps, even in bytes.
pub const MAX_ADDRESS: i128 = 1 << 58;

/// Most parameters.
pub const MAX_PARAMS: usize = 64;

/// Most values.
pub const MAX_VALUES: usize = 1 << 16;

/// Most statements.
pub const MAX_STATEMENTS: usize = 1 << 16;

/// Deepest nesting of loops.
pub const MAX_DEPTH: usize = 16;

/// Most terms of an address: the counters of the deepest nest, and as many index parameters.
pub const MAX_TERMS: usize = 32;

/// Longest name of a parameter, variable or value, in bytes.
pub const MAX_NAME: usize = 64;

/// Longest name of a kernel, in bytes.
pub const MAX_KERNEL_NAME: usize = 256;

/// Longest text that the parser reads, in bytes.
pub const MAX_TEXT: usize = 16 << 20;
