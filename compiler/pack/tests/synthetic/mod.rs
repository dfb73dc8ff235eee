//! Networks with a known response.
#![allow(dead_code, unreachable_pub)] // each test binary uses its own part

use std::f64::consts::TAU;

use num_complex::Complex;
use tdse_pack::sparams::SParameters;

pub type C64 = Complex<f64>;

/// A 2-port given by its entry function at `f`.
pub fn two_port(f: &[f64], entry: impl Fn(f64, usize, usize) -> C64) -> SParameters {
    let data = f
        .iter()
        .flat_map(|f| [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(q, p)| entry(*f, q, p)))
        .collect();
    SParameters {
        frequencies: f.to_vec(),
        ports: 2,
        data,
        reference: vec![C64::new(50.0, 0.0); 2],
    }
}

/// Frequencies `from * df ..= to * df`.
pub fn grid(from: usize, to: usize, df: f64) -> Vec<f64> {
    (from..=to).map(|n| n as f64 * df).collect()
}

/// A slightly reflecting line with loss and delay.
pub fn line(f: &[f64], delay: f64) -> SParameters {
    two_port(f, |f, q, p| {
        let loss = (-f / 6e10).exp();
        let magnitude = if q == p { 0.15 * loss } else { 0.9 * loss };
        C64::from_polar(
            magnitude,
            -TAU * f * if q == p { 0.6 * delay } else { delay },
        )
    })
}

/// A perfect through.
pub fn thru(f: &[f64]) -> SParameters {
    two_port(f, |_, q, p| C64::new(f64::from(u8::from(q != p)), 0.0))
}
