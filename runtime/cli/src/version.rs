//! What this build is: version, commit, target.

/// Version of the package.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Commit the program was built from, "unknown" outside a repository.
pub(crate) const COMMIT: &str = env!("TDSE_COMMIT");

/// Target triple.
pub(crate) const TARGET: &str = env!("TDSE_TARGET");

/// Cargo profile.
pub(crate) const PROFILE: &str = env!("TDSE_PROFILE");

/// `<version> <commit>`, as envelopes and `--version` show it.
pub(crate) const VERSION_AND_COMMIT: &str =
    concat!(env!("CARGO_PKG_VERSION"), " ", env!("TDSE_COMMIT"));
