//! A model's state, set aside.

use std::any::Any;
use std::sync::Arc;

use crate::clock::Clock;
use crate::prepared::Prepared;
use crate::stepper::SavedHistory;

/// The state of a model after a commit: made by [`Model::save`](crate::Model::save), taken up by
/// [`Model::restore`](crate::Model::restore) of any model of the same pack, whatever its route.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) prepared: Prepared,
    pub(crate) history: SavedHistory,
    pub(crate) exact: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) clock: Clock,
    pub(crate) committed: u64,
}

impl Snapshot {
    /// Steps committed when it was made.
    pub fn committed_steps(&self) -> u64 {
        self.committed
    }
}
