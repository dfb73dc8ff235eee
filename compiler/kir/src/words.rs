//! Which names the text form can hold.

use crate::limits::{MAX_KERNEL_NAME, MAX_NAME};

/// Words that no parameter, variable or value may be named.
pub(crate) const RESERVED: &[&str] = &[
    "add",
    "align",
    "carry",
    "class",
    "fma",
    "in",
    "index",
    "inf",
    "kernel",
    "lanes",
    "load",
    "load_splat",
    "loop",
    "mul",
    "nan",
    "neg",
    "param",
    "readonly",
    "readwrite",
    "reduce",
    "splat",
    "store",
    "sub",
    "writeonly",
    "yield",
];

/// Whether a parameter, variable or value may have this name.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !RESERVED.contains(&name)
}

/// Whether a kernel may have this name.
pub(crate) fn is_kernel_name(name: &str) -> bool {
    name.len() <= MAX_KERNEL_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(is_kernel_name_byte)
}

/// Whether a kernel's name may hold this byte after its first.
pub(crate) fn is_kernel_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}
