//! Arguments of the commands on bundles.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands on bundles.
#[derive(Debug, Subcommand)]
pub(crate) enum BundleCommand {
    /// What a bundle holds
    Inspect(BundleFileArgs),
    /// Whether a bundle is whole and, with its pack, whether every route of it runs here; exit code 4 when not
    Check(BundleCheckArgs),
    /// The machine code of a bundle as text
    Disasm(DisasmArgs),
}

/// Arguments of `bundle inspect`.
#[derive(Debug, Args)]
pub(crate) struct BundleFileArgs {
    /// The bundle
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
}

/// Arguments of `bundle check`.
#[derive(Debug, Args)]
pub(crate) struct BundleCheckArgs {
    /// The bundle
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// The pack that it was made from
    #[arg(value_name = "PACK")]
    pub(crate) pack: Option<PathBuf>,
}

/// Arguments of `bundle disasm`.
#[derive(Debug, Args)]
pub(crate) struct DisasmArgs {
    /// The bundle
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// Only kernels whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub(crate) kernel: Option<String>,
}
