//! What is wrong with a kernel, its text, or the arguments of a call.
//!
//! Codes never change and are never reused. Text errors carry the line and column at which reading
//! stopped (both from 1, columns in characters); verifier errors carry the rule and the offending
//! statement in its text form; argument errors carry the parameter.

use crate::rule::Rule;

/// Everything this crate refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KirError {
    /// The text is not a kernel.
    #[error(
        "line {line}, column {column}: expected {expected}, found {found}; docs/kernel-ir.md gives the grammar"
    )]
    Syntax {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// What the grammar allows here.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A number that the text form cannot hold exactly.
    #[error(
        "line {line}, column {column}: the number {found} {reason}; write an integer, or a hex float such as 0x1.8p+3"
    )]
    Number {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// The number as written.
        found: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A name that nothing before it defines.
    #[error(
        "line {line}, column {column}: no {kind} named {found} is defined before this line; define it first or correct the name"
    )]
    UndefinedName {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// What kind of thing was looked for.
        kind: &'static str,
        /// The name.
        found: String,
    },
    /// The text is larger or more deeply nested than the parser accepts.
    #[error("line {line}, column {column}: {what} exceeds the limit of {limit}; split the kernel")]
    TextLimit {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// What is too large.
        what: &'static str,
        /// The largest accepted.
        limit: u64,
    },
    /// A `run:` line that does not fit its kernel.
    #[error("line {line}: the run line {reason}; docs/kernel-ir.md gives its form")]
    RunLine {
        /// Line, from 1.
        line: u32,
        /// What is wrong.
        reason: String,
    },
    /// The verifier refused the kernel.
    #[error("kernel {kernel} breaks the rule {rule} at `{at}`: {reason}")]
    Refused {
        /// Name of the kernel.
        kernel: String,
        /// The rule broken.
        rule: Rule,
        /// The offending statement or declaration, in the text form.
        at: String,
        /// What was found and what would be right.
        reason: String,
    },
    /// A call with the wrong number of arguments.
    #[error(
        "kernel {kernel} takes {expected} arguments, the call passes {found}; pass one for each parameter, in order"
    )]
    ArgumentCount {
        /// Name of the kernel.
        kernel: String,
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        found: usize,
    },
    /// An argument of the wrong type.
    #[error("parameter {param} takes {expected}, the call passes {found}; pass the declared type")]
    ArgumentType {
        /// Name of the parameter.
        param: String,
        /// What the parameter declares.
        expected: &'static str,
        /// What the call passes.
        found: &'static str,
    },
    /// A buffer argument that is too short.
    #[error(
        "parameter {param} needs {expected} elements, the call passes {found}; pass a longer buffer"
    )]
    ArgumentLength {
        /// Name of the parameter.
        param: String,
        /// Declared extent, in elements.
        expected: u64,
        /// Elements passed.
        found: u64,
    },
    /// An index argument outside its declared range.
    #[error(
        "parameter {param} takes {lo} to {hi}, the call passes {found}; pass a value of the declared range"
    )]
    ArgumentRange {
        /// Name of the parameter.
        param: String,
        /// Smallest legal value.
        lo: i64,
        /// Largest legal value.
        hi: i64,
        /// The value passed.
        found: i64,
    },
    /// A run gave other bits than its run line states.
    #[error(
        "the run of line {line}: {param}[{element}] should be {expected}, is {found}; the route that ran does not compute this kernel"
    )]
    RunMismatch {
        /// Line of the run line, from 1.
        line: u32,
        /// Name of the buffer.
        param: String,
        /// Index of the first element that differs.
        element: usize,
        /// The stated number, in hex.
        expected: String,
        /// The number found, in hex.
        found: String,
    },
}

impl KirError {
    /// Every code with its name, ascending.
    pub const ALL: &'static [(u32, &'static str)] = &[
        (5001, "syntax"),
        (5002, "number"),
        (5003, "undefined_name"),
        (5004, "text_limit"),
        (5005, "run_line"),
        (5011, "argument_count"),
        (5012, "argument_type"),
        (5013, "argument_length"),
        (5014, "argument_range"),
        (5015, "run_mismatch"),
        (5101, Rule::ALL[0].name()),
        (5102, Rule::ALL[1].name()),
        (5103, Rule::ALL[2].name()),
        (5104, Rule::ALL[3].name()),
        (5105, Rule::ALL[4].name()),
        (5106, Rule::ALL[5].name()),
        (5107, Rule::ALL[6].name()),
        (5108, Rule::ALL[7].name()),
        (5109, Rule::ALL[8].name()),
        (5110, Rule::ALL[9].name()),
        (5111, Rule::ALL[10].name()),
        (5112, Rule::ALL[11].name()),
        (5113, Rule::ALL[12].name()),
        (5114, Rule::ALL[13].name()),
        (5115, Rule::ALL[14].name()),
        (5116, Rule::ALL[15].name()),
        (5117, Rule::ALL[16].name()),
        (5118, Rule::ALL[17].name()),
        (5119, Rule::ALL[18].name()),
        (5120, Rule::ALL[19].name()),
        (5121, Rule::ALL[20].name()),
        (5122, Rule::ALL[21].name()),
    ];

    /// The stable number: text 5001 to 5005, calls 5011 to 5015, verifier rules from 5101.
    pub fn code(&self) -> u32 {
        match self {
            KirError::Syntax { .. } => 5001,
            KirError::Number { .. } => 5002,
            KirError::UndefinedName { .. } => 5003,
            KirError::TextLimit { .. } => 5004,
            KirError::RunLine { .. } => 5005,
            KirError::ArgumentCount { .. } => 5011,
            KirError::ArgumentType { .. } => 5012,
            KirError::ArgumentLength { .. } => 5013,
            KirError::ArgumentRange { .. } => 5014,
            KirError::RunMismatch { .. } => 5015,
            KirError::Refused { rule, .. } => rule.code(),
        }
    }

    /// The stable name; of a verifier error, the name of the rule.
    pub fn name(&self) -> &'static str {
        let code = self.code();
        match Self::ALL.iter().find(|entry| entry.0 == code) {
            Some(entry) => entry.1,
            None => "unknown",
        }
    }
}
