//! Admittance tables as text, as used for frequency-dependent network equivalents.
//!
//! One number after another, separated by blanks or line ends:
//!
//! ```text
//! Nc   Ns   then for each of Ns points:  omega   Re Y11 Im Y11  Re Y12 Im Y12 ...  (Nc * Nc pairs, row by row)
//! ```
//!
//! `omega` is in rad/s, Y in siemens. The file may be compressed with gzip. An admittance grows with
//! frequency, so it is turned into S-parameters ([`AdmittanceTable::to_s`]) before taps are built.
//!
//! Invariants: every number is finite, frequencies ascend, and exactly the announced numbers are there.
//!
//! Cost: one pass over the text; at most 64 MiB of it.

use std::borrow::Cow;
use std::io::Read;

use num_complex::Complex;

use crate::PackError;
use crate::sparams::{BuildFault, SParameters, parameter};

/// Most bytes of text that are read, also after decompression: 64 MiB.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// Most conductors of a table.
const MAX_CONDUCTORS: f64 = 1024.0;

/// Admittances over frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittanceTable {
    /// Number of conductors (ports), Nc.
    pub conductors: usize,
    /// Frequencies in Hz, ascending.
    pub frequencies: Vec<f64>,
    /// Y in siemens, `[point][row][col]`.
    pub data: Vec<Complex<f64>>,
}

/// Reads a table, plain or gzip.
///
/// # Errors
/// [`PackError::Build`] with `gzip` or `admittance_form`, naming the number in the text that is wrong.
pub fn parse(bytes: &[u8]) -> Result<AdmittanceTable, PackError> {
    let text = if bytes.starts_with(&[0x1f, 0x8b]) {
        Cow::Owned(decompress(bytes)?)
    } else {
        Cow::Borrowed(bytes)
    };
    if text.len() > MAX_TEXT_BYTES {
        return Err(form(0, format!("the text has more than {MAX_TEXT_BYTES} bytes")).into());
    }
    Ok(parse_text(&text)?)
}

/// Reads a table and turns it into S-parameters at `reference_ohm`, the input of `sparams::build`.
///
/// # Errors
/// As [`parse`] and [`AdmittanceTable::to_s`].
pub fn pack_input_from_text(bytes: &[u8], reference_ohm: f64) -> Result<SParameters, PackError> {
    parse(bytes)?.to_s(reference_ohm)
}

impl AdmittanceTable {
    /// S-parameters with the same reference (in ohm, usually 50) at every port.
    ///
    /// # Errors
    /// [`PackError::Build`]: the reference is not above 0, or `I + z Y` is singular at a point.
    pub fn to_s(&self, reference_ohm: f64) -> Result<SParameters, PackError> {
        let reference = vec![Complex::new(reference_ohm, 0.0); self.conductors];
        Ok(parameter::s_from_y(
            &self.frequencies,
            &self.data,
            reference,
        )?)
    }
}

fn form(index: usize, problem: impl Into<String>) -> BuildFault {
    BuildFault::Admittance {
        index,
        problem: problem.into(),
    }
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, BuildFault> {
    let mut text = Vec::new();
    let limit = MAX_TEXT_BYTES as u64 + 1;
    flate2::read::MultiGzDecoder::new(bytes)
        .take(limit)
        .read_to_end(&mut text)
        .map_err(|error| BuildFault::Gzip {
            problem: format!("{error}; fetch the file again"),
        })?;
    if text.len() > MAX_TEXT_BYTES {
        return Err(BuildFault::Gzip {
            problem: format!("they hold more than {MAX_TEXT_BYTES} bytes of text"),
        });
    }
    Ok(text)
}

/// The numbers of a text with their position.
struct Numbers<'a> {
    tokens: std::str::SplitAsciiWhitespace<'a>,
    index: usize,
}

impl Numbers<'_> {
    fn next(&mut self, what: &str) -> Result<f64, BuildFault> {
        self.index += 1;
        let token = self
            .tokens
            .next()
            .ok_or_else(|| form(self.index, format!("the text ends where {what} belongs")))?;
        let shown: String = token.chars().take(40).collect();
        let value: f64 = token.parse().map_err(|_| {
            form(
                self.index,
                format!("\"{shown}\" is no number; {what} belongs here"),
            )
        })?;
        if !value.is_finite() {
            return Err(form(
                self.index,
                format!("{what} is {value}; it must be finite"),
            ));
        }
        Ok(value)
    }

    fn count(&mut self, what: &str, limit: f64) -> Result<usize, BuildFault> {
        let value = self.next(what)?;
        if value.fract() != 0.0 || !(1.0..=limit).contains(&value) {
            return Err(form(
                self.index,
                format!("{what} is {value}; it must be a whole number from 1 to {limit}"),
            ));
        }
        Ok(value as usize)
    }
}

fn parse_text(text: &[u8]) -> Result<AdmittanceTable, BuildFault> {
    let text = std::str::from_utf8(text)
        .map_err(|_| form(0, "the text is not UTF-8; only numbers belong here"))?;
    let mut numbers = Numbers {
        tokens: text.split_ascii_whitespace(),
        index: 0,
    };
    let conductors = numbers.count("the number of conductors Nc", MAX_CONDUCTORS)?;
    let points = numbers.count("the number of points Ns", MAX_TEXT_BYTES as f64)?;
    let mut table = AdmittanceTable {
        conductors,
        frequencies: Vec::new(),
        data: Vec::new(),
    };
    for _ in 0..points {
        let hz = numbers.next("an angular frequency")? / std::f64::consts::TAU;
        if hz < 0.0 || table.frequencies.last().is_some_and(|last| hz <= *last) {
            return Err(form(
                numbers.index,
                "the angular frequency must be above that of the point before, from 0 on",
            ));
        }
        table.frequencies.push(hz);
        for _ in 0..conductors * conductors {
            let re = numbers.next("the real part of an admittance")?;
            let im = numbers.next("the imaginary part of an admittance")?;
            table.data.push(Complex::new(re, im));
        }
    }
    if numbers.tokens.next().is_some() {
        return Err(form(
            numbers.index + 1,
            format!("the text goes on behind the {points} announced points"),
        ));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_small_table_is_read() {
        let table = parse(b" 1\n2\n 0 0.01 0\n6.283185307179586e0\t0.02 -0.005\n").unwrap();
        assert_eq!((table.conductors, table.frequencies.len()), (1, 2));
        assert_eq!(table.frequencies[1], 1.0);
        assert_eq!(table.data[1], Complex::new(0.02, -0.005));
        let s = table.to_s(50.0).unwrap();
        assert!((s.data[0] - 1.0 / 3.0).norm() < 1e-15);
        assert_eq!(table.to_s(0.0).unwrap_err().name(), "bad_reference");
    }

    #[test]
    fn broken_tables_name_the_number() {
        for (text, index) in [
            ("", 1),
            ("0 1", 1),
            ("1.5 1", 1),
            ("2000 1", 1),
            ("1 x", 2),
            ("1 1 0 0.1", 5),
            ("1 1 0 0.1 nan", 5),
            ("1 1 -1 0.1 0", 3),
            ("1 2 5 1 0 5 1 0", 6),
            ("1 1 0 0.1 0 7", 6),
            ("1 67108864 0 1", 5),
        ] {
            match parse(text.as_bytes()).unwrap_err() {
                PackError::Build(BuildFault::Admittance { index: found, .. }) => {
                    assert_eq!(found, index, "{text}")
                }
                other => panic!("{text}: {other}"),
            }
        }
        assert_eq!(parse(&[0xff, 0x00]).unwrap_err().name(), "admittance_form");
        assert_eq!(parse(&[0x1f, 0x8b, 8, 0]).unwrap_err().name(), "gzip");
    }
}
