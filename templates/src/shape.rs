//! What a direct kernel computes.

use tdse_kir::Elem;

use crate::extent::MAX_ELEMENTS;
use crate::{PARTIALS, TemplateError};

/// Sizes and element type of a direct kernel.
///
/// The window `x` holds `taps` input vectors, oldest first: term `j * np + p` is input `p` of
/// vector `j`, which meets the tap of lag `taps - j` (history) or 0 (direct term, `taps = 1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DirectShape {
    /// Inputs.
    pub np: usize,
    /// Outputs.
    pub nq: usize,
    /// Input vectors in the window.
    pub taps: usize,
    /// Element type of H, window and result.
    pub elem: Elem,
}

impl DirectShape {
    /// Terms summed per row.
    pub fn terms(&self) -> usize {
        self.np * self.taps
    }

    /// Refuses empty shapes and those whose packed H, padding included, is too large.
    pub(crate) fn check(&self) -> Result<(), TemplateError> {
        let DirectShape {
            np,
            nq,
            taps,
            elem: _,
        } = *self;
        if np == 0 || nq == 0 || taps == 0 {
            return Err(TemplateError::Empty { np, nq, taps });
        }
        // 16 more rows and one more group cover the padding of every schedule.
        let padded = np
            .checked_mul(taps)
            .and_then(|terms| terms.checked_add(PARTIALS))
            .and_then(|terms| terms.checked_mul(nq.checked_add(16)?));
        match padded {
            Some(n) if n <= MAX_ELEMENTS => Ok(()),
            _ => Err(TemplateError::TooLarge { np, nq, taps }),
        }
    }
}
