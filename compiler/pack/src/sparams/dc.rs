//! The value at 0 Hz, and the missing points just above it.
//!
//! A response is real, so S(0) is real. Few instruments measure it. The default rule continues magnitude
//! and unwrapped phase on a straight line through the two lowest points and keeps the real part; it is
//! right for lines and wrong for anything coupled by capacitors, which is why the matrix can be given.
//! Grid points between 0 Hz and the lowest measured one continue on the same line (magnitude not below 0).

use std::f64::consts::{PI, TAU};
use std::fmt;
use std::str::FromStr;

use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::BuildFault;

/// Where the value at 0 Hz comes from.
///
/// `Linear` and `Real` use a measured 0 Hz point when there is one. The others state the matrix and
/// replace a measured point; the report says so.
///
/// Text: `linear`, `real`, `identity`, `thru`, a number for all entries, or `matrix:0,1;1,0`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum DcRule {
    /// Straight lines of magnitude and phase through the two lowest points, real part.
    Linear,
    /// Real part of the lowest point.
    Real,
    /// The identity matrix: every port sees an open circuit.
    Identity,
    /// Ports 1-2, 3-4, ... are joined by a perfect through.
    Thru,
    /// The same value for every entry.
    Value(f64),
    /// All entries, row by row.
    Matrix(Vec<f64>),
}

impl FromStr for DcRule {
    type Err = BuildFault;
    fn from_str(text: &str) -> Result<DcRule, BuildFault> {
        let refuse = || BuildFault::Option {
            option: "--dc",
            found: text.into(),
            expected: "use linear, real, identity, thru, a number, or matrix:ROW;ROW with commas inside a row",
        };
        let number = |token: &str| {
            token
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|v| v.is_finite())
                .ok_or_else(refuse)
        };
        match text {
            "linear" => return Ok(DcRule::Linear),
            "real" => return Ok(DcRule::Real),
            "identity" => return Ok(DcRule::Identity),
            "thru" => return Ok(DcRule::Thru),
            _ => {}
        }
        let Some(rows) = text.strip_prefix("matrix:") else {
            return Ok(DcRule::Value(number(text)?));
        };
        let size = rows.split(';').count();
        let mut values = Vec::new();
        for row in rows.split(';') {
            if row.split(',').count() != size {
                return Err(refuse());
            }
            for token in row.split(',') {
                values.push(number(token)?);
            }
        }
        Ok(DcRule::Matrix(values))
    }
}

impl fmt::Display for DcRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DcRule::Linear => f.write_str("linear"),
            DcRule::Real => f.write_str("real"),
            DcRule::Identity => f.write_str("identity"),
            DcRule::Thru => f.write_str("thru"),
            DcRule::Value(value) => write!(f, "{value}"),
            DcRule::Matrix(values) => {
                f.write_str("matrix:")?;
                let size = values.len().isqrt().max(1);
                for (i, value) in values.iter().enumerate() {
                    match (i, i % size) {
                        (0, _) => {}
                        (_, 0) => f.write_str(";")?,
                        _ => f.write_str(",")?,
                    }
                    write!(f, "{value}")?;
                }
                Ok(())
            }
        }
    }
}

impl DcRule {
    /// True when the rule states the matrix instead of deriving it from the data.
    pub(super) fn is_given(&self) -> bool {
        !matches!(self, DcRule::Linear | DcRule::Real)
    }

    /// Refuses a rule that does not fit `ports`.
    pub(super) fn check(&self, ports: usize) -> Result<(), BuildFault> {
        match self {
            DcRule::Thru if ports % 2 == 1 => Err(BuildFault::DcThru { ports }),
            DcRule::Matrix(values) if Some(values.len()) != ports.checked_mul(ports) => {
                Err(BuildFault::DcMatrix {
                    found: values.len(),
                    ports,
                    expected: ports.saturating_mul(ports),
                })
            }
            _ => Ok(()),
        }
    }

    /// The value at 0 Hz of entry (`row`, `col`), whose lowest points are `line`.
    pub(super) fn value(&self, row: usize, col: usize, ports: usize, line: &LowLine) -> f64 {
        match self {
            DcRule::Linear => line.at(0.0).re,
            DcRule::Real => line.first.re,
            DcRule::Identity => f64::from(u8::from(row == col)),
            DcRule::Thru => f64::from(u8::from(row ^ 1 == col)),
            DcRule::Value(value) => *value,
            DcRule::Matrix(values) => values[row * ports + col],
        }
    }
}

/// The straight lines of magnitude and unwrapped phase through the two lowest points of one entry.
pub(super) struct LowLine {
    first: Complex<f64>,
    f0: f64,
    /// Span to the second point; `None` when there is only one.
    span: Option<Span>,
}

struct Span {
    width: f64,
    magnitude: (f64, f64),
    phase: (f64, f64),
}

impl LowLine {
    /// From the ascending frequencies and the values of one entry (at least one).
    pub(super) fn new(frequencies: &[f64], values: &[Complex<f64>]) -> LowLine {
        let span = (values.len() > 1).then(|| {
            let mut phase = [values[0].arg(), values[1].arg()];
            unwrap(&mut phase);
            Span {
                width: frequencies[1] - frequencies[0],
                magnitude: (values[0].norm(), values[1].norm()),
                phase: (phase[0], phase[1]),
            }
        });
        LowLine {
            first: values[0],
            f0: frequencies[0],
            span,
        }
    }

    /// The line's value at `f` Hz; magnitude may be negative far from the data.
    fn at(&self, f: f64) -> Complex<f64> {
        self.evaluate(f, f64::NEG_INFINITY)
    }

    /// The line's value at `f` Hz, magnitude not below 0.
    pub(super) fn fill(&self, f: f64) -> Complex<f64> {
        self.evaluate(f, 0.0)
    }

    fn evaluate(&self, f: f64, least: f64) -> Complex<f64> {
        let Some(span) = &self.span else {
            return self.first;
        };
        let t = (f - self.f0) / span.width;
        let magnitude = (span.magnitude.0 + t * (span.magnitude.1 - span.magnitude.0)).max(least);
        let phase = span.phase.0 + t * (span.phase.1 - span.phase.0);
        Complex::new(magnitude * phase.cos(), magnitude * phase.sin())
    }
}

/// Adds multiples of 2 pi so that neighbours differ by at most pi (a step of exactly pi keeps its sign).
pub(super) fn unwrap(phase: &mut [f64]) {
    let mut turn = 0.0;
    let mut previous = match phase.first() {
        Some(first) => *first,
        None => return,
    };
    for value in &mut phase[1..] {
        let step = *value - previous;
        previous = *value;
        if step.abs() >= PI {
            let mut folded = (step + PI).rem_euclid(TAU) - PI;
            if folded == -PI && step > 0.0 {
                folded = PI;
            }
            turn += folded - step;
        }
        *value += turn;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rules_round_trip_as_text() {
        for text in [
            "linear",
            "real",
            "identity",
            "thru",
            "0",
            "-0.5",
            "matrix:0,1;1,0",
            "matrix:0.25",
        ] {
            let rule: DcRule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
        }
        for text in [
            "",
            "lin",
            "nan",
            "inf",
            "matrix:",
            "matrix:1,2",
            "matrix:1;2",
            "matrix:1,2;3",
        ] {
            assert_eq!(
                text.parse::<DcRule>().unwrap_err().name(),
                "bad_option",
                "{text}"
            );
        }
    }

    #[test]
    fn phase_is_unwrapped_over_several_turns() {
        let mut phase: Vec<f64> = (0..50)
            .map(|i| Complex::from_polar(1.0, -2.9 * f64::from(i)).arg())
            .collect();
        unwrap(&mut phase);
        for (i, value) in phase.iter().enumerate() {
            assert!((value + 2.9 * i as f64).abs() < 1e-12, "{i}: {value}");
        }
    }

    #[test]
    fn the_line_through_a_long_delay_does_not_alias() {
        // f0 = 10 steps and a delay of 0.4 periods of one step: eight half turns between 0 Hz and f0.
        let step = 1e8;
        let delay = 0.4 / step;
        let f = [10.0 * step, 11.0 * step];
        let s = |f: f64| Complex::from_polar(0.9, -TAU * f * delay);
        let line = LowLine::new(&f, &[s(f[0]), s(f[1])]);
        assert!((DcRule::Linear.value(0, 0, 1, &line) - 0.9).abs() < 1e-12);
        for n in 1..10 {
            let at = f64::from(n) * step;
            assert!((line.fill(at) - s(at)).norm() < 1e-12, "{n}");
        }
    }
}
