//! Sizes of buffers, checked once before a kernel is described.

use crate::TemplateError;

/// Largest buffer in elements. Far beyond any memory, small enough that byte offsets fit `i64`.
pub(crate) const MAX_ELEMENTS: usize = 1 << 40;

/// Refuses a size of zero.
pub(crate) fn at_least_one(
    family: &'static str,
    sizes: &[(&'static str, usize)],
) -> Result<(), TemplateError> {
    match sizes.iter().find(|size| size.1 == 0) {
        Some(&(size, _)) => Err(TemplateError::SizeZero { family, size }),
        None => Ok(()),
    }
}

/// Refuses a buffer whose size passes the limit or does not fit a `usize` (`None`).
pub(crate) fn bounded(
    family: &'static str,
    buffer: &'static str,
    elements: Option<usize>,
) -> Result<(), TemplateError> {
    match elements {
        Some(n) if n <= MAX_ELEMENTS => Ok(()),
        _ => Err(TemplateError::BufferTooLarge { family, buffer }),
    }
}

/// The product, unless it overflows.
pub(crate) fn product(factors: &[usize]) -> Option<usize> {
    factors.iter().try_fold(1_usize, |n, &f| n.checked_mul(f))
}

/// `(rows - 1) * stride + last`, unless it overflows: elements of `rows` rows of `last` elements.
pub(crate) fn rows_of(rows: usize, stride: usize, last: usize) -> Option<usize> {
    (rows - 1).checked_mul(stride)?.checked_add(last)
}
