//! Arithmetic of one lane, for both element types.

use std::ops::{Add, Mul, Neg, Sub};

/// An element type.
pub(crate) trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// +0.
    const ZERO: Self;

    /// The nearest value; exact for what the verifier accepts.
    fn from_f64(value: f64) -> Self;

    /// `a * b + c` with one rounding: an instruction where the caller has FMA enabled, otherwise
    /// the correctly rounded library function, which is slow and gives the same bits.
    fn fma(a: Self, b: Self, c: Self) -> Self;

    /// `a * b + c` with one rounding or two.
    #[inline(always)]
    fn accumulate<const FUSED: bool>(a: Self, b: Self, c: Self) -> Self {
        if FUSED { Self::fma(a, b, c) } else { a * b + c }
    }
}

impl Lane for f64 {
    const ZERO: f64 = 0.0;

    #[inline(always)]
    fn from_f64(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn fma(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

impl Lane for f32 {
    const ZERO: f32 = 0.0;

    #[inline(always)]
    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}
