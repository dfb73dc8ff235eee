//! The option line: `# <unit> <parameter> <format> R <reference ...>`.
//!
//! Every part may be missing (GHz, S, MA, R 50 then hold), stand anywhere and be written in any
//! case. Behind `R` come one reference or, since version 1.1, one per port; complex ones are
//! read too, with or without brackets, though the format knows only resistances.

use super::text::{Line, Place, Word};
use super::{Format, Parameter, TouchstoneFault, number};
use crate::PackError;
use num_complex::Complex;

/// What an option line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Options {
    /// Hertz per unit.
    pub(super) unit: f64,
    pub(super) parameter: Parameter,
    pub(super) format: Format,
    /// One for all ports, or one per port; never empty.
    pub(super) reference: Vec<Complex<f64>>,
    /// Place of `R`, or of the `#` where it is missing.
    pub(super) reference_place: Place,
    /// Place of the parameter, or of the `#` where it is missing.
    pub(super) parameter_place: Place,
    /// Parts that were missing, for a note.
    pub(super) defaults: Vec<&'static str>,
}

impl Options {
    /// The reference of each port.
    pub(super) fn references(&self, ports: usize) -> Result<Vec<Complex<f64>>, PackError> {
        match self.reference.as_slice() {
            [one] => Ok(vec![*one; ports]),
            each if each.len() == ports => Ok(each.to_vec()),
            each => Err(self.reference_place.fault(TouchstoneFault::ReferenceCount {
                found: each.len(),
                ports,
            })),
        }
    }
}

/// Reads an option line; `line` starts with `#` after blanks.
pub(super) fn parse(line: &Line<'_>) -> Result<Options, PackError> {
    let mut unit = None;
    let mut parameter = None;
    let mut format = None;
    let mut reference: Option<(Place, Vec<Complex<f64>>)> = None;
    let mut after_r = false;
    let hash = line.content.iter().position(|&b| b == b'#').unwrap_or(0);
    let mut at = hash + 1;
    while let Some(word) = piece(line, &mut at) {
        let repeated = || {
            Err(word.place().fault(TouchstoneFault::RepeatedOption {
                token: word.shown(),
            }))
        };
        let lower = word.bytes.to_ascii_lowercase();
        if let Some(value) = unit_of(&lower) {
            if unit.replace(value).is_some() {
                return repeated();
            }
            after_r = false;
        } else if let Some(value) = parameter_of(&lower) {
            if parameter.replace((word.place(), value)).is_some() {
                return repeated();
            }
            after_r = false;
        } else if let Some(value) = format_of(&lower) {
            if format.replace(value).is_some() {
                return repeated();
            }
            after_r = false;
        } else if lower == b"r"
            || (lower.starts_with(b"r") && number::parse_complex(&lower[1..]).is_some())
        {
            if reference.is_some() {
                return repeated();
            }
            let glued = word.skip(1);
            let values = if glued.bytes.is_empty() {
                vec![]
            } else {
                vec![number::reference(&glued)?]
            };
            reference = Some((word.place(), values));
            after_r = true;
        } else if let (true, Some((_, values))) = (after_r, &mut reference) {
            values.push(number::reference(&word).map_err(|e| unknown_unless_number(e, &word))?);
        } else {
            return Err(word.place().fault(TouchstoneFault::UnknownOption {
                token: word.shown(),
            }));
        }
    }
    if let Some((place, values)) = &reference
        && values.is_empty()
    {
        return Err(place.fault(TouchstoneFault::MissingReference));
    }
    let missing = [
        (unit.is_none(), "GHz"),
        (parameter.is_none(), "S"),
        (format.is_none(), "MA"),
        (reference.is_none(), "R 50"),
    ];
    let hash_place = line.place(hash);
    let (reference_place, reference) =
        reference.unwrap_or_else(|| (hash_place, vec![Complex::new(50.0, 0.0)]));
    let (parameter_place, parameter) = parameter.unwrap_or((hash_place, Parameter::S));
    Ok(Options {
        unit: unit.unwrap_or(1e9),
        parameter,
        format: format.unwrap_or(Format::Ma),
        reference,
        reference_place,
        parameter_place,
        defaults: missing
            .iter()
            .filter(|(gone, _)| *gone)
            .map(|&(_, part)| part)
            .collect(),
    })
}

/// A word behind R that is no number at all is an unknown option, as it would be elsewhere.
fn unknown_unless_number(error: PackError, word: &Word<'_>) -> PackError {
    match error {
        PackError::Touchstone {
            fault: TouchstoneFault::NotANumber { .. },
            ..
        } => word.place().fault(TouchstoneFault::UnknownOption {
            token: word.shown(),
        }),
        other => other,
    }
}

/// The next word; one that opens a bracket reaches to the closing one, blanks included.
fn piece<'a>(line: &Line<'a>, at: &mut usize) -> Option<Word<'a>> {
    let mut word = line.words_from(*at).next()?;
    let start = word.offset();
    let rest = &line.content[start..];
    if let (Some(b'('), Some(close)) = (rest.first(), rest.iter().position(|&b| b == b')')) {
        word.bytes = &rest[..=close];
    }
    *at = start + word.bytes.len();
    Some(word)
}

fn unit_of(lower: &[u8]) -> Option<f64> {
    match lower {
        b"hz" => Some(1.0),
        b"khz" => Some(1e3),
        b"mhz" => Some(1e6),
        b"ghz" => Some(1e9),
        b"thz" => Some(1e12),
        _ => None,
    }
}

fn parameter_of(lower: &[u8]) -> Option<Parameter> {
    match lower {
        b"s" => Some(Parameter::S),
        b"y" => Some(Parameter::Y),
        b"z" => Some(Parameter::Z),
        b"g" => Some(Parameter::G),
        b"h" => Some(Parameter::H),
        _ => None,
    }
}

fn format_of(lower: &[u8]) -> Option<Format> {
    match lower {
        b"ri" => Some(Format::Ri),
        b"ma" => Some(Format::Ma),
        b"db" => Some(Format::Db),
        _ => None,
    }
}
