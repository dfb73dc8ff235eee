//! Arguments of `pack build`: every choice of the importers and of S-parameters to taps.

use std::path::PathBuf;

use clap::Args;
use tdse_pack::sparams::{BuildOptions, DcRule, Interpolation, TargetParameter, Transform, Window};

/// Arguments of `pack build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Touchstone (.sNp, .ts), .npy, .npz, .wav or admittance text
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The pack to write
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Time step in seconds; needed for .npy, and for .npz without dt or fs
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Number of taps; by default as many as --energy asks for
    #[arg(long, value_name = "N")]
    pub(crate) nh: Option<usize>,
    /// Weight on the spectrum: boxcar, hamming, hann, kaiser:BETA
    #[arg(long, value_name = "NAME", default_value = "boxcar")]
    pub(crate) window: Window,
    /// Value at 0 Hz: linear, real, identity, thru, a number, matrix:0,1;1,0
    #[arg(
        long,
        value_name = "RULE",
        default_value = "linear",
        allow_hyphen_values = true
    )]
    pub(crate) dc: DcRule,
    /// Between the given frequencies: cubic or linear
    #[arg(
        long,
        visible_alias = "interp",
        value_name = "NAME",
        default_value = "cubic"
    )]
    pub(crate) interpolation: Interpolation,
    /// Grid step in Hz; by default the file's own
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub(crate) df: Option<f64>,
    /// End of the grid in Hz; by default the highest frequency
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub(crate) fmax: Option<f64>,
    /// Share of the energy that may be lost by keeping fewer taps
    #[arg(
        long,
        value_name = "SHARE",
        allow_negative_numbers = true,
        default_value_t = 1e-12
    )]
    pub(crate) energy: f64,
    /// Which parameters become taps: s, y or z
    #[arg(long, value_name = "NAME", default_value = "s")]
    pub(crate) param: TargetParameter,
    /// Length of the inverse transform: odd or even
    #[arg(long, value_name = "NAME", default_value = "odd")]
    pub(crate) transform: Transform,
    /// Fade out the last PERCENT of the taps
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub(crate) taper: Option<f64>,
    /// Build although the lowest frequency is more than half of the highest
    #[arg(long)]
    pub(crate) allow_extrapolated: bool,
    /// Largest number of grid steps for an uneven sweep
    #[arg(long, value_name = "N", default_value_t = BuildOptions::default().cap_points)]
    pub(crate) cap_points: usize,
    /// Inputs of a .wav: channel c is output c mod (channels / inputs) of input c / (channels / inputs)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) inputs: usize,
    /// Reference of an admittance table in ohm; 50 unless given
    #[arg(long, value_name = "OHM", allow_negative_numbers = true)]
    pub(crate) reference: Option<f64>,
}

impl BuildArgs {
    /// The builder's options.
    pub(crate) fn build_options(&self) -> BuildOptions {
        BuildOptions {
            window: self.window,
            dc: self.dc.clone(),
            interpolation: self.interpolation,
            df: self.df,
            fmax: self.fmax,
            nh: self.nh,
            energy: self.energy,
            target: self.param,
            transform: self.transform,
            taper: self.taper,
            allow_extrapolated: self.allow_extrapolated,
            cap_points: self.cap_points,
        }
    }
}
