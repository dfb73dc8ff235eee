//! `[Mixed-Mode Order]`: which row of the matrix is which mode of which ports.
//!
//! The data stay as they are written; the order says what they mean. A differential mode of two
//! ports of reference R has the reference 2R, a common mode R/2 (IBIS Touchstone 2.0, mixed-mode
//! section), so the two ports of a pair must share their reference.

use super::text::{Place, Word};
use super::{TouchstoneFault, number};
use crate::PackError;
use num_complex::Complex;
use std::fmt;

/// What one row and column of the matrix stands for. Ports count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A port on its own, `S4`.
    Single(usize),
    /// The difference of two ports, `D2,3`.
    Differential(usize, usize),
    /// What two ports have in common, `C2,3`.
    Common(usize, usize),
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mode::Single(port) => write!(f, "S{port}"),
            Mode::Differential(plus, minus) => write!(f, "D{plus},{minus}"),
            Mode::Common(plus, minus) => write!(f, "C{plus},{minus}"),
        }
    }
}

/// The order as text, `D2,3 C2,3 S1`.
pub(super) fn shown(modes: &[Mode]) -> String {
    modes
        .iter()
        .map(Mode::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Reads one mode.
pub(super) fn mode(word: &Word<'_>, ports: usize) -> Result<Mode, PackError> {
    let bad = || {
        word.place().fault(TouchstoneFault::BadMode {
            token: word.shown(),
            ports,
        })
    };
    let port = |digits: &[u8]| {
        number::count(digits)
            .filter(|p| (1..=ports).contains(p))
            .ok_or_else(bad)
    };
    let (letter, rest) = word.bytes.split_first().ok_or_else(bad)?;
    if letter.eq_ignore_ascii_case(&b's') {
        return Ok(Mode::Single(port(rest)?));
    }
    let comma = rest.iter().position(|&b| b == b',').ok_or_else(bad)?;
    let (plus, minus) = (port(&rest[..comma])?, port(&rest[comma + 1..])?);
    match letter {
        _ if plus == minus => Err(bad()),
        b'd' | b'D' => Ok(Mode::Differential(plus, minus)),
        b'c' | b'C' => Ok(Mode::Common(plus, minus)),
        _ => Err(bad()),
    }
}

/// Every port is there once on its own, or once in a differential and once in a common mode of
/// the same pair, and pairs share their reference.
pub(super) fn check(
    modes: &[Mode],
    reference: &[Complex<f64>],
    place: Place,
) -> Result<(), PackError> {
    let fail = |reason| Err(place.fault(TouchstoneFault::MixedModeMismatch { reason }));
    if modes.len() != reference.len() {
        return fail("it needs one mode per port");
    }
    let (mut single, mut difference, mut common) = (
        vec![0; modes.len()],
        vec![0; modes.len()],
        vec![0; modes.len()],
    );
    for mode in modes {
        match *mode {
            Mode::Single(port) => single[port - 1] += 1,
            Mode::Differential(plus, minus) => {
                difference[plus - 1] = minus;
                difference[minus - 1] = plus;
            }
            Mode::Common(plus, minus) => {
                common[plus - 1] = minus;
                common[minus - 1] = plus;
            }
        }
    }
    // One mode per port, and each port either single or paired both ways: no mode can stand twice.
    for port in 0..modes.len() {
        match (single[port], difference[port], common[port]) {
            (1, 0, 0) => {}
            (0, d, c) if d != 0 && d == c => {
                if reference[port] != reference[d - 1] {
                    return fail("the two ports of a pair have different references");
                }
            }
            (0, 0, 0) => return fail("a port is missing from it"),
            (0, _, _) => return fail("a pair needs both its differential and its common mode"),
            _ => return fail("a port stands in it twice"),
        }
    }
    Ok(())
}

/// The reference of each row: that of the port, twice it or half of it.
pub(super) fn references(modes: &[Mode], ports: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let of = |port: usize| ports.get(port - 1).copied().unwrap_or_default();
    let one = |mode: &Mode| match *mode {
        Mode::Single(port) => of(port),
        Mode::Differential(plus, _) => of(plus) * 2.0,
        Mode::Common(plus, _) => of(plus) / 2.0,
    };
    modes.iter().map(one).collect()
}
