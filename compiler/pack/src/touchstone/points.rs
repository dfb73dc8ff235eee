//! Records in rising order of frequency, each frequency once.

use super::{Format, TouchstoneFault, heading::Raw, text::Place};
use crate::PackError;
use num_complex::Complex;

/// Frequencies, their lines and matrices, cleaned.
pub(super) struct Points {
    pub(super) frequencies: Vec<f64>,
    pub(super) lines: Vec<usize>,
    pub(super) data: Vec<Complex<f64>>,
}

/// Sorts records, drops later ones of the same frequency, and makes matrices of them.
/// What it does is said in `notes`.
pub(super) fn clean(raw: &Raw, notes: &mut Vec<String>) -> Result<Points, PackError> {
    let records = &raw.records;
    let numbers = raw.layout.numbers(raw.ports);
    let values = |point: usize| &records.values[point * numbers..(point + 1) * numbers];
    let mut order: Vec<usize> = (0..records.frequencies.len()).collect();
    if !records.frequencies.is_sorted() {
        order.sort_by(|&a, &b| records.frequencies[a].total_cmp(&records.frequencies[b]));
        notes.push("the frequencies were not in rising order and have been sorted".to_string());
    }
    let (before, mut different) = (order.len(), 0);
    order.dedup_by(|later, kept| {
        let same = records.frequencies[*later] == records.frequencies[*kept];
        different += usize::from(same && values(*later) != values(*kept));
        same
    });
    if order.len() < before {
        let dropped = before - order.len();
        notes.push(format!(
            "{dropped} record(s) of a frequency given before dropped, {different} of them with other values"
        ));
    }
    let mut data = Vec::new();
    for &point in &order {
        let start = data.len();
        raw.layout
            .expand(values(point), raw.ports, raw.options.format, &mut data);
        if raw.options.format == Format::Db
            && data[start..]
                .iter()
                .any(|x| !x.re.is_finite() || !x.im.is_finite())
        {
            let largest = values(point)
                .iter()
                .step_by(2)
                .copied()
                .fold(f64::MIN, f64::max);
            let fault = TouchstoneFault::NotFinite {
                token: format!("{largest} dB"),
            };
            return Err(Place::line(records.lines[point]).fault(fault));
        }
    }
    Ok(Points {
        frequencies: order
            .iter()
            .map(|&point| records.frequencies[point])
            .collect(),
        lines: order.iter().map(|&point| records.lines[point]).collect(),
        data,
    })
}
