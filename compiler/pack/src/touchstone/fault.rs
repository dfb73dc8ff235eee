//! Refusals of this module, with their stable numbers.

use super::{MAX_BYTES, MAX_POINTS, MAX_PORTS, Parameter};

/// Why a Touchstone text was refused. Numbers and names never change once given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TouchstoneFault {
    /// Nothing to read.
    #[error(
        "the file holds no network data; a Touchstone file needs at least one frequency record"
    )]
    NoData,
    /// More bytes than the reader takes.
    #[error(
        "the file has {found} bytes and at most {MAX_BYTES} are read; thin out the frequencies"
    )]
    TooManyBytes {
        /// Bytes in the file.
        found: usize,
    },
    /// UTF-16 text.
    #[error("the file is UTF-16 text; save it as UTF-8, ASCII or Latin-1")]
    WrongEncoding,
    /// A word stands where a number must.
    #[error("'{token}' stands where a number is expected; comments start with '!'")]
    NotANumber {
        /// The word.
        token: String,
    },
    /// A number that is infinite, not a number, or becomes so in its unit.
    #[error("'{token}' is not a finite number in its unit; remove or repair this value")]
    NotFinite {
        /// The number as written.
        token: String,
    },
    /// A frequency below zero.
    #[error("the frequency '{token}' is negative; frequencies start at 0")]
    NegativeFrequency {
        /// The number as written.
        token: String,
    },
    /// The values of a row do not come in pairs.
    #[error(
        "the row has a frequency and {found} numbers, but numbers come in pairs and this record needs {expected}; \
         a number is missing"
    )]
    UnpairedValue {
        /// Numbers after the frequency.
        found: usize,
        /// Numbers a record needs.
        expected: usize,
    },
    /// A record ended too early.
    #[error(
        "the record that begins on line {began} has {found} of {expected} numbers; numbers are missing, \
         or the file has another number of ports"
    )]
    MissingValues {
        /// Line of the record's frequency.
        began: usize,
        /// Numbers found, in whole rows.
        found: usize,
        /// Numbers a record needs.
        expected: usize,
    },
    /// A record has more numbers than its matrix.
    #[error(
        "the record needs {expected} numbers after its frequency and more follow; is the number of ports right?"
    )]
    ExtraValues {
        /// Numbers a record needs.
        expected: usize,
    },
    /// Data before any option line.
    #[error("data begin before an option line; add one such as '# GHz S MA R 50' above them")]
    MissingOptionLine,
    /// A word in the option line that means nothing.
    #[error(
        "'{token}' means nothing in an option line; it takes a unit (Hz, kHz, MHz, GHz, THz), a parameter \
         (S, Y, Z, G, H), a format (RI, MA, DB) and R with the reference in ohm"
    )]
    UnknownOption {
        /// The word.
        token: String,
    },
    /// Two units, two formats and so on.
    #[error("'{token}' repeats a choice that this option line has made before; keep one of them")]
    RepeatedOption {
        /// The second word.
        token: String,
    },
    /// `R` without a number.
    #[error("R stands without a reference; write the resistance in ohm behind it, such as R 50")]
    MissingReference,
    /// A reference without a positive real part.
    #[error("the reference '{token}' is no impedance with a positive real part in ohm")]
    BadReference {
        /// The value as written.
        token: String,
    },
    /// Neither one reference nor one per port.
    #[error("{found} references are given for {ports} ports; give one for all or one per port")]
    ReferenceCount {
        /// References given.
        found: usize,
        /// Ports of the file.
        ports: usize,
    },
    /// Nothing tells the number of ports.
    #[error(
        "the number of ports is unknown: the file name has no .sNp ending and the first record has {found} numbers \
         after its frequency, which is not twice a square"
    )]
    UnknownPortCount {
        /// Numbers after the first frequency.
        found: usize,
    },
    /// Zero ports.
    #[error("0 ports are declared; a network has at least one")]
    ZeroPorts,
    /// More ports than the reader takes.
    #[error("{found} ports are declared and at most {MAX_PORTS} are read")]
    TooManyPorts {
        /// Ports as written.
        found: String,
    },
    /// More frequencies than the reader takes.
    #[error("the file has more than {MAX_POINTS} frequency records; thin them out")]
    TooManyPoints,
    /// G or H for something other than a 2-port.
    #[error("{parameter} parameters are defined for 2 ports, and the file has {ports}")]
    HybridNeedsTwoPorts {
        /// G or H.
        parameter: Parameter,
        /// Ports of the file.
        ports: usize,
    },
    /// A version that is unknown.
    #[error("version '{token}' is unknown; 1.0, 1.1, 2.0 and 2.1 are read")]
    UnsupportedVersion {
        /// The version as written.
        token: String,
    },
    /// A keyword of version 2 in a file without `[Version]` at its head.
    #[error(
        "the keyword [{keyword}] belongs to version 2; put [Version] 2.0 at the head of the file"
    )]
    KeywordWithoutVersion {
        /// The keyword.
        keyword: String,
    },
    /// A keyword that is not in the format.
    #[error("the keyword [{keyword}] is unknown; comments start with '!'")]
    UnknownKeyword {
        /// The keyword.
        keyword: String,
    },
    /// `[` without `]`.
    #[error("the keyword has no closing ']' on its line")]
    UnclosedKeyword,
    /// A keyword given twice.
    #[error("the keyword [{keyword}] is given twice; keep one of them")]
    RepeatedKeyword {
        /// The keyword.
        keyword: String,
    },
    /// A keyword without its argument.
    #[error("the keyword [{keyword}] needs an argument behind it")]
    MissingArgument {
        /// The keyword.
        keyword: String,
    },
    /// An argument that the keyword does not take.
    #[error("[{keyword}] cannot be '{token}'; it takes {takes}")]
    BadArgument {
        /// The keyword.
        keyword: String,
        /// The argument as written.
        token: String,
        /// What the keyword takes.
        takes: &'static str,
    },
    /// Data or lists before the number of ports.
    #[error("[Number of Ports] must come before this line")]
    MissingNumberOfPorts,
    /// The number of frequencies is not the declared one.
    #[error("[Number of Frequencies] declares {declared} records and the file has {found}")]
    FrequencyCount {
        /// As declared.
        declared: usize,
        /// As found.
        found: usize,
    },
    /// The number of noise records is not the declared one.
    #[error("[Number of Noise Frequencies] declares {declared} records and the file has {found}")]
    NoiseCount {
        /// As declared.
        declared: usize,
        /// As found.
        found: usize,
    },
    /// A noise row without its five numbers.
    #[error(
        "a noise row has 5 numbers (frequency, minimum noise figure, magnitude and angle of the best source \
         reflection, noise resistance) and this one has {found}"
    )]
    BadNoiseRow {
        /// Numbers found.
        found: usize,
    },
    /// Noise data for something other than a 2-port.
    #[error("noise data are defined for 2 ports, and the file has {ports}")]
    NoiseNeedsTwoPorts {
        /// Ports of the file.
        ports: usize,
    },
    /// A word in the mixed-mode order that names no mode.
    #[error(
        "'{token}' is no mode; modes are written S1, D2,3 or C2,3 with port numbers from 1 to {ports}"
    )]
    BadMode {
        /// The word.
        token: String,
        /// Ports of the file.
        ports: usize,
    },
    /// The modes do not make up the ports.
    #[error("the mixed-mode order does not fit the ports: {reason}")]
    MixedModeMismatch {
        /// What is wrong.
        reason: &'static str,
    },
    /// `[Begin Information]` without its end.
    #[error("[Begin Information] has no [End Information]")]
    UnclosedInformation,
    /// A heading keyword behind the first data row.
    #[error("the keyword [{keyword}] must come before the network data")]
    KeywordAfterData {
        /// The keyword.
        keyword: String,
    },
    /// The matrix of this record has no S-parameters with these references.
    #[error(
        "the {parameter} matrix at {frequency} Hz has no S-parameters with these references (singular matrix)"
    )]
    Singular {
        /// Kind of matrix.
        parameter: Parameter,
        /// Frequency in hertz.
        frequency: f64,
    },
    /// The arguments of the writer do not fit together.
    #[error(
        "{found} matrix elements were given for {points} frequencies and {ports} ports; {points} x {ports} x {ports} are needed"
    )]
    WriteShape {
        /// Elements given.
        found: usize,
        /// Frequencies given.
        points: usize,
        /// Ports given.
        ports: usize,
    },
    /// The writer was given frequencies that do not rise.
    #[error(
        "frequency {frequency} Hz does not follow its predecessor upwards; sort the frequencies before writing"
    )]
    WriteOrder {
        /// Frequency in hertz.
        frequency: f64,
    },
}

codes!(TouchstoneFault {
    NoData => 2001 "no_data",
    TooManyBytes => 2002 "too_many_bytes",
    WrongEncoding => 2003 "wrong_encoding",
    NotANumber => 2004 "not_a_number",
    NotFinite => 2005 "not_finite",
    NegativeFrequency => 2006 "negative_frequency",
    UnpairedValue => 2007 "unpaired_value",
    MissingValues => 2008 "missing_values",
    ExtraValues => 2009 "extra_values",
    MissingOptionLine => 2010 "missing_option_line",
    UnknownOption => 2011 "unknown_option",
    RepeatedOption => 2012 "repeated_option",
    MissingReference => 2013 "missing_reference",
    BadReference => 2014 "bad_reference",
    ReferenceCount => 2015 "reference_count",
    UnknownPortCount => 2016 "unknown_port_count",
    ZeroPorts => 2017 "zero_ports",
    TooManyPorts => 2018 "too_many_ports",
    TooManyPoints => 2019 "too_many_points",
    HybridNeedsTwoPorts => 2020 "hybrid_needs_two_ports",
    UnsupportedVersion => 2021 "unsupported_version",
    KeywordWithoutVersion => 2022 "keyword_without_version",
    UnknownKeyword => 2023 "unknown_keyword",
    UnclosedKeyword => 2024 "unclosed_keyword",
    RepeatedKeyword => 2025 "repeated_keyword",
    MissingArgument => 2026 "missing_argument",
    BadArgument => 2027 "bad_argument",
    MissingNumberOfPorts => 2028 "missing_number_of_ports",
    FrequencyCount => 2029 "frequency_count",
    NoiseCount => 2030 "noise_count",
    BadNoiseRow => 2031 "bad_noise_row",
    NoiseNeedsTwoPorts => 2032 "noise_needs_two_ports",
    BadMode => 2033 "bad_mode",
    MixedModeMismatch => 2034 "mixed_mode_mismatch",
    UnclosedInformation => 2035 "unclosed_information",
    KeywordAfterData => 2036 "keyword_after_data",
    Singular => 2037 "singular_conversion",
    WriteShape => 2038 "write_shape",
    WriteOrder => 2039 "write_order",
});
