//! Conversions between S, Y and Z for any references with a positive real part (power waves).
//!
//! With `F = diag(1 / (2 sqrt(Re z)))` and `G = diag(z)`:
//! `S = F (Z - G*) (Z + G)^-1 F^-1`. For real references this is the same as every other wave definition.

use nalgebra::DMatrix;
use num_complex::Complex;

use super::options::TargetParameter;
use super::{BuildFault, SParameters};

type C64 = Complex<f64>;

/// Network data of S-parameters `s` as `target`, `[point][row][col]`.
///
/// # Errors
/// A reference without positive real part, or a point without the wanted form.
pub(super) fn from_s(s: &SParameters, target: TargetParameter) -> Result<Vec<C64>, BuildFault> {
    let waves = Waves::new(&s.reference)?;
    let n = s.ports;
    let identity = DMatrix::<C64>::identity(n, n);
    map_points(n, &s.frequencies, &s.data, |s| {
        // Z = F^-1 (I - S)^-1 (S G + G*) F, and Y is its inverse.
        let open = &identity - &s;
        let short = s * &waves.g + waves.g.conjugate();
        let (z, to) = match target {
            TargetParameter::S => return Err('S'),
            TargetParameter::Z => (open.lu().solve(&short).ok_or('Z')?, 'Z'),
            TargetParameter::Y => (short.lu().solve(&open).ok_or('Y')?, 'Y'),
        };
        finite(&waves.f_inverse * z * &waves.f, to)
    })
    .map_err(|(hz, to)| BuildFault::Singular { hz, from: 'S', to })
}

/// S-parameters from admittances `y` in siemens, `[point][row][col]`, at the given references in ohm.
///
/// # Errors
/// A reference without positive real part, or `I + G Y` singular at a point.
pub(crate) fn s_from_y(
    frequencies: &[f64],
    y: &[C64],
    reference: Vec<C64>,
) -> Result<SParameters, BuildFault> {
    let waves = Waves::new(&reference)?;
    let n = reference.len();
    let identity = DMatrix::<C64>::identity(n, n);
    let data = map_points(n, frequencies, y, |y| {
        // S (I + G Y) = (I - G* Y) between F and F^-1; solved as the transposed system.
        let down = &identity + &waves.g * &y;
        let up = &identity - waves.g.conjugate() * y;
        let s = down
            .transpose()
            .lu()
            .solve(&up.transpose())
            .ok_or('S')?
            .transpose();
        finite(&waves.f * s * &waves.f_inverse, 'S')
    })
    .map_err(|(hz, to)| BuildFault::Singular { hz, from: 'Y', to })?;
    Ok(SParameters {
        frequencies: frequencies.to_vec(),
        ports: n,
        data,
        reference,
    })
}

struct Waves {
    g: DMatrix<C64>,
    f: DMatrix<C64>,
    f_inverse: DMatrix<C64>,
}

impl Waves {
    fn new(reference: &[C64]) -> Result<Waves, BuildFault> {
        for (i, z) in reference.iter().enumerate() {
            if !(z.re > 0.0 && z.re.is_finite() && z.im.is_finite()) {
                return Err(BuildFault::Reference {
                    port: i + 1,
                    re: z.re,
                    im: z.im,
                });
            }
        }
        let diagonal = |value: &dyn Fn(&C64) -> C64| {
            DMatrix::from_diagonal(&nalgebra::DVector::from_iterator(
                reference.len(),
                reference.iter().map(value),
            ))
        };
        Ok(Waves {
            g: diagonal(&|z| *z),
            f: diagonal(&|z| C64::new(0.5 / z.re.sqrt(), 0.0)),
            f_inverse: diagonal(&|z| C64::new(2.0 * z.re.sqrt(), 0.0)),
        })
    }
}

fn finite(matrix: DMatrix<C64>, to: char) -> Result<DMatrix<C64>, char> {
    if matrix.iter().all(|v| v.re.is_finite() && v.im.is_finite()) {
        Ok(matrix)
    } else {
        Err(to)
    }
}

fn map_points(
    n: usize,
    frequencies: &[f64],
    data: &[C64],
    convert: impl Fn(DMatrix<C64>) -> Result<DMatrix<C64>, char>,
) -> Result<Vec<C64>, (f64, char)> {
    let mut out = Vec::with_capacity(data.len());
    for (hz, point) in frequencies.iter().zip(data.chunks_exact(n * n)) {
        let matrix = convert(DMatrix::from_row_slice(n, n, point)).map_err(|to| (*hz, to))?;
        out.extend(matrix.transpose().iter());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_shunt_resistor_has_its_known_form_and_returns() {
        let reference = vec![C64::new(50.0, 0.0), C64::new(75.0, -10.0)];
        let y: Vec<C64> = [(0.03, 0.01), (-0.01, 0.0), (-0.012, 0.002), (0.02, -0.004)]
            .map(|(re, im)| C64::new(re, im))
            .to_vec();
        let s = s_from_y(&[1e6], &y, reference.clone()).unwrap();
        let back = from_s(&s, TargetParameter::Y).unwrap();
        assert!(y.iter().zip(&back).all(|(a, b)| (a - b).norm() < 1e-15));
        let z = from_s(&s, TargetParameter::Z).unwrap();
        let product = y[0] * z[0] + y[1] * z[2];
        assert!((product - 1.0).norm() < 1e-13, "Y Z = I, found {product}");
        // One port: S = (1 - z* y) / (1 + z y).
        let one = s_from_y(&[1.0], &[C64::new(0.01, 0.0)], vec![C64::new(50.0, 0.0)]).unwrap();
        assert!((one.data[0] - 1.0 / 3.0).norm() < 1e-15);
    }

    #[test]
    fn singular_points_and_bad_references_are_named() {
        let open = SParameters {
            frequencies: vec![5.0],
            ports: 1,
            data: vec![C64::new(1.0, 0.0)],
            reference: vec![C64::new(50.0, 0.0)],
        };
        assert_eq!(
            from_s(&open, TargetParameter::Z).unwrap_err().name(),
            "singular"
        );
        assert!(from_s(&open, TargetParameter::Y).is_ok());
        let bad = s_from_y(&[1.0], &[C64::new(0.01, 0.0)], vec![C64::new(0.0, 50.0)]).unwrap_err();
        assert_eq!(bad.name(), "bad_reference");
    }
}
