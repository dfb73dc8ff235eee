//! Committed inputs: a mirrored ring.
//!
//! ```text
//!   slot   0   1   2   3 | 0'  1'  2'  3'        each vector is written twice, `slots` apart
//!                  ^oldest......^                the window is always one contiguous slice
//! ```
//!
//! So no kernel handles wrap-around. Cost: two copies of `np` elements per commit.

/// The last `slots` committed vectors of `width` elements.
#[derive(Debug, Clone)]
pub(crate) struct MirroredRing<T> {
    slots: usize,
    width: usize,
    oldest: usize,
    data: Vec<T>,
}

impl<T: Copy + Default> MirroredRing<T> {
    /// A ring of zeros.
    pub(crate) fn new(slots: usize, width: usize) -> Self {
        MirroredRing {
            slots,
            width,
            oldest: 0,
            data: vec![T::default(); 2 * slots * width],
        }
    }

    /// The committed vectors, oldest first.
    pub(crate) fn window(&self) -> &[T] {
        let from = self.oldest * self.width;
        &self.data[from..from + self.slots * self.width]
    }

    /// The newest `count` committed vectors, oldest first.
    pub(crate) fn newest(&self, count: usize) -> &[T] {
        let end = (self.oldest + self.slots) * self.width;
        &self.data[end - count * self.width..end]
    }

    /// Replaces the oldest vector.
    pub(crate) fn push(&mut self, vector: &[T]) {
        if self.slots == 0 {
            return;
        }
        for slot in [self.oldest, self.oldest + self.slots] {
            let place = &mut self.data[slot * self.width..(slot + 1) * self.width];
            match (place, vector) {
                // A copy of unknown length is a call; the commonest one is one element.
                ([place], [value]) => *place = *value,
                (place, vector) => place.copy_from_slice(vector),
            }
        }
        self.oldest += 1;
        if self.oldest == self.slots {
            self.oldest = 0;
        }
    }

    /// Back to zeros.
    pub(crate) fn clear(&mut self) {
        self.data.fill(T::default());
        self.oldest = 0;
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::MirroredRing;

    #[test]
    fn the_window_is_always_the_last_vectors_in_order() {
        let mut ring = MirroredRing::<f64>::new(3, 2);
        let mut seen = vec![[0.0, 0.0]; 3];
        for n in 1..20 {
            let v = [f64::from(n), f64::from(-n)];
            ring.push(&v);
            seen.push(v);
            assert_eq!(ring.window(), seen[seen.len() - 3..].concat());
            assert_eq!(ring.newest(2), seen[seen.len() - 2..].concat());
        }
        ring.clear();
        assert_eq!(ring.window(), [0.0; 6]);
    }

    #[test]
    fn a_ring_of_no_slots_holds_nothing() {
        let mut ring = MirroredRing::<f32>::new(0, 4);
        ring.push(&[1.0; 4]);
        assert!(ring.window().is_empty());
    }
}
