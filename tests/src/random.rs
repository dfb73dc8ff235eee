//! Deterministic test data: splitmix64 and the awkward floating-point values.

/// The splitmix64 generator (Steele, Lea, Flood 2014): one 64-bit state, equidistributed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator that repeats for the same seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Finite, of either sign, over many magnitudes; one value in eight is +-0, one is tiny enough
    /// that its products underflow in `f32` or, with another such, in `f64`.
    pub fn awkward(&mut self) -> f64 {
        let value = self.uniform();
        match self.bits() % 16 {
            0 => 0.0,
            1 => -0.0,
            2 => value * 1e-30,
            3 => value * 1e-300,
            4 => value * 1e12,
            _ => value,
        }
    }
}
