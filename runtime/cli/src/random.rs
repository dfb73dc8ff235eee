//! The generator behind `--input random:SEED`, fixed so that a seed means the same numbers on
//! every machine and in every version.
//!
//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
//! the state starts at SEED; each draw adds `0x9E3779B97F4A7C15` and mixes. A draw `z` becomes
//! `2 * (z >> 11) * 2^-53 - 1`: a multiple of 2^-52 in [-1, 1), exact in f64. Values are drawn step
//! by step, and within a step input by input.

/// The generator.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts at a seed.
    pub(crate) fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number on [-1, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
        2.0 * ((self.next() >> 11) as f64 * UNIT) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_zero_gives_the_published_sequence() {
        // First outputs of the reference implementation (xoshiro.di.unimi.it/splitmix64.c), seed 0.
        let mut generator = SplitMix64::new(0);
        assert_eq!(generator.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(generator.next(), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(generator.next(), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn numbers_fill_the_interval() {
        let mut generator = SplitMix64::new(1);
        let values: Vec<f64> = (0..10_000).map(|_| generator.uniform()).collect();
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = values.iter().sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.03, "{mean}");
    }
}
