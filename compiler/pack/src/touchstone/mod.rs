//! Touchstone files, versions 1.0, 1.1, 2.0 and 2.1.
//!
//! Problem: network data come in a format of 1984 that every program writes in its own way, and
//! a reader that guesses swaps S21 and S12 or takes noise for data without a word.
//! Idea: read bytes in one pass, strictly where a mistake would change numbers, tolerantly where
//! it cannot, and say everything that was done in [`Touchstone::notes`].
//!
//! ```text
//! bytes -> lines, words -> option line, keywords -> records -> matrices -> sorted points -> S
//!          text            option_line, keyword     record     matrix      points           convert
//!                                  v1, v2
//! ```
//!
//! Invariants: no input makes the reader panic; memory stays within a fixed multiple of the
//! input's size, whatever counts it declares; numbers are never read from comments; an error has
//! its line and column, counted from 1. Cost: about one number parse per number, plus one copy.

mod convert;
mod fault;
mod heading;
mod keyword;
mod matrix;
mod mixed_mode;
mod noise;
mod number;
mod option_line;
mod points;
mod port_count;
mod record;
mod suspicion;
mod text;
mod v1;
mod v2;
mod writer;

pub use convert::scattering;
pub use fault::TouchstoneFault;
pub use mixed_mode::Mode;
pub use noise::NoisePoint;
pub use writer::write_s;

use crate::PackError;
use num_complex::Complex;
use std::fmt;

/// Most ports that are read.
pub const MAX_PORTS: usize = 1024;
/// Most frequency records that are read.
pub const MAX_POINTS: usize = 1 << 20;
/// Most bytes that are read (1 GiB).
pub const MAX_BYTES: usize = 1 << 30;

/// Kind of matrix in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// Scattering.
    S,
    /// Admittance.
    Y,
    /// Impedance.
    Z,
    /// Inverse hybrid (V1, I2 to I1, V2), 2-ports only.
    G,
    /// Hybrid (I1, V2 to V1, I2), 2-ports only.
    H,
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// What a pair of numbers means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Real and imaginary part.
    Ri,
    /// Magnitude and angle in degrees.
    Ma,
    /// Magnitude as 20 log10 and angle in degrees.
    Db,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Ri => "RI",
            Format::Ma => "MA",
            Format::Db => "DB",
        })
    }
}

/// Which edition of the format a file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 1.0 and 1.1: no keywords.
    V1,
    /// 2.0 and 2.1: keywords.
    V2,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Touchstone {
    /// Number of ports.
    pub ports: usize,
    /// Kind of matrix, as written.
    pub parameter: Parameter,
    /// Format of the pairs, as written.
    pub format: Format,
    /// Edition of the format.
    pub version: Version,
    /// Hertz, rising, none twice.
    pub frequencies: Vec<f64>,
    /// `[point][row][column]`; Y, Z, G and H in ohm and siemens whatever the version.
    pub data: Vec<Complex<f64>>,
    /// Reference of each port in ohm.
    pub reference: Vec<Complex<f64>>,
    /// Noise parameters in file order; 2-ports only.
    pub noise: Vec<NoisePoint>,
    /// What each row and column stands for, if the file says so; otherwise the ports in order.
    pub mixed_mode: Option<Vec<Mode>>,
    /// Everything that was done or looks doubtful, in sentences.
    pub notes: Vec<String>,
    /// Line of each record, for errors found later.
    lines: Vec<usize>,
}

/// Reads the bytes of a Touchstone file.
///
/// `name_hint` is the file's name. Version 1 takes the number of ports from its ending (`.s2p`,
/// any case); without one it is inferred from the first record. Version 2 states it itself.
///
/// # Errors
/// [`PackError::Touchstone`] with line, column and a [`TouchstoneFault`].
pub fn parse(bytes: &[u8], name_hint: &str) -> Result<Touchstone, PackError> {
    let text = text::text_of(bytes)?;
    let named = port_count::of_name(name_hint)?;
    let mut raw = if v2::is_version_two(text)? {
        v2::parse(text, named)?
    } else {
        v1::parse(text, named)?
    };
    let (parameter, ports) = (raw.options.parameter, raw.ports);
    if matches!(parameter, Parameter::G | Parameter::H) && ports != 2 {
        return Err(raw
            .options
            .parameter_place
            .fault(TouchstoneFault::HybridNeedsTwoPorts { parameter, ports }));
    }
    let mut notes = std::mem::take(&mut raw.notes);
    let points::Points {
        frequencies,
        lines,
        mut data,
    } = points::clean(&raw, &mut notes)?;
    suspicion::remark(&raw, &data, &mut notes);
    if raw.version == Version::V1 && parameter != Parameter::S {
        convert::denormalise(parameter, &mut data, &raw.reference);
        notes.push(format!(
            "{parameter} is normalised to the reference in version 1; converted to ohm and siemens"
        ));
    }
    if let Some(modes) = &raw.mixed_mode {
        notes.push(format!(
            "the rows are the modes {}; kept as they are",
            mixed_mode::shown(modes)
        ));
    }
    Ok(Touchstone {
        ports,
        parameter,
        format: raw.options.format,
        version: raw.version,
        frequencies,
        data,
        reference: raw.reference,
        noise: raw.noise,
        mixed_mode: raw.mixed_mode,
        notes,
        lines,
    })
}
