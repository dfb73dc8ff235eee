//! Preference for a vector width: advice to a code generator, without any power to permit.

use crate::error::IsaError;
use std::fmt;
use std::str::FromStr;

/// The widest registers to use among those that the level has.
///
/// On machines where 512-bit vectors gain nothing over 256, the narrower ones cost less power and
/// less code. A preference never makes an instruction legal; that is what [`crate::Proof`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preference {
    /// The widest that the level has.
    #[default]
    Widest,
    /// At most 128 bits.
    Bits128,
    /// At most 256 bits.
    Bits256,
    /// At most 512 bits.
    Bits512,
}

impl Preference {
    const ALL: [Preference; 4] = [
        Preference::Widest,
        Preference::Bits128,
        Preference::Bits256,
        Preference::Bits512,
    ];

    /// The name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Preference::Widest => "widest",
            Preference::Bits128 => "128",
            Preference::Bits256 => "256",
            Preference::Bits512 => "512",
        }
    }

    /// All names, separated by commas.
    pub(crate) fn names() -> String {
        Preference::ALL.map(Preference::name).join(", ")
    }
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preference {
    type Err = IsaError;

    fn from_str(text: &str) -> Result<Self, IsaError> {
        Preference::ALL
            .into_iter()
            .find(|preference| preference.name() == text)
            .ok_or_else(|| IsaError::UnknownPreference(text.into()))
    }
}
