//! Noise rows: five numbers that describe a 2-port amplifier's noise at one frequency.

use super::text::Line;
use super::{Format, TouchstoneFault, number};
use crate::PackError;
use num_complex::Complex;

/// Noise parameters at one frequency, kept as written (no response is built from them).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoisePoint {
    /// Hertz.
    pub frequency: f64,
    /// Minimum noise figure in dB.
    pub minimum_figure_db: f64,
    /// Source reflection coefficient that gives the minimum.
    pub best_source: Complex<f64>,
    /// Equivalent noise resistance: over the reference in version 1, in ohm in version 2.
    pub resistance: f64,
}

/// Reads one row.
pub(super) fn row(line: &Line<'_>, unit: f64) -> Result<NoisePoint, PackError> {
    let mut words = line.words();
    let found = line.words().count();
    let [Some(f), Some(nf), Some(m), Some(a), Some(r)] = [(); 5].map(|()| words.next()) else {
        return Err(line.start().fault(TouchstoneFault::BadNoiseRow { found }));
    };
    if words.next().is_some() {
        return Err(line.start().fault(TouchstoneFault::BadNoiseRow { found }));
    }
    Ok(NoisePoint {
        frequency: number::frequency(&f, unit)?,
        minimum_figure_db: number::real(&nf)?,
        best_source: Format::Ma.complex(number::real(&m)?, number::real(&a)?),
        resistance: number::real(&r)?,
    })
}
