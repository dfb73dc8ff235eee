//! The names under which a caller asks for a backend and a route.
//!
//! Letters are case-blind, white space is ignored, `-` and `.` count as `_`.

use std::fmt;
use std::str::FromStr;

use tdse_lookahead::LookaheadRoute;

use crate::RuntimeError;

/// A product backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BackendToken {
    /// The runtime decides; without evidence it takes the conservative CPU route.
    #[default]
    Auto,
    /// The CPU backend that reads packed taps.
    CpuPackGemv,
    /// A vendor's BLAS, found at run time.
    CpuBlas,
}

/// A route of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteToken {
    /// Direct evaluation over the mirrored ring, any shape.
    Generic,
    /// Whichever of the routes that look ahead the planner takes.
    Lookahead,
    /// Several steps at once in the time domain.
    TemporalBlock,
    /// Partitions of one size, by transforms.
    UniformFft,
    /// Partitions that grow with the lag, flat in time.
    NonuniformFft,
    /// Tiles of relaxed multiplication: the least work, in bursts.
    RelaxedFft,
    /// One matrix-vector product of a vendor's library.
    Blas,
}

impl RouteToken {
    /// Every route, the conservative one first.
    pub const ALL: [RouteToken; 7] = [
        RouteToken::Generic,
        RouteToken::Lookahead,
        RouteToken::TemporalBlock,
        RouteToken::UniformFft,
        RouteToken::NonuniformFft,
        RouteToken::RelaxedFft,
        RouteToken::Blas,
    ];

    /// The route among those that look ahead.
    pub fn lookahead(self) -> Option<LookaheadRoute> {
        match self {
            RouteToken::Generic | RouteToken::Lookahead | RouteToken::Blas => None,
            RouteToken::TemporalBlock => Some(LookaheadRoute::TemporalBlock),
            RouteToken::UniformFft => Some(LookaheadRoute::UniformFft),
            RouteToken::NonuniformFft => Some(LookaheadRoute::NonuniformFft),
            RouteToken::RelaxedFft => Some(LookaheadRoute::RelaxedFft),
        }
    }

    /// The backend that has the route.
    pub fn backend(self) -> BackendToken {
        match self {
            RouteToken::Blas => BackendToken::CpuBlas,
            _ => BackendToken::CpuPackGemv,
        }
    }
}

impl From<LookaheadRoute> for RouteToken {
    fn from(route: LookaheadRoute) -> Self {
        match route {
            LookaheadRoute::TemporalBlock => RouteToken::TemporalBlock,
            LookaheadRoute::UniformFft => RouteToken::UniformFft,
            LookaheadRoute::NonuniformFft => RouteToken::NonuniformFft,
            LookaheadRoute::RelaxedFft => RouteToken::RelaxedFft,
        }
    }
}

impl fmt::Display for BackendToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BackendToken::Auto => "auto",
            BackendToken::CpuPackGemv => "cpu_pack_gemv",
            BackendToken::CpuBlas => "cpu_blas",
        })
    }
}

impl fmt::Display for RouteToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RouteToken::Generic => "generic",
            RouteToken::Lookahead => "lookahead",
            RouteToken::TemporalBlock => "temporal_block",
            RouteToken::UniformFft => "uniform_fft",
            RouteToken::NonuniformFft => "nonuniform_fft",
            RouteToken::RelaxedFft => "relaxed_fft",
            RouteToken::Blas => "blas",
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
            "cpu_blas" | "blas" | "cblas" => Ok(BackendToken::CpuBlas),
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
        let name = canonical(text);
        RouteToken::ALL
            .into_iter()
            .find(|route| route.to_string() == name)
            .ok_or_else(|| RuntimeError::UnknownToken {
                what: "route",
                text: text.into(),
            })
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
