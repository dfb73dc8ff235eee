//! Where `H` lies in the packed buffer of a direct kernel.
//!
//! ```text
//! direct_taps   [row block][stream][group][row in stream][8 terms]      streams are read side by side
//! direct_rows   [row tile ][term  ][row in tile ]
//! ```
//!
//! A stream is read from front to back. Several at once, because one alone waits for memory: 32 x 32 x 2048 in f64,
//! 16 MiB, came at 16 GB/s in one stream and at 32 in four (Zen 3). Padding (terms beyond the last, rows
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
                let own = rows_of_a_stream(in_block);
                let at = row - first;
                (first + at / own * own) * self.padded_terms()
                    + (term - term % PARTIALS) * own
                    + at % own * PARTIALS
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

/// Rows that lie interleaved in one stream of a block of `rows` rows: one, and two in blocks of six and eight, which
/// then have three and four streams.
pub(crate) fn rows_of_a_stream(rows: usize) -> usize {
    if matches!(rows, 6 | 8) { 2 } else { 1 }
}
