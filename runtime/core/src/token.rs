//! The names under which a caller asks for a backend and a route.
//!
//! Letters are case-blind, white space is ignored, `-` and `.` count as `_`.

use std::fmt;
use std::str::FromStr;

use crate::RuntimeError;

/// A product backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BackendToken {
    /// The runtime decides; without evidence it takes the conservative CPU route.
    #[default]
    Auto,
    /// The CPU backend that reads packed taps.
    CpuPackGemv,
}

/// A route of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteToken {
    /// Direct evaluation over the mirrored ring, any shape.
    Generic,
}

impl fmt::Display for BackendToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BackendToken::Auto => "auto",
            BackendToken::CpuPackGemv => "cpu_pack_gemv",
        })
    }
}

impl fmt::Display for RouteToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RouteToken::Generic => "generic",
        })
    }
}

impl FromStr for BackendToken {
    type Err = RuntimeError;

    fn from_str(text: &str) -> Result<Self, RuntimeError> {
        match canonical(text).as_str() {
            "auto" => Ok(BackendToken::Auto),
            "cpu_pack_gemv" | "cpu" | "cpu_gemv" | "pack_gemv" | "cpu_pack" => {
                Ok(BackendToken::CpuPackGemv)
            }
            _ => Err(RuntimeError::UnknownToken {
                what: "backend",
                text: text.into(),
            }),
        }
    }
}

impl FromStr for RouteToken {
    type Err = RuntimeError;

    fn from_str(text: &str) -> Result<Self, RuntimeError> {
        match canonical(text).as_str() {
            "generic" => Ok(RouteToken::Generic),
            _ => Err(RuntimeError::UnknownToken {
                what: "route",
                text: text.into(),
            }),
        }
    }
}

fn canonical(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            if matches!(c, '-' | '.') {
                '_'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect()
}
