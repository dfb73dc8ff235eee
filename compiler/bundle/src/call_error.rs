//! Why a call was not made.

/// A call that does not fit its kernel; the kernel did not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Another number of arguments than of parameters.
    #[error("the kernel takes {expected} arguments, {found} were given")]
    Count {
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// The kernel has more parameters than a call can pass.
    #[error("the kernel has {found} parameters, a call passes at most {limit}")]
    TooManyParameters {
        /// Parameters of the kernel.
        found: usize,
        /// The most a call passes.
        limit: usize,
    },
    /// An argument of another type.
    #[error("parameter {index} ({name}) is {expected}, the argument is {found}")]
    Type {
        /// Position of the parameter.
        index: usize,
        /// Its name.
        name: String,
        /// What it is.
        expected: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// A buffer shorter than its extent.
    #[error("parameter {index} ({name}) needs {expected} elements, the argument has {found}")]
    Length {
        /// Position of the parameter.
        index: usize,
        /// Its name.
        name: String,
        /// Elements needed.
        expected: u64,
        /// Elements given.
        found: u64,
    },
    /// A buffer that starts at an address the kernel does not accept.
    #[error(
        "parameter {index} ({name}) must start at a multiple of {align} bytes; an AlignedBuffer starts at a multiple of 64"
    )]
    Alignment {
        /// Position of the parameter.
        index: usize,
        /// Its name.
        name: String,
        /// The alignment needed, in bytes.
        align: u32,
    },
    /// An index outside its declared range.
    #[error("parameter {index} ({name}) takes {lo} to {hi}, the argument is {found}")]
    Range {
        /// Position of the parameter.
        index: usize,
        /// Its name.
        name: String,
        /// Smallest legal value.
        lo: i64,
        /// Largest legal value.
        hi: i64,
        /// The value given.
        found: i64,
    },
}

impl CallError {
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (7101, "argument_count"),
        (7102, "too_many_parameters"),
        (7103, "argument_type"),
        (7104, "argument_too_short"),
        (7105, "argument_misaligned"),
        (7106, "index_out_of_range"),
    ];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.entry().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u32, &'static str) {
        Self::ALL[match self {
            CallError::Count { .. } => 0,
            CallError::TooManyParameters { .. } => 1,
            CallError::Type { .. } => 2,
            CallError::Length { .. } => 3,
            CallError::Alignment { .. } => 4,
            CallError::Range { .. } => 5,
        }]
    }
}
