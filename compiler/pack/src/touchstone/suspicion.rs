//! Remarks on numbers that look as if the heading were wrong. Nothing is changed.

use super::{Format, Parameter, heading::Raw};
use nalgebra::DMatrix;
use num_complex::Complex;

/// Ports up to which singular values are computed for a remark.
const PORTS: usize = 64;
/// Points at most that are looked at.
const POINTS: usize = 32;

/// Adds a note where the format of the option line is doubtful.
pub(super) fn remark(raw: &Raw, data: &[Complex<f64>], notes: &mut Vec<String>) {
    match raw.options.format {
        Format::Ma => negative_magnitudes(raw, notes),
        Format::Ri if raw.options.parameter == Parameter::S => polar_in_disguise(raw, data, notes),
        _ => {}
    }
}

fn negative_magnitudes(raw: &Raw, notes: &mut Vec<String>) {
    let count = raw
        .records
        .values
        .iter()
        .step_by(2)
        .filter(|magnitude| **magnitude < 0.0)
        .count();
    if count > 0 {
        notes.push(format!(
            "{count} magnitude(s) are negative; the option line says MA, are the numbers RI or DB?"
        ));
    }
}

/// The option line says RI, but the pairs are far from passive as such and passive as magnitude and angle.
fn polar_in_disguise(raw: &Raw, data: &[Complex<f64>], notes: &mut Vec<String>) {
    let polar_range = |x: &Complex<f64>| (0.0..=1.001).contains(&x.re) && x.im.abs() <= 360.0;
    let wide = data.iter().any(|x| x.im.abs() > 2.0);
    if !wide || raw.ports > PORTS || !data.iter().all(polar_range) {
        return;
    }
    let size = raw.ports * raw.ports;
    let step = (data.len() / size).div_ceil(POINTS).max(1);
    let (mut literal, mut polar) = (0.0_f64, 0.0_f64);
    for matrix in data.chunks_exact(size).step_by(step) {
        literal = literal.max(largest(raw.ports, matrix));
        let read: Vec<_> = matrix
            .iter()
            .map(|x| Format::Ma.complex(x.re, x.im))
            .collect();
        polar = polar.max(largest(raw.ports, &read));
    }
    if literal > 2.0 && polar <= 1.01 {
        notes.push(format!(
            "the option line says RI and the numbers are read so (largest singular value {literal:.4}), but they look \
             like MA (then {polar:.6}); check the option line"
        ));
    }
}

fn largest(ports: usize, matrix: &[Complex<f64>]) -> f64 {
    DMatrix::from_row_slice(ports, ports, matrix)
        .singular_values()
        .max()
}
