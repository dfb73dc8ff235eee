//! What can be measured: anything that gives the history response of one step after the other.

use crate::PeerRefusal;

/// What a row says about a peer besides its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Route, or the peer's name.
    pub route: String,
    /// Whether it is somebody else's.
    pub peer: bool,
    /// Code generator, or the library.
    pub backend: String,
    /// Version of the library, with the processor its kernels were chosen for.
    pub version: Option<String>,
    /// Threads it may use.
    pub threads: u32,
    /// Plan of a route that looks ahead, or the block sizes that were best.
    pub plan: Option<String>,
    /// What a reader of the row has to know.
    pub note: Option<String>,
}

/// A history of one pack, stepped by a host.
///
/// Step `t` first gives the history response of the inputs before `t`, then takes the input of `t`,
/// as a host does whose `x[t]` depends on the response.
pub trait Peer {
    /// What the row says about it.
    fn label(&self) -> &Label;

    /// Steps after which its work repeats: the largest block.
    fn period(&self) -> usize {
        1
    }

    /// Steps by which its outputs are late; 0 for whatever can stand in a loop.
    fn delay(&self) -> usize {
        0
    }

    /// Bytes of taps, code, history and workspace.
    fn bytes(&self) -> usize;

    /// Nanoseconds from the pack to the first step, without the search for the best form.
    fn setup_ns(&self) -> u64;

    /// Called before a run of steps: takes what the whole process shares.
    fn enter(&mut self) -> Result<(), PeerRefusal> {
        Ok(())
    }

    /// Called after a run of steps: gives it back.
    fn leave(&mut self) {}

    /// Back to an empty history.
    fn reset(&mut self) -> Result<(), PeerRefusal>;

    /// One step: `hr` becomes the history response, then `x` is taken.
    fn step(&mut self, x: &[f64], hr: &mut [f64]) -> Result<(), PeerRefusal>;
}
