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
        (6301, "syntax"),
        (6302, "number"),
        (6303, "undefined_name"),
        (6304, "text_limit"),
        (6305, "run_line"),
        (6311, "argument_count"),
        (6312, "argument_type"),
        (6313, "argument_length"),
        (6314, "argument_range"),
        (6315, "run_mismatch"),
        (6401, Rule::ALL[0].name()),
        (6402, Rule::ALL[1].name()),
        (6403, Rule::ALL[2].name()),
        (6404, Rule::ALL[3].name()),
        (6405, Rule::ALL[4].name()),
        (6406, Rule::ALL[5].name()),
        (6407, Rule::ALL[6].name()),
        (6408, Rule::ALL[7].name()),
        (6409, Rule::ALL[8].name()),
        (6410, Rule::ALL[9].name()),
        (6411, Rule::ALL[10].name()),
        (6412, Rule::ALL[11].name()),
        (6413, Rule::ALL[12].name()),
        (6414, Rule::ALL[13].name()),
        (6415, Rule::ALL[14].name()),
        (6416, Rule::ALL[15].name()),
        (6417, Rule::ALL[16].name()),
        (6418, Rule::ALL[17].name()),
        (6419, Rule::ALL[18].name()),
        (6420, Rule::ALL[19].name()),
        (6421, Rule::ALL[20].name()),
        (6422, Rule::ALL[21].name()),
    ];

    /// The stable number: text 6301 to 6305, calls 6311 to 6315, verifier rules from 6401.
    pub fn code(&self) -> u32 {
        match self {
            KirError::Syntax { .. } => 6301,
            KirError::Number { .. } => 6302,
            KirError::UndefinedName { .. } => 6303,
            KirError::TextLimit { .. } => 6304,
            KirError::RunLine { .. } => 6305,
            KirError::ArgumentCount { .. } => 6311,
            KirError::ArgumentType { .. } => 6312,
            KirError::ArgumentLength { .. } => 6313,
            KirError::ArgumentRange { .. } => 6314,
            KirError::RunMismatch { .. } => 6315,
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
