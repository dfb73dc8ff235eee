//! What a temporal block computes, and where its `H` lies.
//!
//! ```text
//! h   [row block][lag, oldest first][p][q in block]
//! ```
//!
//! For each vector of outputs the kernel reads a row block's part from front to back.

use tdse_kir::Elem;

use crate::TemplateError;
use crate::extent::{at_least_one, bounded, product, rows_of};
use crate::mac_schedule::BlockSchedule;

/// Family name in kernels and refusals.
pub(crate) const FAMILY: &str = "temporal_block";

/// Sizes and element type of a temporal block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockShape {
    /// Inputs.
    pub np: usize,
    /// Outputs.
    pub nq: usize,
    /// Terms of each input.
    pub lags: usize,
    /// Steps of output.
    pub block: usize,
    /// Elements from an input of `x` to the next.
    pub x_stride: usize,
    /// Elements from a row of `y` to the next.
    pub y_stride: usize,
    /// Element type.
    pub elem: Elem,
}

impl BlockShape {
    /// Elements of `x` from the first that the kernel reads to the last.
    pub fn x_len(&self) -> usize {
        (self.np - 1) * self.x_stride + self.block + self.lags - 1
    }

    /// Elements of `y` from the first that the kernel touches to the last.
    pub fn y_len(&self) -> usize {
        (self.nq - 1) * self.y_stride + self.block
    }

    /// Refuses what no kernel can be made of: no sizes, rows that overlap, buffers beyond memory.
    pub(crate) fn check(&self) -> Result<(), TemplateError> {
        let BlockShape {
            np,
            nq,
            lags,
            block,
            x_stride,
            y_stride,
            elem: _,
        } = *self;
        at_least_one(
            FAMILY,
            &[("np", np), ("nq", nq), ("lags", lags), ("block", block)],
        )?;
        bounded(FAMILY, "h", product(&[np, nq, lags]))?;
        let window = block.checked_add(lags - 1);
        bounded(FAMILY, "x", window.and_then(|n| rows_of(np, x_stride, n)))?;
        bounded(FAMILY, "y", rows_of(nq, y_stride, block))?;
        if nq > 1 && y_stride < block {
            return Err(TemplateError::RowsOverlap {
                family: FAMILY,
                row: block,
                stride: y_stride,
            });
        }
        Ok(())
    }
}

/// The packed order of `H` for one shape and schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLayout {
    np: usize,
    nq: usize,
    lags: usize,
    rows: usize,
}

impl BlockLayout {
    /// The order that [`crate::temporal_block`] reads for this shape and schedule, both of which it
    /// must accept: nothing is checked again here.
    pub fn new(shape: &BlockShape, schedule: BlockSchedule) -> Self {
        BlockLayout {
            np: shape.np,
            nq: shape.nq,
            lags: shape.lags,
            rows: schedule.rows.into(),
        }
    }

    /// Elements in the packed buffer; there is no padding.
    pub fn len(&self) -> usize {
        self.np * self.nq * self.lags
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Offset of `h[q][j][p]`, `j` from the oldest lag.
    pub fn index(&self, q: usize, j: usize, p: usize) -> usize {
        let first = q - q % self.rows;
        let in_block = self.rows.min(self.nq - first);
        first * self.lags * self.np + (j * self.np + p) * in_block + (q - first)
    }
}
