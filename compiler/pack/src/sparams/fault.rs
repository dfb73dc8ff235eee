//! Refusals of building and checking, with their stable numbers.

use crate::frequency_text::hertz;

/// Why no impulse response can be built, or a health check cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildFault {
    /// Nothing to build from.
    #[error("the network data hold no frequency point; at least one above 0 Hz is needed")]
    NoData,
    /// Only 0 Hz is known, so there is no frequency step and no sampling interval.
    #[error(
        "the only frequency point is at 0 Hz, so there is no frequency step and no sampling interval follows; \
         add points above 0 Hz"
    )]
    NoStep,
    /// A frequency or an S-parameter is NaN or infinite.
    #[error(
        "point {point} (counted from 1) holds a value that is not finite; repair or remove that record"
    )]
    NotFinite {
        /// Record in the order of the data, counted from 1.
        point: usize,
    },
    /// A frequency is below zero.
    #[error(
        "point {point} (counted from 1) has the negative frequency {hz} Hz; frequencies start at 0"
    )]
    NegativeFrequency {
        /// Record in the order of the data, counted from 1.
        point: usize,
        /// What it says.
        hz: f64,
    },
    /// The arrays of `SParameters` do not belong together.
    #[error("the network data are inconsistent: {what} has {found} values where {expected} belong")]
    DataShape {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits ports and points.
        expected: usize,
    },
    /// Most of the band down to 0 Hz would be guessed.
    #[error(
        "the data start at {} and end at {}: f_lo/f_hi = {ratio:.3} is above 0.5, and {missing} grid points \
         from 0 Hz to {} (step {}) are missing and would be guessed; measure from lower frequencies, or accept \
         the guess with --allow-extrapolated",
        hertz(*f_lo), hertz(*f_hi), hertz(*last_missing), hertz(*df)
    )]
    Extrapolated {
        /// Lowest frequency of the data.
        f_lo: f64,
        /// Highest frequency of the data.
        f_hi: f64,
        /// Their ratio.
        ratio: f64,
        /// Missing grid points, 0 Hz among them.
        missing: usize,
        /// The highest missing frequency.
        last_missing: f64,
        /// Step of the grid.
        df: f64,
    },
    /// The frequency grid would be too large.
    #[error(
        "the grid up to {} in steps of {} has {points} points of {entries} entries each; at most {limit} values \
         are built; give a larger step with --df or a lower end with --fmax",
        hertz(*f_max), hertz(*df)
    )]
    TooManyPoints {
        /// End of the grid.
        f_max: f64,
        /// Step of the grid.
        df: f64,
        /// Points of the grid (rounded, may exceed any integer type).
        points: f64,
        /// Matrix entries at each point.
        entries: usize,
        /// Largest number of values that are built.
        limit: usize,
    },
    /// The grid has no point besides 0 Hz.
    #[error(
        "a step of {} up to {} leaves no grid point above 0 Hz; give a smaller --df or a larger --fmax",
        hertz(*df), hertz(*f_max)
    )]
    GridTooShort {
        /// Step of the grid.
        df: f64,
        /// End of the grid.
        f_max: f64,
    },
    /// An option has a value that cannot be used.
    #[error("{option} cannot be \"{found}\"; {expected}")]
    Option {
        /// The option, as on the command line.
        option: &'static str,
        /// What was given.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// The matrix given for 0 Hz does not fit the ports.
    #[error(
        "the matrix given for 0 Hz has {found} values, but {ports} ports need {expected}; give every row"
    )]
    DcMatrix {
        /// Values given.
        found: usize,
        /// Ports of the data.
        ports: usize,
        /// `ports * ports`.
        expected: usize,
    },
    /// `thru` joins ports in pairs, so it needs an even number of them.
    #[error(
        "--dc thru joins ports in pairs, but there are {ports}; give the matrix with --dc matrix:row;row"
    )]
    DcThru {
        /// Ports of the data.
        ports: usize,
    },
    /// A parameter conversion meets a singular matrix.
    #[error(
        "{from} parameters have no {to} form at {}: the matrix is singular there; keep --param s",
        hertz(*hz)
    )]
    Singular {
        /// Frequency of the singular matrix.
        hz: f64,
        /// Parameters given.
        from: char,
        /// Parameters wanted.
        to: char,
    },
    /// A reference impedance has no positive real part.
    #[error(
        "port {port} (counted from 1) has the reference {re} + {im}j ohm; its real part must be above 0"
    )]
    Reference {
        /// Port, counted from 1.
        port: usize,
        /// Real part in ohm.
        re: f64,
        /// Imaginary part in ohm.
        im: f64,
    },
    /// A built tap is NaN or infinite.
    #[error(
        "the response overflows: tap {tap} is not finite; the data hold values too large to transform"
    )]
    Overflow {
        /// Time step of the tap.
        tap: usize,
    },
    /// A health check was asked for that cannot be made.
    #[error("health option {option} cannot be {found}; {expected}")]
    HealthOption {
        /// The option.
        option: &'static str,
        /// What was given.
        found: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// An admittance table breaks its form.
    #[error("admittance table{}: {problem}", place(*index))]
    Admittance {
        /// Number in the text, counted from 1; 0 for the text as a whole.
        index: usize,
        /// What is wrong and what belongs there.
        problem: String,
    },
    /// A gzip stream is damaged or too large.
    #[error("the gzip data cannot be used: {problem}")]
    Gzip {
        /// What is wrong.
        problem: String,
    },
}

fn place(index: usize) -> String {
    match index {
        0 => String::new(),
        _ => format!(", number {index} (counted from 1)"),
    }
}

codes!(BuildFault {
    NoData => 3001 "no_data",
    NoStep => 3002 "no_step",
    NotFinite => 3003 "not_finite",
    NegativeFrequency => 3004 "negative_frequency",
    DataShape => 3005 "data_shape",
    Extrapolated => 3006 "extrapolated",
    TooManyPoints => 3007 "too_many_points",
    GridTooShort => 3008 "grid_too_short",
    Option => 3009 "bad_option",
    DcMatrix => 3010 "dc_matrix",
    DcThru => 3011 "dc_thru",
    Singular => 3012 "singular",
    Reference => 3013 "bad_reference",
    Overflow => 3014 "overflow",
    HealthOption => 3015 "health_option",
    Admittance => 3016 "admittance_form",
    Gzip => 3017 "gzip",
});
