//! The roof: how fast one thread reads memory of a given size, over and over.
//!
//! A loop of additions over whole cache lines, with 16-byte loads (what the compiler may use on every
//! machine of this architecture). From the outer caches and memory this is the machine's limit; in the
//! inner caches wider loads are faster, so that shares above 1 occur there.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Largest block read; a larger working set comes from memory in any case.
const MOST_BYTES: usize = 512 << 20;

/// Bytes a second that one thread reads from a block of `bytes`: the best pass within `time`, two
/// passes at least.
pub(crate) fn read_bytes_per_s(bytes: usize, time: Duration) -> f64 {
    let block = vec![1u64; bytes.clamp(64, MOST_BYTES) / 8];
    // Enough passes in one reading of the clock that its cost does not show.
    let passes = (262_144 / (block.len() * 8)).max(1);
    let start = Instant::now();
    let mut best = f64::INFINITY;
    let mut tries = 0;
    while tries < 2 || start.elapsed() < time {
        let pass = Instant::now();
        for _ in 0..passes {
            black_box(sum(black_box(&block)));
        }
        best = best.min(pass.elapsed().as_secs_f64());
        tries += 1;
    }
    (block.len() * 8 * passes) as f64 / best
}

fn sum(block: &[u64]) -> u64 {
    let mut sums = [0u64; 16];
    let (lines, rest) = block.as_chunks::<16>();
    for line in lines {
        for (sum, value) in sums.iter_mut().zip(line) {
            *sum = sum.wrapping_add(*value);
        }
    }
    sums.iter().chain(rest).fold(0, |a, b| a.wrapping_add(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read() {
        for length in [0, 1, 15, 16, 17, 100] {
            assert_eq!(sum(&vec![1; length]), length as u64);
        }
        assert!(read_bytes_per_s(1000, Duration::ZERO) > 0.0);
    }
}
