//! Refusals of this module, with their stable numbers.

/// Why the data were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildFault {
    /// Nothing to read.
    #[error(
        "the file holds no network data; a Touchstone file needs at least one frequency record"
    )]
    NoData,
}

impl BuildFault {
    /// The stable number.
    pub fn code(&self) -> u32 {
        match self {
            BuildFault::NoData => 3001,
        }
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            BuildFault::NoData => "no_data",
        }
    }
}
