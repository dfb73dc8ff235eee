//! S-parameters to a version 1 text that reads back bit for bit.

use super::TouchstoneFault;
use super::text::Place;
use crate::PackError;
use num_complex::Complex;
use std::fmt::Write;

/// Pairs on one line; the format asks for no more than four.
const PAIRS: usize = 4;

/// Writes a version 1 text in hertz, S, RI with one real reference.
///
/// `data` is row-major, `[point][row][column]`; 2-ports are written in their order 11 21 12 22.
/// Numbers are the shortest decimals that read back to the same bits. `comments` come first, one
/// line each; line ends inside them are written as further comment lines.
///
/// # Errors
/// Shapes that do not fit, frequencies that do not rise from 0 up, numbers that are not finite, a
/// reference that is not positive. The place is that of the text as far as it was written.
pub fn write_s(
    frequencies: &[f64],
    ports: usize,
    data: &[Complex<f64>],
    reference_ohm: f64,
    comments: &[&str],
) -> Result<String, PackError> {
    let size = check(frequencies, ports, data, reference_ohm)?;
    let mut text = String::new();
    for line in comments
        .iter()
        .flat_map(|comment| comment.split(['\n', '\r']))
    {
        text.push_str("! ");
        text.push_str(line);
        text.push('\n');
    }
    put(&mut text, format_args!("# Hz S RI R {reference_ohm:?}\n"));
    for (point, &frequency) in frequencies.iter().enumerate() {
        put(&mut text, format_args!("{frequency:?}"));
        let matrix = &data[point * size..(point + 1) * size];
        for row in 0..ports {
            for column in 0..ports {
                let at = if ports == 2 {
                    column * ports + row
                } else {
                    row * ports + column
                };
                // 1- and 2-ports have one line a frequency; others start a line per matrix row.
                let breaks = if ports <= 2 {
                    false
                } else {
                    column % PAIRS == 0 && (row, column) != (0, 0)
                };
                text.push_str(if breaks { "\n " } else { " " });
                let (re, im) = (finite(matrix[at].re, &text)?, finite(matrix[at].im, &text)?);
                put(&mut text, format_args!("{re:?} {im:?}"));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// Refuses a number that is not finite, with the line it would have stood on.
fn finite(x: f64, text: &str) -> Result<f64, PackError> {
    if x.is_finite() {
        return Ok(x);
    }
    let line = text.bytes().filter(|&b| b == b'\n').count() + 1;
    Err(Place::line(line).fault(TouchstoneFault::NotFinite {
        token: x.to_string(),
    }))
}

/// Elements of one matrix, if everything fits together.
fn check(
    frequencies: &[f64],
    ports: usize,
    data: &[Complex<f64>],
    reference_ohm: f64,
) -> Result<usize, PackError> {
    let place = Place::line(1);
    super::port_count::checked(ports, ports.to_string().as_bytes(), place)?;
    if !(reference_ohm.is_finite() && reference_ohm > 0.0) {
        return Err(place.fault(TouchstoneFault::BadReference {
            token: reference_ohm.to_string(),
        }));
    }
    if frequencies.is_empty() {
        return Err(place.fault(TouchstoneFault::NoData));
    }
    let size = ports * ports;
    if frequencies.len().checked_mul(size) != Some(data.len()) {
        let (found, points) = (data.len(), frequencies.len());
        return Err(place.fault(TouchstoneFault::WriteShape {
            found,
            points,
            ports,
        }));
    }
    let mut below = f64::NEG_INFINITY;
    for &frequency in frequencies {
        if !(frequency.is_finite() && frequency >= 0.0 && frequency > below) {
            return Err(place.fault(TouchstoneFault::WriteOrder { frequency }));
        }
        below = frequency;
    }
    Ok(size)
}

/// Writing to a string cannot fail.
fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(arguments);
    debug_assert!(written.is_ok());
}
