//! Refusals about the numbers and names of a pack.

/// The content of a pack breaks a rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ContentFault {
    /// A count is 0.
    #[error(
        "the sizes are nh {nh}, nq {nq}, np {np}; a pack needs at least one tap, output and input"
    )]
    ZeroSize {
        /// Taps.
        nh: usize,
        /// Outputs.
        nq: usize,
        /// Inputs.
        np: usize,
    },
    /// The tap tensor passes [`crate::MAX_TAPS`].
    #[error(
        "the sizes are nh {nh}, nq {nq}, np {np}; their product passes {}, make the pack smaller",
        crate::MAX_TAPS
    )]
    TooManyTaps {
        /// Taps.
        nh: usize,
        /// Outputs.
        nq: usize,
        /// Inputs.
        np: usize,
    },
    /// The tap values do not fit the sizes.
    #[error("the sizes ask for {wanted} tap values, {found} were given")]
    LengthMismatch {
        /// `nh * nq * np`.
        wanted: usize,
        /// Values given.
        found: usize,
    },
    /// The initial response is empty, too long, or not whole steps.
    #[error(
        "the initial response IR has {found} values; it needs a positive multiple of nq = {nq}, at most {}",
        crate::MAX_TAPS
    )]
    IrLength {
        /// Values given.
        found: usize,
        /// Outputs.
        nq: usize,
    },
    /// A value is infinite or not a number.
    #[error(
        "{tensor} holds a value that is not finite at element {index}; every value must be finite"
    )]
    NotFinite {
        /// `"H"` or `"IR"`.
        tensor: &'static str,
        /// Row-major index of the first such value.
        index: usize,
    },
    /// The time step is not finite and positive.
    #[error("the time step is {found} s; it must be finite and positive")]
    BadTimeStep {
        /// The value as text.
        found: String,
    },
    /// Names are given, but not one for each port.
    #[error("{found} {kind} names are given for {wanted} {kind}s; give one for each, or none")]
    NameCount {
        /// `"input"` or `"output"`.
        kind: &'static str,
        /// Ports.
        wanted: usize,
        /// Names.
        found: usize,
    },
    /// A name is empty, too long or holds control characters.
    #[error("{kind} name {index} is empty, longer than 256 bytes or holds a control character")]
    BadName {
        /// `"input"` or `"output"`.
        kind: &'static str,
        /// Index of the name.
        index: usize,
    },
    /// Two ports of a kind have one name.
    #[error("two {kind}s are named {name:?}; names must differ")]
    DuplicateName {
        /// `"input"` or `"output"`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// `made_by` is not a JSON object.
    #[error("made_by must be a JSON object that says how the pack was made")]
    MadeByNotObject,
    /// `made_by` is too long.
    #[error("made_by has {found} bytes as JSON; keep it within 4 MiB")]
    MadeByTooLarge {
        /// Its length in bytes.
        found: usize,
    },
}

codes!(ContentFault {
    ZeroSize => 1201 "zero_size",
    TooManyTaps => 1202 "too_many_taps",
    LengthMismatch => 1203 "tap_count_mismatch",
    IrLength => 1204 "ir_length",
    NotFinite => 1205 "not_finite",
    BadTimeStep => 1206 "bad_time_step",
    NameCount => 1207 "name_count",
    BadName => 1208 "bad_name",
    DuplicateName => 1209 "duplicate_name",
    MadeByNotObject => 1210 "made_by_not_object",
    MadeByTooLarge => 1211 "made_by_too_large",
});
