//! Rows of numbers to frequency records.
//!
//! Problem: a record is a frequency and the pairs of a matrix, wrapped over rows in any way, and
//! a missing number must be told with its line instead of shifting everything behind it.
//! Idea: numbers come in pairs, so the row that opens a record has an odd count and every other
//! row an even one:
//!
//! ```text
//! f  p p p p p p p p      odd: opens a record
//!    p p p p p p p p      even: goes on
//!    p p                  even: ragged end
//! f  p p ...              odd: must meet a full record
//! ```
//!
//! Invariants: `values` holds `needed` numbers per full record; at most [`MAX_POINTS`] records.
//! Cost: one pass, memory in proportion to the numbers really present.

use super::text::{Line, Place};
use super::{MAX_POINTS, TouchstoneFault, number};
use crate::PackError;

/// The records read so far.
pub(super) struct Records {
    unit: f64,
    needed: usize,
    missing: usize,
    opened: Place,
    opening_row: usize,
    full_opening_row: usize,
    /// Kept while reading: asked for at every row, so looking it up would cost a pass each.
    highest: Option<f64>,
    /// Hertz.
    pub(super) frequencies: Vec<f64>,
    /// Line of each frequency.
    pub(super) lines: Vec<usize>,
    /// Numbers as written.
    pub(super) values: Vec<f64>,
}

impl Records {
    /// For records of `needed` numbers behind a frequency in units of `unit` hertz.
    pub(super) fn new(needed: usize, unit: f64) -> Self {
        Records {
            unit,
            needed,
            missing: 0,
            opened: Place::line(1),
            opening_row: 0,
            full_opening_row: 0,
            highest: None,
            frequencies: Vec::new(),
            lines: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Whether the next row must open a record.
    pub(super) fn at_boundary(&self) -> bool {
        self.missing == 0
    }

    /// Hertz per unit of frequency.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The highest frequency so far, in hertz.
    pub(super) fn highest(&self) -> Option<f64> {
        self.highest
    }

    /// Takes one row.
    pub(super) fn push(&mut self, row: &Line<'_>) -> Result<(), PackError> {
        if self.at_boundary() {
            self.open(row)
        } else {
            self.go_on(row)
        }
    }

    /// Says so if the last record is not full.
    pub(super) fn finish(&self) -> Result<(), PackError> {
        if self.at_boundary() {
            Ok(())
        } else {
            Err(self.short(self.opened))
        }
    }

    fn open(&mut self, row: &Line<'_>) -> Result<(), PackError> {
        let mut words = row.words();
        let Some(first) = words.next() else {
            return Ok(());
        };
        if self.frequencies.len() >= MAX_POINTS {
            return Err(first.place().fault(TouchstoneFault::TooManyPoints));
        }
        let hertz = number::frequency(&first, self.unit)?;
        let found = self.take(words, self.needed)?;
        if found % 2 == 1 {
            return Err(first.place().fault(TouchstoneFault::UnpairedValue {
                found,
                expected: self.needed,
            }));
        }
        self.frequencies.push(hertz);
        self.highest = Some(self.highest.map_or(hertz, |known| known.max(hertz)));
        self.lines.push(row.number);
        self.opened = first.place();
        self.opening_row = found + 1;
        self.missing = self.needed - found;
        self.close_if_full();
        Ok(())
    }

    fn go_on(&mut self, row: &Line<'_>) -> Result<(), PackError> {
        let count = row.words().count();
        if count % 2 == 1 {
            row.words()
                .try_for_each(|word| number::real(&word).map(|_| ()))?;
            let looks_new = count == self.opening_row
                || count == self.full_opening_row
                || count == self.needed + 1;
            return Err(self.short(if looks_new { self.opened } else { row.start() }));
        }
        let found = self.take(row.words(), self.missing)?;
        self.missing -= found;
        self.close_if_full();
        Ok(())
    }

    /// Reads numbers, at most `room` of them.
    fn take(&mut self, words: super::text::Words<'_>, room: usize) -> Result<usize, PackError> {
        let mut found = 0;
        for word in words {
            if found == room {
                return Err(word.place().fault(TouchstoneFault::ExtraValues {
                    expected: self.needed,
                }));
            }
            self.values.push(number::real(&word)?);
            found += 1;
        }
        Ok(found)
    }

    fn close_if_full(&mut self) {
        if self.missing == 0 {
            self.full_opening_row = self.opening_row;
        }
    }

    fn short(&self, place: Place) -> PackError {
        place.fault(TouchstoneFault::MissingValues {
            began: self.opened.line,
            found: self.needed - self.missing,
            expected: self.needed,
        })
    }
}
