//! Where `H` lies in the packed buffer of a direct kernel.
//!
//! ```text
//! direct_taps   [row block][group][row in block][8 terms]
//! direct_rows   [row tile ][term ][row in tile ]
//! ```
//!
//! Either way the kernel reads the buffer from front to back. Padding (terms beyond the last, rows
//! beyond the last) is zero and must stay so: see the numeric class.

use crate::PARTIALS;
use crate::schedule::Schedule;
use crate::shape::DirectShape;

/// The packed order of `H` for one shape and schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    nq: usize,
    terms: usize,
    schedule: Schedule,
}

impl Layout {
    /// The order that [`crate::direct`] reads for this shape and schedule, both of which it must
    /// accept: sizes are not checked again here, and a block of no rows has no order.
    pub fn new(shape: &DirectShape, schedule: Schedule) -> Self {
        Layout {
            nq: shape.nq,
            terms: shape.terms(),
            schedule,
        }
    }

    /// Elements in the packed buffer, padding included.
    pub fn len(&self) -> usize {
        match self.schedule {
            Schedule::Taps { .. } => self.nq * self.padded_terms(),
            Schedule::Rows { lanes, .. } => {
                self.nq.div_ceil(usize::from(lanes)) * usize::from(lanes) * self.terms
            }
        }
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Offset of `h[row][term]` in elements, for `row` below `nq` and `term` below the terms.
    pub fn index(&self, row: usize, term: usize) -> usize {
        match self.schedule {
            Schedule::Taps { rows, .. } => {
                let rows = usize::from(rows);
                let first = row - row % rows;
                let in_block = rows.min(self.nq - first);
                first * self.padded_terms()
                    + (term - term % PARTIALS) * in_block
                    + (row - first) * PARTIALS
                    + term % PARTIALS
            }
            Schedule::Rows { lanes, .. } => {
                let lanes = usize::from(lanes);
                (row / lanes * self.terms + term) * lanes + row % lanes
            }
        }
    }

    /// Terms with the padding of the last group.
    pub(crate) fn padded_terms(&self) -> usize {
        self.terms.next_multiple_of(PARTIALS)
    }
}
