//! Rows that are exactly silent, although transforms would leave rounding noise there.
//!
//! A row whose taps span the lags `first..=last` is exactly zero at a step when no input that is not zero
//! was accepted from `last` to `first` steps before it: a pure delay is silent until its input arrives and
//! after it has passed. Rows that span all lags of the levels are watched together, by the last input that was not
//! zero; the others one by one.
//!
//! Cost: one look at the input a step; where there are rows of the other kind one word a step, and one read
//! for each of them.

use std::ops::Range;

use crate::taps::Taps;

/// What is watched; shared.
pub(crate) struct Silence {
    /// One past the last lag of all rows.
    end: u64,
    /// Rows that do not span all lags.
    rows: Vec<Span>,
    capacity: usize,
}

/// The lags between the first and the last tap of a row.
struct Span {
    row: usize,
    first: u64,
    last: u64,
}

/// When inputs were not zero; a model's own.
#[derive(Clone)]
pub(crate) struct Activity {
    /// One more than the last time with an input that is not zero; 0 for none.
    last: u64,
    /// The same as it was at each recent time.
    latest: Vec<u64>,
}

impl Silence {
    /// Watches the rows of `taps` within `lags`.
    pub(crate) fn new(taps: &Taps<'_>, lags: Range<usize>) -> Self {
        let all = (lags.start, lags.end.saturating_sub(1));
        let rows: Vec<Span> = (0..taps.nq())
            .filter_map(|row| {
                let (first, last) = taps.span(row, lags.clone())?;
                ((first, last) != all).then_some(Span {
                    row,
                    first: first as u64,
                    last: last as u64,
                })
            })
            .collect();
        let capacity = if rows.is_empty() {
            0
        } else {
            (lags.end + 1).next_power_of_two()
        };
        Silence {
            end: lags.end as u64,
            rows,
            capacity,
        }
    }

    /// Nothing heard yet.
    pub(crate) fn activity(&self) -> Activity {
        Activity {
            last: 0,
            latest: vec![0; self.capacity],
        }
    }

    /// Notes the input of time `time`.
    pub(crate) fn note<T: PartialEq + Default>(&self, heard: &mut Activity, time: u64, x: &[T]) {
        if x.iter().any(|value| *value != T::default()) {
            heard.last = time + 1;
        }
        if self.capacity > 0 {
            heard.latest[time as usize & (self.capacity - 1)] = heard.last;
        }
    }

    /// Sets the rows that are silent at time `time` to zero.
    pub(crate) fn apply<T: Default>(&self, heard: &Activity, time: u64, out: &mut [T]) {
        // An input of time s reaches the outputs of times up to s + end - 1.
        if heard.last + self.end <= time + 1 {
            out.fill_with(T::default);
            return;
        }
        let mask = self.capacity.wrapping_sub(1);
        for span in &self.rows {
            let newest = time.checked_sub(span.first);
            let latest = newest.map_or(0, |newest| heard.latest[newest as usize & mask]);
            // Sounding: latest - 1 >= time - last.
            if latest == 0 || latest + span.last <= time {
                out[span.row] = T::default();
            }
        }
    }
}

impl Activity {
    /// Back to nothing.
    pub(crate) fn clear(&mut self) {
        self.last = 0;
        self.latest.fill(0);
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.latest.as_slice())
    }
}
