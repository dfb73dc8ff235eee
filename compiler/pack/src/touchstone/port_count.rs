//! The number of ports that a file name states: `.s2p`, `.S12P`, `.y3p`.

use super::text::{Place, shown};
use super::{MAX_PORTS, TouchstoneFault, number};
use crate::PackError;

/// Ports from the ending of a file name; `None` if the ending states none.
///
/// Any letter of S, Y, Z, G, H, any number of digits, any case; what stands before the last dot
/// does not matter.
pub(super) fn of_name(name: &str) -> Result<Option<usize>, PackError> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let ending = name.rsplit('.').next().unwrap_or("").as_bytes();
    let [
        b's' | b'S' | b'y' | b'Y' | b'z' | b'Z' | b'g' | b'G' | b'h' | b'H',
        digits @ ..,
        b'p' | b'P',
    ] = ending
    else {
        return Ok(None);
    };
    number::count(digits)
        .map(|ports| checked(ports, digits, Place::line(1)))
        .transpose()
}

/// Refuses 0 and more than [`MAX_PORTS`].
pub(super) fn checked(ports: usize, written: &[u8], place: Place) -> Result<usize, PackError> {
    match ports {
        0 => Err(place.fault(TouchstoneFault::ZeroPorts)),
        1..=MAX_PORTS => Ok(ports),
        _ => Err(place.fault(TouchstoneFault::TooManyPorts {
            found: shown(written),
        })),
    }
}
