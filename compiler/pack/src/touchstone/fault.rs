//! Refusals of this module, with their stable numbers.

/// Why the data were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TouchstoneFault {
    /// Nothing to read.
    #[error(
        "the file holds no network data; a Touchstone file needs at least one frequency record"
    )]
    NoData,
}

impl TouchstoneFault {
    /// The stable number.
    pub fn code(&self) -> u32 {
        match self {
            TouchstoneFault::NoData => 2001,
        }
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            TouchstoneFault::NoData => "no_data",
        }
    }
}
