//! How much time a measurement may take.

use std::time::Duration;

/// Rounds, and the time that all peers of a workload share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Rounds; each steps every peer.
    pub rounds: u32,
    /// Time for the steps of all peers. Setting up comes on top, and so does what slow peers need for
    /// a whole period or the few steps that every figure needs.
    pub time: Duration,
}

impl Budget {
    /// Nanoseconds for one of `peers`.
    pub(crate) fn slice_ns(self, peers: usize) -> f64 {
        self.time.as_nanos() as f64 / peers.max(1) as f64
    }
}
