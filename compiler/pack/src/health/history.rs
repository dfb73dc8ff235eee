//! The incident waves of the last `nh` steps, laid out so that one port's time is contiguous.
//!
//! Each port has a line that is longer than needed; only when it is full are its last `nh` steps moved to
//! the front. The current block is also held step by step, for the triangle inside it.

/// Steps that share one pass over the taps.
pub(super) const BLOCK: usize = 16;

/// Steps between two moves of the history to the front of its buffer.
const ROOM: usize = 4096;

/// The history of all ports: one line of time for each, zero from the current block on.
pub(super) struct History {
    n: usize,
    nh: usize,
    length: usize,
    place: usize,
    lines: Vec<f64>,
    /// The current block, `[step][port]`.
    pub(super) block: Vec<f64>,
}

impl History {
    /// All zero.
    pub(super) fn new(n: usize, nh: usize) -> History {
        let length = nh + ROOM + BLOCK;
        History {
            n,
            nh,
            length,
            place: nh,
            lines: vec![0.0; n * length],
            block: vec![0.0; n * BLOCK],
        }
    }

    /// Moves the last `nh` steps to the front when the next block would not fit.
    pub(super) fn make_room(&mut self) {
        if self.place + BLOCK <= self.length {
            return;
        }
        for line in self.lines.chunks_exact_mut(self.length) {
            line.copy_within(self.place - self.nh..self.place, 0);
            line[self.nh..].fill(0.0);
        }
        self.place = self.nh;
    }

    /// Port `p` from `nh` steps before the block to its end.
    pub(super) fn window(&self, p: usize) -> &[f64] {
        let start = p * self.length + self.place;
        &self.lines[start - self.nh..start + BLOCK]
    }

    /// Copies step `j` of the block into the lines.
    pub(super) fn store(&mut self, j: usize) {
        for p in 0..self.n {
            self.lines[p * self.length + self.place + j] = self.block[j * self.n + p];
        }
    }

    /// Closes the block.
    pub(super) fn advance(&mut self) {
        self.place += BLOCK;
    }
}
