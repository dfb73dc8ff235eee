//! What a model keeps of one level: spectra of its inputs, sums, two blocks of outputs.

use tdse_bundle::AlignedBuffer;

use crate::Sample;

/// The state of a level between two tasks.
#[derive(Clone)]
pub(crate) struct LevelState<T: Sample> {
    /// Ring of input spectra; empty in the time domain.
    pub(crate) spectra: AlignedBuffer<T>,
    /// Sums of the period at work.
    pub(crate) sums: AlignedBuffer<T>,
    /// Two blocks of outputs, `[row][step]` each: the one read and the one at work.
    pub(crate) out: AlignedBuffer<T>,
    /// Whether the second block is the one read.
    second: bool,
    /// Whether the block read, and the one at work, hold anything.
    sounds: [bool; 2],
    /// The block that began with the period.
    pub(crate) number: u64,
    /// How many blocks back inputs act in the period.
    pub(crate) reach: usize,
    /// The next task.
    pub(crate) next: usize,
}

impl<T: Sample> LevelState<T> {
    /// Nothing heard yet.
    pub(crate) fn new(spectra: usize, sums: usize, out: usize) -> Self {
        LevelState {
            spectra: AlignedBuffer::new(spectra),
            sums: AlignedBuffer::new(sums),
            out: AlignedBuffer::new(2 * out),
            second: false,
            sounds: [false; 2],
            number: 0,
            reach: 0,
            next: usize::MAX,
        }
    }

    /// Where the block at work starts in `out`.
    pub(crate) fn next_out(&self) -> usize {
        if self.second { 0 } else { self.out.len() / 2 }
    }

    /// The block at work, done, becomes the one read.
    pub(crate) fn publish(&mut self) {
        self.sounds[usize::from(!self.second)] = self.reach > 0;
        self.second = !self.second;
    }

    /// Adds to the block read, of `block` steps from `time` on, what a larger level has summed for them:
    /// `[row][step]`, in blocks of its own.
    pub(crate) fn sum(&mut self, larger: Option<(&[T], usize)>, block: usize, time: u64) {
        let Some((sums, of)) = larger else {
            return;
        };
        let half = self.out.len() / 2;
        let at = if self.second { half } else { 0 };
        let sounds = &mut self.sounds[usize::from(self.second)];
        let offset = (time % of as u64) as usize;
        let own = self.out[at..at + half].chunks_exact_mut(block);
        for (own, sums) in own.zip(sums.chunks_exact(of)) {
            let sums = &sums[offset..offset + block];
            if *sounds {
                for (own, &sum) in own.iter_mut().zip(sums) {
                    *own = sum + *own;
                }
            } else {
                own.copy_from_slice(sums);
            }
        }
        *sounds = true;
    }

    /// The block read, with what larger levels have summed; `None` when there is nothing.
    pub(crate) fn summed(&self) -> Option<&[T]> {
        let half = self.out.len() / 2;
        let at = if self.second { half } else { 0 };
        self.sounds[usize::from(self.second)].then(|| &self.out[at..at + half])
    }

    /// Back to nothing.
    pub(crate) fn clear(&mut self) {
        self.spectra.fill(T::default());
        self.sounds = [false; 2];
        self.second = false;
        self.reach = 0;
        self.next = usize::MAX;
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        (self.spectra.len() + self.sums.len() + self.out.len()) * T::ELEM.bytes()
    }
}
