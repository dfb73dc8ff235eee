//! What the machine itself does to a step: the clock's cost, and arithmetic of known length.
//!
//! A virtual machine stops its guests, and a system interrupts its programs. A loop of dependent
//! multiply-adds in registers has no misses and no branches that depend on data: whatever its slowest
//! runs show, the steps between them suffered as well.

use std::hint::black_box;
use std::time::Instant;

/// Arithmetic that takes about as long as a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calibration {
    iterations: u64,
}

impl Calibration {
    /// Iterations for about `ns` nanoseconds where one takes `iteration_ns`.
    pub(crate) fn of(ns: f64, iteration_ns: f64) -> Self {
        Calibration {
            iterations: (ns / iteration_ns).round().max(1.0) as u64,
        }
    }

    /// Runs it.
    pub(crate) fn run(self) {
        let mut value = black_box(0.5_f64);
        for _ in 0..self.iterations {
            value = value * 0.999_999 + 1e-7;
        }
        black_box(value);
    }
}

/// Nanoseconds of one iteration, the least of many tries.
pub(crate) fn iteration_ns() -> f64 {
    const ITERATIONS: u64 = 4096;
    let trial = Calibration {
        iterations: ITERATIONS,
    };
    let time = |_| {
        let start = Instant::now();
        trial.run();
        start.elapsed().as_nanos() as u64
    };
    (0..64).map(time).min().unwrap_or(1).max(1) as f64 / ITERATIONS as f64
}

/// Nanoseconds between two readings of the clock with nothing between them: the median.
pub(crate) fn clock_ns() -> u64 {
    let mut samples: Vec<u64> = (0..4097)
        .map(|_| Instant::now().elapsed().as_nanos() as u64)
        .collect();
    samples.sort_unstable();
    samples[samples.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_takes_time_in_proportion() {
        let one = iteration_ns();
        assert!(one > 0.05 && one < 1000.0, "{one}");
        assert_eq!(Calibration::of(0.0, one).iterations, 1);
        assert_eq!(Calibration::of(100.0, 0.5).iterations, 200);
        assert!(clock_ns() < 1_000_000);
    }
}
