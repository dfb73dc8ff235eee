//! From the frequencies of a file to the uniform grid of a transform.
//!
//! ```text
//! records -> clean (finite, ascending, no duplicates)
//!         -> 0 Hz by rule, missing low points on the line through the two lowest
//!         -> grid n * df, n = 0 .. m-1     (kept as it is when the file already lies on it)
//!            otherwise interpolated after the bulk delay is taken out
//! ```
//!
//! A file lies on a grid when every frequency is a whole multiple of the mean step within 1e-3 of it: files
//! print rounded frequencies. Interpolating a response that turns by more than half a turn between points
//! would be wrong, so each entry's least-squares delay (not below 0) is removed before and put back after.
//!
//! Cost: one spline pass and one phase fit per matrix entry.

use std::borrow::Cow;
use std::f64::consts::TAU;

use num_complex::Complex;

use super::dc::{LowLine, unwrap};
use super::interpolation::Knots;
use super::options::BuildOptions;
use super::{BuildFault, SParameters};
use crate::frequency_text::hertz;

type C64 = Complex<f64>;

/// Most values (grid points times matrix entries) that are built: 1 GiB of spectrum.
const MAX_VALUES: usize = 1 << 26;

/// The records in order: frequencies ascending without duplicates, data `[point][row][col]`.
pub(super) struct Clean<'a> {
    pub(super) ports: usize,
    pub(super) frequencies: Cow<'a, [f64]>,
    pub(super) data: Cow<'a, [C64]>,
    pub(super) notes: Vec<String>,
}

/// Checks the arrays against each other, sorts, and drops repeated frequencies (the first one stays).
pub(super) fn clean(s: &SParameters) -> Result<Clean<'_>, BuildFault> {
    let entries = s
        .ports
        .checked_mul(s.ports)
        .filter(|e| *e <= MAX_VALUES)
        .unwrap_or(usize::MAX);
    let points = s.frequencies.len();
    if points == 0 || s.ports == 0 {
        return Err(BuildFault::NoData);
    }
    let expected = entries.saturating_mul(points);
    if s.data.len() != expected {
        return Err(BuildFault::DataShape {
            what: "data",
            found: s.data.len(),
            expected,
        });
    }
    if s.reference.len() != s.ports {
        return Err(BuildFault::DataShape {
            what: "reference",
            found: s.reference.len(),
            expected: s.ports,
        });
    }
    for (i, f) in s.frequencies.iter().enumerate() {
        let row = &s.data[i * entries..(i + 1) * entries];
        if !f.is_finite() || row.iter().any(|v| !(v.re.is_finite() && v.im.is_finite())) {
            return Err(BuildFault::NotFinite { point: i + 1 });
        }
        if *f < 0.0 {
            return Err(BuildFault::NegativeFrequency {
                point: i + 1,
                hz: *f,
            });
        }
    }
    let mut notes = Vec::new();
    if s.frequencies.windows(2).all(|w| w[0] < w[1]) {
        let (frequencies, data) = (
            Cow::Borrowed(&s.frequencies[..]),
            Cow::Borrowed(&s.data[..]),
        );
        return Ok(Clean {
            ports: s.ports,
            frequencies,
            data,
            notes,
        });
    }
    let mut order: Vec<usize> = (0..points).collect();
    order.sort_by(|a, b| s.frequencies[*a].total_cmp(&s.frequencies[*b]));
    if order.windows(2).any(|w| w[0] > w[1]) {
        notes.push("frequencies were not sorted".into());
    }
    order.dedup_by(|later, earlier| s.frequencies[*later] == s.frequencies[*earlier]);
    if order.len() < points {
        notes.push(format!(
            "{} duplicate frequencies dropped, the first record of each kept",
            points - order.len()
        ));
    }
    let frequencies: Vec<f64> = order.iter().map(|i| s.frequencies[*i]).collect();
    let data: Vec<C64> = order
        .iter()
        .flat_map(|i| s.data[i * entries..(i + 1) * entries].iter().copied())
        .collect();
    Ok(Clean {
        ports: s.ports,
        frequencies: frequencies.into(),
        data: data.into(),
        notes,
    })
}

/// The step when every frequency is a whole multiple of it, within 1e-3 of a step.
fn uniform_step(f: &[f64]) -> Option<f64> {
    let (first, last) = (f.first()?, f.last()?);
    if f.len() < 2 {
        return None;
    }
    let df = (last - first) / (f.len() - 1) as f64;
    let off = |f: &f64| (f / df - (f / df).round_ties_even()).abs();
    f.iter().all(|f| off(f) < 1e-3).then_some(df)
}

/// The grid that will be used, before any value is computed.
pub(super) struct Plan {
    pub(super) df: f64,
    pub(super) m: usize,
    /// No value between the given (and filled) points is needed.
    pub(super) exact: bool,
    /// Missing grid points above 0 Hz and below the lowest known frequency.
    pub(super) gap: Vec<f64>,
    /// The lowest known frequency is above 0 Hz.
    pub(super) lacks_dc: bool,
    pub(super) notes: Vec<String>,
}

/// Chooses step and length; refuses grids that are empty, too large, or mostly guessed.
pub(super) fn plan(f: &[f64], ports: usize, o: &BuildOptions) -> Result<Plan, BuildFault> {
    let (Some(&f_lo), Some(&f_hi)) = (f.first(), f.last()) else {
        return Err(BuildFault::NoData);
    };
    if f_hi == 0.0 {
        return Err(BuildFault::NoStep);
    }
    let own = uniform_step(f);
    let f_max = o.fmax.unwrap_or(f_hi);
    let smallest = f
        .windows(2)
        .map(|w| w[1] - w[0])
        .fold(f64::INFINITY, f64::min);
    let mut step =
        o.df.or(own)
            .unwrap_or(if f.len() > 1 { smallest } else { f_lo });
    let mut notes = Vec::new();
    if o.df.is_none() && own.is_none() {
        if f_hi / step > o.cap_points as f64 {
            step = f_hi / o.cap_points as f64;
            notes.push(format!(
                "the smallest step of the sweep would need more than {} grid points; the step was raised to {}",
                o.cap_points,
                hertz(step)
            ));
        }
        if f.len() > 2 {
            notes.push(format!(
                "the sweep is not uniform; it was resampled in steps of {}",
                hertz(step)
            ));
        }
    }
    let lacks_dc = f_lo > 0.0;
    let below = if lacks_dc {
        (f_lo / step - 1e-6).ceil().max(1.0)
    } else {
        1.0
    };
    let points = (f_max / step).floor() + 1.0;
    let entries = ports * ports;
    if points.max(below) * entries as f64 > MAX_VALUES as f64 {
        let points = points.max(below);
        return Err(BuildFault::TooManyPoints {
            f_max,
            df: step,
            points,
            entries,
            limit: MAX_VALUES,
        });
    }
    let gap: Vec<f64> = (1..below as usize)
        .map(|n| n as f64 * step)
        .filter(|g| *g < f_lo - 0.5 * step)
        .collect();
    if f_lo / f_hi > 0.5 && !o.allow_extrapolated {
        return Err(BuildFault::Extrapolated {
            f_lo,
            f_hi,
            ratio: f_lo / f_hi,
            missing: gap.len() + 1,
            last_missing: gap.last().copied().unwrap_or(0.0),
            df: step,
        });
    }
    let gap = if f.len() > 1 { gap } else { Vec::new() };
    if f_max > f_hi * (1.0 + 1e-9) {
        notes.push(format!(
            "the grid goes on to {} above the highest known frequency {}: extrapolated",
            hertz(f_max),
            hertz(f_hi)
        ));
    }
    let known = f.len() + gap.len() + usize::from(lacks_dc);
    if let (Some(df), None) = (own, o.df)
        && (f_max - f_hi).abs() < 1e-9 * f_max
        && (f_hi / df).round() as usize + 1 == known
    {
        return Ok(Plan {
            df,
            m: known,
            exact: true,
            gap,
            lacks_dc,
            notes,
        });
    }
    let m = (f_max / step + 1e-9).floor() as usize + 1;
    if m < 2 {
        return Err(BuildFault::GridTooShort { df: step, f_max });
    }
    Ok(Plan {
        df: step,
        m,
        exact: false,
        gap,
        lacks_dc,
        notes,
    })
}

/// Computes single matrix entries on the planned grid.
pub(super) struct Resampler<'a> {
    clean: &'a Clean<'a>,
    plan: &'a Plan,
    options: &'a BuildOptions,
    known: &'a [f64],
    grid: Vec<f64>,
    knots: Option<Knots<'a>>,
}

/// The known frequencies with 0 Hz and the missing low points in front.
pub(super) fn known_frequencies(clean: &Clean<'_>, plan: &Plan) -> Vec<f64> {
    let zero = plan.lacks_dc.then_some(0.0);
    zero.into_iter()
        .chain(plan.gap.iter().copied())
        .chain(clean.frequencies.iter().copied())
        .collect()
}

impl<'a> Resampler<'a> {
    /// `known` from [`known_frequencies`].
    pub(super) fn new(
        clean: &'a Clean<'a>,
        plan: &'a Plan,
        options: &'a BuildOptions,
        known: &'a [f64],
    ) -> Resampler<'a> {
        let knots = (!plan.exact).then(|| Knots::new(known, options.interpolation));
        let grid = (0..plan.m).map(|n| n as f64 * plan.df).collect();
        Resampler {
            clean,
            plan,
            options,
            known,
            grid,
            knots,
        }
    }

    /// How values between points are found, as the report says it.
    pub(super) fn method(&self) -> String {
        match &self.knots {
            None => "none".into(),
            Some(knots) if knots.is_cubic() => "cubic on delay-compensated Re/Im".into(),
            Some(_) => "linear on delay-compensated Re/Im".into(),
        }
    }

    /// Entry (`row`, `col`) on the grid; the first value is real.
    pub(super) fn entry(&self, row: usize, col: usize) -> Vec<C64> {
        let values = self.known_values(row, col);
        let Some(knots) = &self.knots else {
            return values;
        };
        let delay = bulk_delay(self.known, &values);
        let turned: Vec<C64> = if delay == 0.0 {
            values
        } else {
            self.known
                .iter()
                .zip(&values)
                .map(|(f, v)| v * C64::cis(TAU * f * delay))
                .collect()
        };
        let mut out = vec![C64::default(); self.grid.len()];
        knots.evaluate(&turned, &self.grid, &mut out);
        if delay != 0.0 {
            for (f, v) in self.grid.iter().zip(&mut out) {
                *v *= C64::cis(-TAU * f * delay);
            }
        }
        out[0].im = 0.0;
        out
    }

    /// The entry at the known frequencies, the value at 0 Hz by rule.
    fn known_values(&self, row: usize, col: usize) -> Vec<C64> {
        let ports = self.clean.ports;
        let place = row * ports + col;
        let own: Vec<C64> = self
            .clean
            .data
            .iter()
            .skip(place)
            .step_by(ports * ports)
            .copied()
            .collect();
        let line = LowLine::new(&self.clean.frequencies, &own);
        let mut values = Vec::with_capacity(self.known.len());
        if self.plan.lacks_dc {
            let zero = self.options.dc.value(row, col, ports, &line);
            values.push(C64::new(zero, 0.0));
            values.extend(self.plan.gap.iter().map(|f| line.fill(*f)));
        }
        values.extend(own);
        if !self.plan.lacks_dc {
            let zero = if self.options.dc.is_given() {
                self.options.dc.value(row, col, ports, &line)
            } else {
                values[0].re
            };
            values[0] = C64::new(zero, 0.0);
        }
        values
    }
}

/// The least-squares delay in seconds of the unwrapped phase, not below 0; 0 with fewer than three points.
fn bulk_delay(f: &[f64], values: &[C64]) -> f64 {
    if f.len() < 3 {
        return 0.0;
    }
    let mut phase: Vec<f64> = values.iter().map(|v| v.arg()).collect();
    unwrap(&mut phase);
    let count = f.len() as f64;
    let f_mean = f.iter().sum::<f64>() / count;
    let phase_mean = phase.iter().sum::<f64>() / count;
    let (mut cross, mut square) = (0.0, 0.0);
    for (f, phase) in f.iter().zip(&phase) {
        cross += (f - f_mean) * (phase - phase_mean);
        square += (f - f_mean) * (f - f_mean);
    }
    (-cross / square / TAU).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_means_whole_multiples() {
        assert_eq!(uniform_step(&[1e8, 1.04e8]), Some(4e6));
        assert_eq!(
            uniform_step(&[0.0, 53571.0, 107142.0, 160714.0]).map(f64::round),
            Some(53571.0)
        );
        assert_eq!(uniform_step(&[10.0, 344.4, 678.8]), None);
        assert_eq!(uniform_step(&[1.0, 4.0, 10.0, 20.0]), None);
        assert_eq!(uniform_step(&[5.0]), None);
    }

    #[test]
    fn the_bulk_delay_of_a_line_is_found() {
        let f: Vec<f64> = (0..40).map(|n| f64::from(n) * 1e9).collect();
        let line: Vec<C64> = f.iter().map(|f| C64::cis(-TAU * f * 3.3e-10)).collect();
        assert!((bulk_delay(&f, &line) - 3.3e-10).abs() < 1e-24);
        let lead: Vec<C64> = line.iter().map(|v| v.conj()).collect();
        assert_eq!(bulk_delay(&f, &lead), 0.0);
    }
}
