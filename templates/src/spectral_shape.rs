//! What a spectral kernel computes, and where its `H` lies.
//!
//! ```text
//! h   [group][row block][p][q in block][re | im][lane]
//! x   [group][p][re | im][lane]
//! y   re of (q, bin) at q*y_stride + bin, im at q*y_stride + y_im + bin
//! ```
//!
//! `h` and `x` are read from front to back, `y` row by row.

use tdse_kir::Elem;

use crate::TemplateError;
use crate::extent::{at_least_one, bounded, product, rows_of};
use crate::mac_schedule::{SpectralSchedule, is_lanes};

/// Family name in kernels and refusals.
pub(crate) const FAMILY: &str = "spectral_mac";

/// Sizes and element type of a spectral kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpectralShape {
    /// Inputs.
    pub np: usize,
    /// Outputs.
    pub nq: usize,
    /// Groups of `lanes` bins. Bins beyond the spectrum are padding: what they hold is computed on
    /// and means nothing.
    pub groups: usize,
    /// Bins in a group: 1, 2, 4, 8 or 16.
    pub lanes: u8,
    /// Elements from a row of `y` to the next.
    pub y_stride: usize,
    /// Elements from the real parts of a row of `y` to its imaginary parts.
    pub y_im: usize,
    /// Element type.
    pub elem: Elem,
}

impl SpectralShape {
    /// Bins of all groups.
    pub fn bins(&self) -> usize {
        self.groups * usize::from(self.lanes)
    }

    /// Elements of `x`: all inputs of all groups.
    pub fn x_len(&self) -> usize {
        2 * self.np * self.bins()
    }

    /// Elements of `y` from the first that the kernel touches to the last.
    pub fn y_len(&self) -> usize {
        (self.nq - 1) * self.y_stride + self.y_im + self.bins()
    }

    /// Refuses what no kernel can be made of: no sizes, rows that overlap, buffers beyond memory.
    pub(crate) fn check(&self) -> Result<(), TemplateError> {
        let SpectralShape {
            np,
            nq,
            groups,
            lanes,
            y_stride,
            y_im,
            elem: _,
        } = *self;
        at_least_one(FAMILY, &[("np", np), ("nq", nq), ("groups", groups)])?;
        if !is_lanes(lanes) {
            return Err(TemplateError::Lanes { found: lanes });
        }
        let vector = usize::from(lanes);
        bounded(FAMILY, "h", product(&[2, vector, groups, np, nq]))?;
        bounded(FAMILY, "x", product(&[2, vector, groups, np]))?;
        let bins = self.bins();
        let row = y_im.checked_add(bins);
        let all = row.and_then(|row| rows_of(nq, y_stride, row));
        bounded(FAMILY, "y", all)?;
        // The imaginary parts stand behind the real ones of all rows, or of their row.
        let real = rows_of(nq, y_stride, bins);
        let behind_all = Some(y_im) >= real && y_stride >= bins;
        let (row, stride) = if y_im < bins {
            (bins, y_im)
        } else if nq > 1 && !behind_all && Some(y_stride) < row {
            (y_im + bins, y_stride)
        } else {
            return Ok(());
        };
        Err(TemplateError::RowsOverlap {
            family: FAMILY,
            row,
            stride,
        })
    }
}

/// The packed order of `H` for one shape and schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpectralLayout {
    shape: SpectralShape,
    rows: usize,
}

impl SpectralLayout {
    /// The order that [`crate::spectral_mac`] reads for this shape and schedule, both of which it
    /// must accept: nothing is checked again here.
    pub fn new(shape: &SpectralShape, schedule: SpectralSchedule) -> Self {
        SpectralLayout {
            shape: *shape,
            rows: usize::from(schedule.rows),
        }
    }

    /// Elements in the packed buffer.
    pub fn len(&self) -> usize {
        2 * self.shape.np * self.shape.nq * self.shape.bins()
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Offset of the real parts of `H[q][p]` in the bins of group `g`: lane 0, the others follow.
    pub fn re(&self, g: usize, q: usize, p: usize) -> usize {
        self.part(g, q, p, 0)
    }

    /// Offset of the imaginary parts.
    pub fn im(&self, g: usize, q: usize, p: usize) -> usize {
        self.part(g, q, p, 1)
    }

    /// Offset of part `part` of one entry.
    fn part(&self, g: usize, q: usize, p: usize, part: usize) -> usize {
        let first = q - q % self.rows;
        let in_block = self.rows.min(self.shape.nq - first);
        let entry = first * self.shape.np + p * in_block + (q - first);
        let group = g * self.shape.np * self.shape.nq;
        (2 * (group + entry) + part) * usize::from(self.shape.lanes)
    }
}
