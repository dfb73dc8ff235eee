//! Why there is no BLAS, or why it was not called.

use std::fmt;

/// One library that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its name as given to the loader.
    pub name: String,
    /// Why it does not serve.
    pub reason: String,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

/// A refusal. Nothing was computed, and no thread count was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlasRefusal {
    /// None of the well-known libraries serves.
    #[error(
        "no BLAS was found; tried {}. Install OpenBLAS, MKL or BLIS (Debian: libopenblas0-pthread), or name a library by the path option or by TDSE_BLAS_PATH", list(.tried)
    )]
    NotFound {
        /// Every name tried, in order.
        tried: Vec<Attempt>,
    },
    /// The system's loader did not take the named library.
    #[error(
        "{library} was asked for as BLAS and cannot be loaded ({reason}); name another library"
    )]
    NotLoadable {
        /// As it was named.
        library: String,
        /// The loader's words.
        reason: String,
    },
    /// A library without a function that is needed.
    #[error(
        "{library} was asked for as BLAS and has no {symbol} (looked for {spellings}); name a library with the CBLAS interface"
    )]
    MissingSymbol {
        /// As it was named.
        library: String,
        /// The function, by its plain name.
        symbol: &'static str,
        /// The names it was looked for under.
        spellings: String,
    },
    /// A library that fails the check made when it is opened.
    #[error(
        "{library} gives wrong results in {call} ({elem}) on a 3 x 2 matrix, with {int_bits}-bit integers; it is not used: name another library"
    )]
    WrongResults {
        /// As it was named.
        library: String,
        /// Element type.
        elem: &'static str,
        /// The function.
        call: &'static str,
        /// Width of integers it was called with.
        int_bits: u32,
    },
    /// A buffer that does not fit the sizes given with it.
    #[error("{call}: {operand} needs {needed} elements, {found} were given")]
    Length {
        /// The call.
        call: &'static str,
        /// Which operand.
        operand: &'static str,
        /// Elements needed: for matrices at least, for vectors exactly.
        needed: usize,
        /// Elements given.
        found: usize,
    },
    /// Columns that would overlap.
    #[error(
        "{call}: columns of {operand} have {rows} elements and start {found} apart; the leading dimension must be at least the number of rows and 1"
    )]
    LeadingDimension {
        /// The call.
        call: &'static str,
        /// Which operand.
        operand: &'static str,
        /// Rows of the matrix.
        rows: usize,
        /// The leading dimension given.
        found: usize,
    },
    /// A size beyond the library's integers, or beyond the address space.
    #[error(
        "{call}: {value} does not fit the library's {int_bits}-bit integers, or the matrix no address space; use a library with 64-bit integers or another route"
    )]
    TooLarge {
        /// The call.
        call: &'static str,
        /// The size given.
        value: usize,
        /// Width of the library's integers.
        int_bits: u32,
    },
    /// A library whose threads cannot be counted or set.
    #[error(
        "{library} offers no way to set its number of threads, and may use several; {wanted} was asked for: use OpenBLAS, MKL or BLIS"
    )]
    ThreadsUnknown {
        /// The library's file.
        library: String,
        /// Threads asked for.
        wanted: u32,
    },
    /// The number of threads belongs to the whole process, and somebody else holds another.
    #[error(
        "{wanted} BLAS threads were asked for while a guard holds the number at {held}; it belongs to the whole process: wait until that guard is dropped"
    )]
    ThreadsHeld {
        /// Threads asked for.
        wanted: u32,
        /// Threads held.
        held: u32,
    },
    /// The library did not take the number of threads.
    #[error(
        "{library} was told to use {wanted} threads and says {found}; ask for a number it takes"
    )]
    ThreadsNotTaken {
        /// The library's file.
        library: String,
        /// Threads asked for.
        wanted: u32,
        /// What it says now.
        found: u32,
    },
}

impl BlasRefusal {
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (8301, "blas_not_found"),
        (8302, "blas_not_loadable"),
        (8303, "blas_missing_symbol"),
        (8304, "blas_wrong_results"),
        (8305, "blas_length"),
        (8306, "blas_leading_dimension"),
        (8307, "blas_too_large"),
        (8308, "blas_threads_unknown"),
        (8309, "blas_threads_held"),
        (8310, "blas_threads_not_taken"),
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
            BlasRefusal::NotFound { .. } => 0,
            BlasRefusal::NotLoadable { .. } => 1,
            BlasRefusal::MissingSymbol { .. } => 2,
            BlasRefusal::WrongResults { .. } => 3,
            BlasRefusal::Length { .. } => 4,
            BlasRefusal::LeadingDimension { .. } => 5,
            BlasRefusal::TooLarge { .. } => 6,
            BlasRefusal::ThreadsUnknown { .. } => 7,
            BlasRefusal::ThreadsHeld { .. } => 8,
            BlasRefusal::ThreadsNotTaken { .. } => 9,
        }]
    }
}

fn list(tried: &[Attempt]) -> String {
    let tried: Vec<String> = tried.iter().map(Attempt::to_string).collect();
    tried.join("; ")
}
