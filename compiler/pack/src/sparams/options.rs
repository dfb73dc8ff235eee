//! Every choice of the builder, each with a text form that the command line and JSON share.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::BuildFault;
use super::dc::DcRule;

/// Weight on the spectrum: 1 at 0 Hz, falling towards the highest frequency.
///
/// Text: `boxcar`, `hamming`, `hann`, `kaiser:6` (beta from 0 to 700).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Window {
    /// No weight: keeps S on the grid exactly, rings in time.
    Boxcar,
    /// 0.54 + 0.46 cos.
    Hamming,
    /// 0.5 + 0.5 cos.
    Hann,
    /// Kaiser with its shape parameter.
    Kaiser {
        /// Shape: 0 is boxcar, 6 is close to Hann.
        beta: f64,
    },
}

impl FromStr for Window {
    type Err = BuildFault;
    fn from_str(text: &str) -> Result<Window, BuildFault> {
        let refuse = || BuildFault::Option {
            option: "--window",
            found: text.into(),
            expected: "use boxcar, hamming, hann or kaiser:BETA with BETA from 0 to 700",
        };
        match text {
            "boxcar" | "none" => Ok(Window::Boxcar),
            "hamming" => Ok(Window::Hamming),
            "hann" => Ok(Window::Hann),
            _ => {
                let beta: f64 = text
                    .strip_prefix("kaiser:")
                    .and_then(|b| b.parse().ok())
                    .ok_or_else(refuse)?;
                if !(0.0..=700.0).contains(&beta) {
                    return Err(refuse());
                }
                Ok(Window::Kaiser { beta })
            }
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Boxcar => f.write_str("boxcar"),
            Window::Hamming => f.write_str("hamming"),
            Window::Hann => f.write_str("hann"),
            Window::Kaiser { beta } => write!(f, "kaiser:{beta}"),
        }
    }
}

/// How values between the given frequencies are found (on the delay-compensated real and imaginary parts).
///
/// Text: `cubic`, `linear`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Cubic spline with not-a-knot ends; linear when fewer than four points are known.
    Cubic,
    /// Straight lines.
    Linear,
}

/// Which parameters become taps.
///
/// Text: `s`, `y`, `z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetParameter {
    /// Incident waves to reflected waves.
    S,
    /// Voltages to currents.
    Y,
    /// Currents to voltages.
    Z,
}

/// Length of the inverse transform on `m` grid points.
///
/// Text: `odd`, `even`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// `2m - 1` samples; no bin at half the sampling rate.
    Odd,
    /// `2(m - 1)` samples; the last grid point is the Nyquist bin and keeps its real part only.
    Even,
}

macro_rules! text_form {
    ($type:ident, $option:literal, $expected:literal, $($variant:ident = $text:literal),+) => {
        impl FromStr for $type {
            type Err = BuildFault;
            fn from_str(text: &str) -> Result<$type, BuildFault> {
                match text {
                    $($text => Ok($type::$variant),)+
                    _ => Err(BuildFault::Option { option: $option, found: text.into(), expected: $expected }),
                }
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($type::$variant => $text,)+ })
            }
        }
    };
}
text_form!(
    Interpolation,
    "--interpolation",
    "use cubic or linear",
    Cubic = "cubic",
    Linear = "linear"
);
text_form!(
    TargetParameter,
    "--param",
    "use s, y or z",
    S = "s",
    Y = "y",
    Z = "z"
);
text_form!(
    Transform,
    "--transform",
    "use odd or even",
    Odd = "odd",
    Even = "even"
);

macro_rules! string_form {
    ($($type:ident),+) => {$(
        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.to_string()
            }
        }
        impl TryFrom<String> for $type {
            type Error = BuildFault;
            fn try_from(text: String) -> Result<$type, BuildFault> {
                text.parse()
            }
        }
    )+};
}
string_form!(Window, DcRule);

/// All choices of [`build`](super::build). The default reproduces scikit-rf's low-pass rule without a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuildOptions {
    /// Weight on the spectrum.
    pub window: Window,
    /// The value at 0 Hz.
    pub dc: DcRule,
    /// Values between the given frequencies.
    pub interpolation: Interpolation,
    /// Grid step in Hz; by default the file's own.
    pub df: Option<f64>,
    /// End of the grid in Hz; by default the highest frequency.
    pub fmax: Option<f64>,
    /// Number of taps, at most the grid's points; by default as many as `energy` asks for.
    pub nh: Option<usize>,
    /// Share of the energy that may be lost by keeping fewer taps.
    pub energy: f64,
    /// Which parameters become taps.
    pub target: TargetParameter,
    /// Odd or even length of the transform.
    pub transform: Transform,
    /// Fade out the last so many per cent of the taps (0 to 100) by half a cosine.
    pub taper: Option<f64>,
    /// Build even when `f_lo/f_hi` is above 0.5.
    pub allow_extrapolated: bool,
    /// Largest number of grid steps when the step is taken from an uneven sweep.
    pub cap_points: usize,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            window: Window::Boxcar,
            dc: DcRule::Linear,
            interpolation: Interpolation::Cubic,
            df: None,
            fmax: None,
            nh: None,
            energy: 1e-12,
            target: TargetParameter::S,
            transform: Transform::Odd,
            taper: None,
            allow_extrapolated: false,
            cap_points: 16_384,
        }
    }
}

impl BuildOptions {
    /// Refuses values outside their range.
    pub(super) fn check(&self) -> Result<(), BuildFault> {
        let positive = |option, value: Option<f64>| match value {
            Some(hz) if !(hz.is_finite() && hz > 0.0) => Err(BuildFault::Option {
                option,
                found: hz.to_string(),
                expected: "give a finite frequency above 0 Hz",
            }),
            _ => Ok(()),
        };
        positive("--df", self.df)?;
        positive("--fmax", self.fmax)?;
        if !(0.0..1.0).contains(&self.energy) {
            return Err(BuildFault::Option {
                option: "--energy",
                found: self.energy.to_string(),
                expected: "give the share that may be lost, from 0 to below 1",
            });
        }
        if self.nh == Some(0) {
            return Err(BuildFault::Option {
                option: "--nh",
                found: "0".into(),
                expected: "give at least one tap",
            });
        }
        if self.cap_points == 0 {
            return Err(BuildFault::Option {
                option: "--cap-points",
                found: "0".into(),
                expected: "give at least one grid step",
            });
        }
        if let Some(percent) = self.taper
            && !(0.0..=100.0).contains(&percent)
        {
            return Err(BuildFault::Option {
                option: "--taper",
                found: percent.to_string(),
                expected: "give per cent from 0 to 100",
            });
        }
        if let Window::Kaiser { beta } = self.window
            && !(0.0..=700.0).contains(&beta)
        {
            return Err(BuildFault::Option {
                option: "--window",
                found: self.window.to_string(),
                expected: "use a beta from 0 to 700",
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn text_and_json_forms_of_the_options_round_trip() {
        let options = BuildOptions {
            window: "kaiser:6.5".parse().unwrap(),
            dc: "matrix:0,1;1,0".parse().unwrap(),
            interpolation: "linear".parse().unwrap(),
            target: "y".parse().unwrap(),
            transform: "even".parse().unwrap(),
            ..BuildOptions::default()
        };
        let json = serde_json::to_value(&options).unwrap();
        assert_eq!(json["window"], "kaiser:6.5");
        assert_eq!(json["dc"], "matrix:0,1;1,0");
        assert_eq!(json["target"], "y");
        assert_eq!(
            serde_json::from_value::<BuildOptions>(json).unwrap(),
            options
        );
        assert_eq!(
            serde_json::from_str::<BuildOptions>("{}").unwrap(),
            BuildOptions::default()
        );
        assert!(serde_json::from_str::<BuildOptions>(r#"{"windo":"hann"}"#).is_err());
        for (bad, option) in [
            ("kaiser", "--window"),
            ("kaiser:-1", "--window"),
            ("Hann", "--window"),
        ] {
            let text = bad.parse::<Window>().unwrap_err().to_string();
            assert!(text.starts_with(option) && text.contains(bad), "{text}");
        }
        assert!("Odd".parse::<Transform>().is_err() && "t".parse::<TargetParameter>().is_err());
    }
}
