//! Taps as matrices for BLAS, and the inputs as the vectors or columns they are multiplied with.
//!
//! ```text
//! A = [ H[nh-1] ... H[2] H[1] ]            nq rows; oldest lag first, as the window of inputs is
//! form N   A column-major: nq x K,  K = np (nh - 1)
//! form T   its transpose column-major: K x nq, each output's taps in one piece
//! ```
//!
//! Inputs stand in mirrored rings, so that a window is one piece. For products of matrices there is a
//! ring for each column: ring `n` holds the inputs shifted by `n` steps, so that the windows of all
//! columns begin at the same place and no copy is made before a product.

use std::sync::Arc;
use std::time::Instant;

use tdse_blas::Form;
use tdse_compiler::Real;
use tdse_pack::Pack;

/// Taps in the order of a form.
#[derive(Debug, Clone)]
pub(crate) struct TapMatrix<T> {
    /// The elements.
    pub(crate) data: Arc<[T]>,
    /// Whether they are A or its transpose.
    pub(crate) form: Form,
    /// Nanoseconds that packing took.
    pub(crate) ns: u64,
}

impl<T: Real> TapMatrix<T> {
    /// Packs the taps 1 to nh - 1.
    pub(crate) fn new(pack: &Pack, form: Form) -> Self {
        let start = Instant::now();
        let (nq, np, nh) = (pack.shape().nq(), pack.shape().np(), pack.shape().nh());
        let terms = np * (nh - 1);
        let mut data = vec![T::default(); nq * terms];
        for j in 0..nh - 1 {
            let tap = pack.tap(nh - 1 - j);
            for (q, row) in tap.chunks_exact(np).enumerate() {
                for (p, &h) in row.iter().enumerate() {
                    let term = j * np + p;
                    let index = match form {
                        Form::N => term * nq + q,
                        Form::T => q * terms + term,
                    };
                    data[index] = T::from_f64(h);
                }
            }
        }
        TapMatrix {
            data: data.into(),
            form,
            ns: start.elapsed().as_nanos() as u64,
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len() * size_of::<T>()
    }
}

/// The last `slots` input vectors, in one mirrored ring for each column.
#[derive(Debug, Clone)]
pub(crate) struct InputColumns<T> {
    slots: usize,
    width: usize,
    columns: usize,
    /// Elements between columns.
    stride: usize,
    /// Vectors taken.
    taken: usize,
    /// Slot of the next vector in column 0.
    next: usize,
    data: Vec<T>,
}

impl<T: Real> InputColumns<T> {
    /// Rings of zeros.
    pub(crate) fn new(slots: usize, width: usize, columns: usize) -> Self {
        // A cache line more, so that columns do not all fall into the same sets of a cache.
        let stride = 2 * slots * width + 64 / size_of::<T>();
        InputColumns {
            slots,
            width,
            columns,
            stride,
            taken: 0,
            next: 0,
            data: vec![T::default(); columns * stride],
        }
    }

    /// Takes a vector, rounded to the element type.
    pub(crate) fn push(&mut self, x: &[f64]) {
        let (slots, width) = (self.slots, self.width);
        let mut slot = self.next;
        // Column n puts it n places earlier, the first ones before the start.
        for column in 0..self.columns {
            let from = column * self.stride + slot * width;
            for (p, &value) in x.iter().enumerate() {
                let value = T::from_f64(value);
                self.data[from + p] = value;
                self.data[from + slots * width + p] = value;
            }
            slot = if slot == 0 { slots - 1 } else { slot - 1 };
        }
        self.taken += 1;
        self.next = (self.next + 1) % slots;
    }

    /// The last `count` vectors of column 0, oldest first.
    pub(crate) fn latest(&self, count: usize) -> &[T] {
        let end = (self.next + self.slots) * self.width;
        &self.data[end - count * self.width..end]
    }

    /// All columns from the oldest vector on; their leading dimension is [`InputColumns::stride`].
    pub(crate) fn oldest(&self) -> &[T] {
        &self.data[self.next * self.width..]
    }

    /// Elements between columns.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Vectors taken since the start.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Back to zeros.
    pub(crate) fn clear(&mut self) {
        self.data.fill(T::default());
        self.taken = 0;
        self.next = 0;
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::InputColumns;

    #[test]
    fn columns_begin_at_the_same_place_a_step_apart() {
        let (slots, columns) = (5, 3);
        let mut inputs = InputColumns::<f64>::new(slots, 2, columns);
        let value = |step: i64| if step < 0 { 0.0 } else { step as f64 + 1.0 };
        for t in 0..23 {
            inputs.push(&[value(t), -value(t)]);
            let latest: Vec<f64> = (t - 2..=t).flat_map(|s| [value(s), -value(s)]).collect();
            assert_eq!(inputs.latest(3), latest);
            // Column n holds at the place of step i the input of step i + n, as far as it has come.
            for n in 0..columns as i64 {
                for (place, i) in (t + 1 - slots as i64..=t - n).enumerate() {
                    let at = n as usize * inputs.stride() + place * 2;
                    assert_eq!(inputs.oldest()[at], value(i + n), "t {t} n {n} i {i}");
                }
            }
        }
        inputs.clear();
        assert!(inputs.oldest().iter().all(|&x| x == 0.0));
    }
}
