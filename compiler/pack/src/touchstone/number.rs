//! Words to numbers: reals, and references that may be complex.

use super::TouchstoneFault;
use super::text::Word;
use crate::PackError;
use num_complex::Complex;

/// A finite real number. Fortran's `1.0D+3` counts as one.
pub(super) fn real(word: &Word<'_>) -> Result<f64, PackError> {
    match parse_real(word.bytes) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(word.place().fault(TouchstoneFault::NotFinite {
            token: word.shown(),
        })),
        None => Err(word.place().fault(TouchstoneFault::NotANumber {
            token: word.shown(),
        })),
    }
}

/// A frequency: finite and not negative. Its unit is applied later, see [`scaled`].
pub(super) fn frequency(word: &Word<'_>, unit: f64) -> Result<f64, PackError> {
    let value = real(word)?;
    if value < 0.0 {
        return Err(word.place().fault(TouchstoneFault::NegativeFrequency {
            token: word.shown(),
        }));
    }
    let hertz = scaled(value, unit);
    if !hertz.is_finite() {
        return Err(word.place().fault(TouchstoneFault::NotFinite {
            token: word.shown(),
        }));
    }
    Ok(hertz)
}

/// A number of this unit in hertz; -0 becomes 0.
fn scaled(value: f64, unit: f64) -> f64 {
    value * unit + 0.0
}

/// A count in decimal digits; `None` if it is no such number.
/// Counts beyond `usize` come back as `usize::MAX`, so that limits catch them.
pub(super) fn count(bytes: &[u8]) -> Option<usize> {
    if bytes.is_empty() || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(bytes.iter().fold(0usize, |n, b| {
        n.saturating_mul(10).saturating_add(usize::from(b - b'0'))
    }))
}

/// A reference impedance in ohm: `50`, `50+50j`, `(50+50j)`, `50j` and `i` for `j`.
/// Its real part must be positive: power waves divide by its root.
pub(super) fn reference(word: &Word<'_>) -> Result<Complex<f64>, PackError> {
    let Some(value) = parse_complex(word.bytes) else {
        return Err(word.place().fault(TouchstoneFault::NotANumber {
            token: word.shown(),
        }));
    };
    let usable = value.re.is_finite() && value.im.is_finite() && value.re > 0.0;
    if !usable {
        return Err(word.place().fault(TouchstoneFault::BadReference {
            token: word.shown(),
        }));
    }
    Ok(value)
}

/// A complex number without a check of its size; `None` if it is no number.
pub(super) fn parse_complex(bytes: &[u8]) -> Option<Complex<f64>> {
    let packed: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|&b| !super::text::is_blank(b))
        .collect();
    let mut text = packed.as_slice();
    if let Some(inner) = text.strip_prefix(b"(") {
        text = inner.strip_suffix(b")")?;
    }
    let Some((b'j' | b'J' | b'i' | b'I', body)) = text.split_last() else {
        return Some(Complex::new(parse_real(text)?, 0.0));
    };
    // The sign that opens the imaginary part: the last one that does not belong to an exponent.
    let split = (1..body.len()).rev().find(|&at| {
        matches!(body[at], b'+' | b'-') && !matches!(body[at - 1], b'e' | b'E' | b'd' | b'D')
    });
    match split {
        Some(at) => Some(Complex::new(
            parse_real(&body[..at])?,
            parse_real(&body[at..])?,
        )),
        None => Some(Complex::new(0.0, parse_real(body)?)),
    }
}

fn parse_real(bytes: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(bytes).ok()?;
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    // 'd' cannot occur in a number that Rust reads, so this changes no other meaning.
    let fortran = text.chars().filter(|c| matches!(c, 'd' | 'D')).count() == 1;
    let digits = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    if fortran && digits {
        text.replace(['d', 'D'], "e").parse().ok()
    } else {
        None
    }
}
