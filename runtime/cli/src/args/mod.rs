//! The command line. docs/cli.md describes every command and option; a test compares the lists.

mod bench;
mod build;
mod bundle;
mod compile;
mod destination;
mod input;
mod plan;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use bench::{BenchArgs, BenchShape, PeerName, TapKind};
pub(crate) use build::BuildArgs;
pub(crate) use bundle::{BundleCheckArgs, BundleCommand, BundleFileArgs, DisasmArgs};
pub(crate) use compile::CompileArgs;
pub(crate) use destination::{Collision, collision};
pub(crate) use input::{Input, Termination};
pub(crate) use plan::{Aim, PlanArg, PlanArgs};
pub(crate) use run::{RouteArgs, RunArgs};

use crate::exit_code::ExitCode;
use crate::version::VERSION_AND_COMMIT;

/// Time-domain system equivalents: from network data to generated kernels that step inside a
/// simulator's loop.
#[derive(Debug, Parser)]
#[command(name = "tdse", version = VERSION_AND_COMMIT, arg_required_else_help = true, max_term_width = 100, after_help = exit_codes())]
pub(crate) struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The exit codes, for the end of `--help`.
fn exit_codes() -> String {
    let lines = ExitCode::ALL.map(|(_, code, meaning)| format!("  {code}  {meaning}"));
    format!("Exit codes:\n{}", lines.join("\n"))
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct CommonArgs {
    /// Write one JSON envelope to FILE; with - to stdout, which then holds nothing else
    #[arg(long, value_name = "FILE", global = true, display_order = 900)]
    pub(crate) json_out: Option<PathBuf>,
    /// No text on stdout and no progress bars
    #[arg(long, global = true, display_order = 901)]
    pub(crate) quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole story on an example pack: import, check, compile, verify, measure, explain, report
    Quickstart(QuickstartArgs),
    /// Make, look at and check model packs
    #[command(subcommand)]
    Pack(PackCommand),
    /// Compile a pack ahead of deployment: machine code for a named target, in a bundle
    Compile(CompileArgs),
    /// Look at and check bundles
    #[command(subcommand)]
    Bundle(BundleCommand),
    /// Step a pack with a given input, open or closed by a termination
    Run(RunArgs),
    /// Every route and every peer side by side: time, tail, error, memory
    Bench(BenchArgs),
    /// Every route for a pack, accepted or refused, and why
    Explain(ExplainArgs),
    /// What this build and this machine can do
    Features,
}

/// The commands on packs.
#[derive(Debug, Subcommand)]
pub(crate) enum PackCommand {
    /// Make a pack from Touchstone, .npy, .npz, .wav or admittance text
    Build(BuildArgs),
    /// What a pack holds, or what an importer reads from a file
    Inspect(InspectArgs),
    /// Whether a pack can blow up in a loop; exit code 4 when it does
    Check(CheckArgs),
}

impl Command {
    /// The words of the command joined by dots, as in the envelope's schema.
    pub(crate) fn schema_name(&self) -> &'static str {
        match self {
            Command::Quickstart(_) => "quickstart",
            Command::Pack(PackCommand::Build(_)) => "pack.build",
            Command::Pack(PackCommand::Inspect(_)) => "pack.inspect",
            Command::Pack(PackCommand::Check(_)) => "pack.check",
            Command::Compile(_) => "compile",
            Command::Bundle(BundleCommand::Inspect(_)) => "bundle.inspect",
            Command::Bundle(BundleCommand::Check(_)) => "bundle.check",
            Command::Bundle(BundleCommand::Disasm(_)) => "bundle.disasm",
            Command::Run(_) => "run",
            Command::Bench(_) => "bench",
            Command::Explain(_) => "explain",
            Command::Features => "features",
        }
    }
}

/// Arguments of `quickstart`.
#[derive(Debug, Args)]
pub(crate) struct QuickstartArgs {
    /// Report folder; files of the same names are replaced
    #[arg(long, value_name = "DIR", default_value = "tdse-report")]
    pub(crate) out: PathBuf,
}

/// Arguments of `pack inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// A pack, or a file that `pack build` reads
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Arguments of `pack check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The pack
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// Steps of the soak in a closed loop, for each termination
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: u64,
    /// The device is active: gain is right for it, and loops are reported but not judged
    #[arg(long)]
    pub(crate) declared_active: bool,
    /// Amplitude at which a loop counts as diverged; the burst that excites it has amplitude 1
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) bound: Option<f64>,
    /// Points of the frequency grid over taps or data points, 4 to 128
    #[arg(long, value_name = "N")]
    pub(crate) grid_factor: Option<usize>,
    /// Seed of the burst
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The pack
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// What to pin
    #[command(flatten)]
    pub(crate) route: RouteArgs,
}
