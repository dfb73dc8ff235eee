//! Times of single steps, counted in buckets.
//!
//! Problem: a list of all samples grows to megabytes and pushes out of the caches what is being
//! measured. Idea: 64 buckets an octave, so that a quantile is right within 1.6 %; the maximum is
//! kept as it is. A round of steps of similar length touches a few lines of the table.

/// Buckets in an octave, and values below which each has a bucket of its own.
const PER_OCTAVE: u64 = 64;

/// Counted samples, in nanoseconds.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    counts: Vec<u32>,
    total: u64,
    max: u64,
}

impl Histogram {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Histogram {
            counts: vec![0; bucket(u64::MAX) + 1],
            total: 0,
            max: 0,
        }
    }

    /// Counts a sample.
    pub(crate) fn add(&mut self, ns: u64) {
        let count = &mut self.counts[bucket(ns)];
        *count = count.saturating_add(1);
        self.total += 1;
        self.max = self.max.max(ns);
    }

    /// Samples counted.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The largest sample.
    pub(crate) fn max(&self) -> f64 {
        self.max as f64
    }

    /// The least value that a share `q` of the samples does not exceed, within the width of a bucket;
    /// 0 without samples.
    pub(crate) fn quantile(&self, q: f64) -> f64 {
        let rank = ((q * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, &count) in self.counts.iter().enumerate() {
            seen += u64::from(count);
            if seen >= rank {
                return middle(index).min(self.max as f64);
            }
        }
        self.max as f64
    }
}

fn bucket(ns: u64) -> usize {
    if ns < PER_OCTAVE {
        return ns as usize;
    }
    let octave = ns.ilog2() - PER_OCTAVE.ilog2();
    // The leading one of the mantissa says the octave, the six digits below it the bucket.
    (u64::from(octave) * PER_OCTAVE + (ns >> octave)) as usize
}

fn middle(index: usize) -> f64 {
    let index = index as u64;
    if index < 2 * PER_OCTAVE {
        return index as f64;
    }
    let octave = index / PER_OCTAVE - 1;
    let least = (PER_OCTAVE + index % PER_OCTAVE) << octave;
    least as f64 + 0.5 * ((1u64 << octave) - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_narrow_and_in_order() {
        let mut last = 0;
        for ns in (0..5000).chain([1 << 20, (1 << 20) + 1, 123_456_789, u64::MAX]) {
            let index = bucket(ns);
            assert!(index >= last, "{ns}");
            last = index;
            let error = (middle(index) - ns as f64).abs();
            assert!(error <= 0.008 * ns as f64 + 0.5, "{ns}: {}", middle(index));
        }
    }

    #[test]
    fn quantiles_are_ranks() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.quantile(0.5), 0.0);
        for ns in 1..=1000 {
            histogram.add(if ns == 1000 { 50_000 } else { 20 });
        }
        assert_eq!(histogram.quantile(0.5), 20.0);
        assert_eq!(histogram.quantile(0.999), 20.0);
        assert_eq!(histogram.max(), 50_000.0);
        assert!((histogram.quantile(1.0) - 50_000.0).abs() < 500.0);
        assert_eq!(histogram.total(), 1000);
    }
}
