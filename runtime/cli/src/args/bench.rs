//! Arguments of `bench`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use tdse_benches::Signal;
use tdse_benches::peers::Rival;
use tdse_compiler::Tier;
use tdse_kir::Elem;
use tdse_runtime::RouteToken;

use super::{Aim, PlanArg};

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The pack
    #[arg(value_name = "PACK", required_unless_present = "shape")]
    pub(crate) pack: Option<PathBuf>,
    /// Inputs, outputs and taps of a synthetic pack instead
    #[arg(long, value_name = "NP,NQ,NH", conflicts_with = "pack")]
    pub(crate) shape: Option<BenchShape>,
    /// Taps of the synthetic pack
    #[arg(long, value_enum, default_value_t = TapKind::White)]
    pub(crate) taps: TapKind,
    /// Input of every row: white noise, or one that decays below the normal numbers
    #[arg(long, value_enum, default_value_t = InputKind::White)]
    pub(crate) input: InputKind,
    /// Element types
    #[arg(
        long,
        value_name = "TYPES",
        value_enum,
        value_delimiter = ',',
        default_value = "f64"
    )]
    pub(crate) dtype: Vec<BenchDtype>,
    /// Routes: generic, temporal_block, uniform_fft, nonuniform_fft, relaxed_fft, blas, lookahead
    /// (whichever the planner takes); all but the last by default
    #[arg(long, value_name = "ROUTES", value_delimiter = ',')]
    pub(crate) routes: Option<Vec<RouteToken>>,
    /// Peers: blas_gemv, blas_gemm, fft_convolver, zita, or none; all of them by default
    #[arg(long, value_name = "PEERS", value_delimiter = ',')]
    pub(crate) peers: Option<Vec<PeerName>>,
    /// Thread counts of peers that have a choice
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Vec<u32>,
    /// Rounds; every round steps every row, every other one in the opposite order
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rounds: u32,
    /// Seconds for the steps of all rows of one element type; setting up comes on top
    #[arg(long, value_name = "S", default_value = "10")]
    pub(crate) seconds: Seconds,
    /// Plan of every lookahead route: estimate, measure, cached, or a plan, which counts for its own
    /// route while the others are estimated
    #[arg(long, value_name = "PLAN", default_value = "estimate")]
    pub(crate) plan: PlanArg,
    /// Seconds that measuring plans may take, for each route
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    pub(crate) plan_seconds: f64,
    /// What plans are chosen for
    #[arg(long, value_enum, default_value_t = Aim::Throughput)]
    pub(crate) objective: Aim,
    /// Code generators; by default all for route generic and the first that can run for the others
    #[arg(long, value_name = "TIERS", value_delimiter = ',')]
    pub(crate) tier: Option<Vec<Tier>>,
    /// BLAS libraries besides the system's OpenBLAS and the one that TDSE_BLAS_PATH names
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub(crate) blas: Vec<PathBuf>,
}

/// `np,nq,nh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BenchShape {
    pub(crate) np: usize,
    pub(crate) nq: usize,
    pub(crate) nh: usize,
}

impl FromStr for BenchShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sizes: Option<Vec<usize>> = text
            .split([',', 'x'])
            .map(|size| size.trim().parse().ok().filter(|&size| size > 0))
            .collect();
        match sizes.as_deref() {
            Some(&[np, nq, nh]) => Ok(BenchShape { np, nq, nh }),
            _ => Err("write three numbers from 1, as in 4,4,1024".to_owned()),
        }
    }
}

/// A positive number of seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seconds(pub(crate) f64);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse().ok();
        seconds
            .filter(|s| (1e-3..=86_400.0).contains(s))
            .map(Seconds)
            .ok_or_else(|| "write seconds from 0.001 to 86400".to_owned())
    }
}

/// A peer, or none at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerName {
    None,
    Some(Rival),
}

impl FromStr for PeerName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(PeerName::None),
            name => name.parse().map(PeerName::Some),
        }
    }
}

/// Taps of a synthetic pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TapKind {
    /// Uniform on [-1, 1)
    White,
    /// The same, decaying by 120 dB
    Decay,
}

/// Input of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputKind {
    /// Uniform on [-1, 1)
    White,
    /// The same, decaying to 1e-310 (1e-40 in f32)
    Decay,
}

impl From<InputKind> for Signal {
    fn from(kind: InputKind) -> Signal {
        match kind {
            InputKind::White => Signal::White,
            InputKind::Decay => Signal::Decay,
        }
    }
}

/// Element type of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchDtype {
    /// IEEE 754 binary64
    F64,
    /// IEEE 754 binary32
    F32,
}

impl From<BenchDtype> for Elem {
    fn from(dtype: BenchDtype) -> Elem {
        match dtype {
            BenchDtype::F64 => Elem::F64,
            BenchDtype::F32 => Elem::F32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_parse() {
        let shape = |text: &str| text.parse::<BenchShape>();
        let (np, nq, nh) = (2, 3, 40);
        assert_eq!(shape("2,3,40"), Ok(BenchShape { np, nq, nh }));
        assert_eq!(shape("2x3x40"), Ok(BenchShape { np, nq, nh }));
        for bad in ["", "2,3", "2,3,0", "2,3,4,5", "a,b,c", "-1,2,3"] {
            assert!(shape(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_positive_and_finite() {
        assert_eq!("0.5".parse(), Ok(Seconds(0.5)));
        for bad in ["0", "-1", "nan", "inf", "x", "1e9"] {
            assert!(bad.parse::<Seconds>().is_err(), "{bad}");
        }
    }
}
