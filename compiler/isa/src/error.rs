//! What can be wrong with a name given by a user.

/// An unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IsaError {
    /// No level is called so.
    #[error("{0:?} is no instruction-set level; use one of {names}", names = crate::Level::names())]
    UnknownLevel(String),
    /// No preference is called so.
    #[error("{0:?} is no vector width preference; use one of {names}", names = crate::Preference::names())]
    UnknownPreference(String),
}

impl IsaError {
    /// The stable number.
    pub fn code(&self) -> u32 {
        match self {
            IsaError::UnknownLevel(_) => 5901,
            IsaError::UnknownPreference(_) => 5902,
        }
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            IsaError::UnknownLevel(_) => "unknown_level",
            IsaError::UnknownPreference(_) => "unknown_preference",
        }
    }
}
