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
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] =
        &[(6501, "unknown_level"), (6502, "unknown_preference")];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.entry().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u32, &'static str) {
        Self::ALL[match self {
            IsaError::UnknownLevel(_) => 0,
            IsaError::UnknownPreference(_) => 1,
        }]
    }
}
