//! Which registers are free while a kernel is lowered.

use crate::program::{REGISTERS, Reg};

/// The register file during lowering.
pub(crate) struct Registers {
    taken: [bool; REGISTERS],
    /// One more than the highest register ever taken.
    pub(crate) used: usize,
}

impl Registers {
    pub(crate) fn new() -> Self {
        Registers {
            taken: [false; REGISTERS],
            used: 0,
        }
    }

    /// Takes the first run of `count` free registers, or says that there is none.
    pub(crate) fn take(&mut self, count: usize) -> Option<Reg> {
        let mut free = 0;
        for r in 0..REGISTERS {
            free = if self.taken[r] { 0 } else { free + 1 };
            if free == count {
                let first = r + 1 - count;
                self.taken[first..=r].fill(true);
                self.used = self.used.max(r + 1);
                return Some(first as Reg);
            }
        }
        None
    }

    /// Gives back `count` registers from `first` on.
    pub(crate) fn free(&mut self, first: Reg, count: usize) {
        let first = usize::from(first);
        self.taken[first..first + count].fill(false);
    }
}
