//! Arguments that own their elements.

use crate::hex_float;

/// One argument of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Elements of an `f64` buffer.
    F64(Vec<f64>),
    /// Elements of an `f32` buffer.
    F32(Vec<f32>),
    /// An index.
    Index(i64),
}

impl Data {
    /// The first element whose bits differ, NaN being equal to NaN; the shorter length when one
    /// holds more, 0 when the kinds differ.
    pub fn first_difference(&self, other: &Data) -> Option<usize> {
        match (self, other) {
            (Data::F64(a), Data::F64(b)) => first(a, b, |a, b| {
                a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
            }),
            (Data::F32(a), Data::F32(b)) => first(a, b, |a, b| {
                a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
            }),
            (Data::Index(a), Data::Index(b)) if a == b => None,
            _ => Some(0),
        }
    }

    /// An element as text, exact.
    pub fn text(&self, element: usize) -> String {
        match self {
            Data::F64(v) => v.get(element).map(|&v| hex_float::print(v)),
            Data::F32(v) => v.get(element).map(|&v| hex_float::print(f64::from(v))),
            Data::Index(i) => Some(i.to_string()),
        }
        .unwrap_or_else(|| "nothing".into())
    }
}

fn first<T: Copy>(a: &[T], b: &[T], same: impl Fn(T, T) -> bool) -> Option<usize> {
    let differs = a.iter().zip(b).position(|(&a, &b)| !same(a, b));
    differs.or_else(|| (a.len() != b.len()).then_some(a.len().min(b.len())))
}

/// Made-up numbers, the same for the same seed: magnitudes from 2^-8 to 2^7, one in 16 a zero,
/// one in 32 subnormal, all with either sign.
pub(super) fn random_f64(seed: u64, len: usize) -> Vec<f64> {
    draws(seed, len)
        .map(|(kind, bits)| f64::from_bits(pattern(kind, bits, 52, 1023, 63)))
        .collect()
}

/// The same in `f32`.
pub(super) fn random_f32(seed: u64, len: usize) -> Vec<f32> {
    draws(seed, len)
        .map(|(kind, bits)| f32::from_bits(pattern(kind, bits, 23, 127, 31) as u32))
        .collect()
}

/// Bits of one number from random bits, in a format of `fraction` bits below the exponent.
fn pattern(kind: u64, bits: u64, fraction: u32, bias: u64, sign: u32) -> u64 {
    let mantissa = bits & ((1 << fraction) - 1);
    let exponent = bias - 8 + (bits >> 53) % 16;
    let magnitude = match kind {
        0 | 1 => 0,
        2 => mantissa,
        _ => exponent << fraction | mantissa,
    };
    magnitude | (bits >> 63) << sign
}

/// Pairs of a kind, 0 to 31, and 64 random bits (SplitMix64).
fn draws(seed: u64, len: usize) -> impl Iterator<Item = (u64, u64)> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..len).map(move |_| (next() % 32, next()))
}
