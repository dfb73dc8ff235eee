//! The excitation of the closed-loop soak: a short burst of noise that is the same everywhere.

/// Steps of the burst; the loop runs free afterwards.
pub(super) const STEPS: u64 = 64;

/// SplitMix64 (Steele, Lea, Flood 2014): the state grows by 0x9E3779B97F4A7C15, the output is a mix of it.
pub(super) struct Burst {
    state: u64,
}

impl Burst {
    /// The burst of a seed.
    pub(super) fn new(seed: u64) -> Burst {
        Burst { state: seed }
    }

    /// The next value, uniform in [-1, 1).
    pub(super) fn draw(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 * (1.0 / (1u64 << 52) as f64) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_burst_is_fixed_and_centred() {
        // First output of SplitMix64 from state 0 is 0xE220A8397B1DCDAF.
        assert_eq!(
            Burst::new(0).draw(),
            (0xE220_A839_7B1D_CDAFu64 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        );
        let mut burst = Burst::new(2);
        let values: Vec<f64> = (0..10_000).map(|_| burst.draw()).collect();
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        assert!((values.iter().sum::<f64>() / 1e4).abs() < 0.02);
    }
}
