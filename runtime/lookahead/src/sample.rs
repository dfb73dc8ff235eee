//! What a sample may be: an element type of kernels that the transform library takes too.

use rustfft::FftNum;
use tdse_compiler::Real;

/// `f32` or `f64`.
pub trait Sample: Real + FftNum {
    /// Rounds to nearest.
    fn rounded(value: f64) -> Self {
        <Self as Real>::from_f64(value)
    }
}

impl Sample for f32 {}
impl Sample for f64 {}
