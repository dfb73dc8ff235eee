//! Where a BLAS is looked for, in this order:
//!
//! ```text
//! 1. BlasOptions.path      named: this one or an error
//! 2. TDSE_BLAS_PATH        named: this one or an error
//! 3. WELL_KNOWN            by name, through the loader's own search path; the first that serves
//! ```

use std::env;
use std::path::PathBuf;

/// What the caller asks for; the default looks for any BLAS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlasOptions {
    /// The library: a path, or a name that the system's loader knows. It is used or refused.
    pub path: Option<PathBuf>,
}

/// The environment variable that names the library when no option does. Empty counts as unset.
pub const PATH_VARIABLE: &str = "TDSE_BLAS_PATH";

/// Names tried when none was given, best known first.
pub const WELL_KNOWN: &[&str] = &[
    "libopenblas.so.0",
    "libopenblas.so",
    "libopenblas64_.so.0",
    "libopenblas64_.so",
    "libopenblas64.so.0",
    "libmkl_rt.so.3",
    "libmkl_rt.so.2",
    "libmkl_rt.so.1",
    "libmkl_rt.so",
    "libblis.so.4",
    "libblis.so.3",
    "libblis.so",
];

/// The libraries to try.
pub(crate) enum Search {
    /// One that somebody named.
    Named(PathBuf),
    /// The well-known names.
    Any,
}

impl Search {
    /// What the option, then the environment, ask for.
    pub(crate) fn of(options: &BlasOptions) -> Search {
        let variable = || env::var_os(PATH_VARIABLE).filter(|value| !value.is_empty());
        let named = options
            .path
            .clone()
            .or_else(|| variable().map(PathBuf::from));
        named.map_or(Search::Any, Search::Named)
    }
}
