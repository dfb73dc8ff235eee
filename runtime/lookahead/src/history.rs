//! Committed inputs, one line a port: a ring in which any recent window is contiguous.
//!
//! ```text
//!   port p   [ ring of `capacity` samples | the same again | a cache line of nothing ]
//! ```
//!
//! Every sample is written twice, `capacity` apart. The capacity is a power of two; the spare line keeps
//! ports from meeting in one cache set.

/// Recent samples of every port.
#[derive(Clone)]
pub(crate) struct PortHistory<T> {
    capacity: usize,
    stride: usize,
    data: Vec<T>,
}

/// Elements from one port's line to the next, for rings that hold `samples`.
pub(crate) fn stride<T>(samples: usize) -> usize {
    2 * samples.next_power_of_two() + 64 / size_of::<T>()
}

impl<T: Copy + Default> PortHistory<T> {
    /// Zeros: the last `samples` of `ports` lines.
    pub(crate) fn new(ports: usize, samples: usize) -> Self {
        let stride = stride::<T>(samples);
        PortHistory {
            capacity: samples.next_power_of_two(),
            stride,
            data: vec![T::default(); ports * stride],
        }
    }

    /// Writes the vector of time `time`.
    pub(crate) fn push(&mut self, time: u64, vector: &[T]) {
        let slot = self.slot(time);
        let mut at = slot;
        for &value in vector {
            self.data[at] = value;
            self.data[at + self.capacity] = value;
            at += self.stride;
        }
    }

    /// `len` samples of a port from time `from` on; times before 0 hold zeros.
    pub(crate) fn window(&self, port: usize, from: i64, len: usize) -> &[T] {
        let start = port * self.stride + self.slot(from as u64);
        &self.data[start..start + len]
    }

    /// All lines, starting at time `from` of the first port.
    pub(crate) fn lines(&self, from: i64) -> &[T] {
        &self.data[self.slot(from as u64)..]
    }

    /// Back to zeros.
    pub(crate) fn clear(&mut self) {
        self.data.fill(T::default());
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.data.as_slice())
    }

    /// Negative times wrap to the end of the ring, where nothing has been written yet.
    fn slot(&self, time: u64) -> usize {
        (time as usize) & (self.capacity - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_the_last_samples_of_its_port() {
        let mut history = PortHistory::<f64>::new(2, 5);
        for t in 0..40u64 {
            history.push(t, &[t as f64 + 1.0, -(t as f64) - 1.0]);
            let from = t as i64 - 4;
            let want: Vec<f64> = (from..=t as i64).map(|s| (s + 1).max(0) as f64).collect();
            assert_eq!(history.window(0, from, 5), want);
            let negative: Vec<f64> = want.iter().map(|v| 0.0 - v).collect();
            assert_eq!(history.window(1, from, 5), negative);
            assert_eq!(history.lines(from)[..5], want);
        }
        history.clear();
        assert_eq!(history.window(1, 35, 5), [0.0; 5]);
    }
}
