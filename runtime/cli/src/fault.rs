//! What can stop a command, with its stable number, name and exit code.
//!
//! Numbers of the layers below pass through unchanged (packs 1001 to 5999, runtime 8001 and up);
//! 9001 and up are the program's own.

use std::path::{Path, PathBuf};

use tdse_bundle::BundleError;
use tdse_pack::PackError;
use tdse_runtime::RuntimeError;

use crate::exit_code::ExitCode;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// A pack, or a file that should become one, was refused.
    #[error("{}", located(path, error))]
    Pack {
        /// The file.
        path: PathBuf,
        /// The refusal.
        error: PackError,
    },
    /// A file that is no pack, and that `pack build` can make one of.
    #[error(
        "{0} is no pack, but a file that one can be made of; run `tdse pack build {0} -o OUT` first",
        path.display()
    )]
    NotYetPack {
        /// The file.
        path: PathBuf,
        /// Why it is no pack.
        error: PackError,
    },
    /// A bundle was refused.
    #[error("{}", bundle_located(path, error))]
    Bundle {
        /// The file.
        path: PathBuf,
        /// The refusal.
        error: BundleError,
    },
    /// `bundle check` found a route that does not run here.
    #[error("{0}")]
    BundleDoesNotRun(String),
    /// The runtime refused to prepare the pack as asked.
    #[error("{0}{hint}", hint = prepare_hint(.0))]
    Prepare(RuntimeError),
    /// The runtime refused a step.
    #[error("step {step}: {error}")]
    Step {
        /// Step counted from 0.
        step: usize,
        /// The refusal.
        error: RuntimeError,
    },
    /// An input file cannot be read.
    #[error("{} cannot be read: {error}; check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// An output cannot be written.
    #[error("{} cannot be written: {error}; check the folder and its permissions", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// An array has the wrong shape.
    #[error("{what} has the shape {found:?}, this pack needs {wanted}")]
    ArrayShape {
        /// Which array.
        what: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape wanted, in words.
        wanted: String,
    },
    /// The input has fewer steps than asked for.
    #[error(
        "{wanted} steps asked for, the input holds {found}; ask for fewer or give a longer input"
    )]
    InputTooShort {
        /// Steps asked for.
        wanted: usize,
        /// Steps present.
        found: usize,
    },
    /// The run would pass the horizon of the independent response.
    #[error(
        "{wanted} steps asked for, the pack's independent response ends after {horizon}; ask for at most that many"
    )]
    PastHorizon {
        /// Steps asked for.
        wanted: usize,
        /// Steps of the independent response.
        horizon: usize,
    },
    /// A value is not possible for this pack or on this command line.
    #[error("{0}")]
    Value(String),
    /// The loop equations have no trustworthy solution.
    #[error(
        "closed loop: I - G H[0] has condition number {condition:.3e}, more than {limit:.0e}; \
         this termination makes a loop without delay that cannot be solved, give another one"
    )]
    IllConditioned {
        /// Condition number found.
        condition: f64,
        /// The largest one accepted.
        limit: f64,
    },
    /// The closed loop grew until its values stopped being finite.
    #[error(
        "closed loop: the values stop being finite at step {step}; the pack is unstable with this termination, see `tdse pack check`"
    )]
    Diverged {
        /// Step counted from 0.
        step: usize,
    },
    /// `pack check` found the pack unstable.
    #[error("{0}")]
    Unstable(String),
    /// Two code generators gave different bits.
    #[error(
        "verify: {0}; the outputs must be equal bit by bit, please report this with the report folder"
    )]
    BitsDiffer(String),
    /// A defect of the program.
    #[error("internal: {0}; please report this with the command line")]
    Internal(String),
}

impl Fault {
    /// The stable number.
    pub(crate) fn code(&self) -> u32 {
        match self {
            Fault::Pack { error, .. } | Fault::NotYetPack { error, .. } => error.code(),
            Fault::Bundle { error, .. } => error.code(),
            Fault::BundleDoesNotRun(_) => 9011,
            Fault::Prepare(error) | Fault::Step { error, .. } => error.code(),
            Fault::Read { .. } => 9001,
            Fault::Write { .. } => 9002,
            Fault::ArrayShape { .. } => 9003,
            Fault::InputTooShort { .. } => 9004,
            Fault::PastHorizon { .. } => 9005,
            Fault::Value(_) => 9006,
            Fault::IllConditioned { .. } => 9007,
            Fault::Diverged { .. } => 9008,
            Fault::Unstable(_) => 9009,
            Fault::BitsDiffer(_) => 9010,
            Fault::Internal(_) => 9099,
        }
    }

    /// The stable snake_case name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Fault::Pack { error, .. } | Fault::NotYetPack { error, .. } => error.name(),
            Fault::Bundle { error, .. } => error.name(),
            Fault::BundleDoesNotRun(_) => "bundle_does_not_run",
            Fault::Prepare(error) | Fault::Step { error, .. } => error.name(),
            Fault::Read { .. } => "input_unreadable",
            Fault::Write { .. } => "output_unwritable",
            Fault::ArrayShape { .. } => "array_shape",
            Fault::InputTooShort { .. } => "input_too_short",
            Fault::PastHorizon { .. } => "past_ir_horizon",
            Fault::Value(_) => "value_not_possible",
            Fault::IllConditioned { .. } => "loop_ill_conditioned",
            Fault::Diverged { .. } => "loop_diverged",
            Fault::Unstable(_) => "pack_unstable",
            Fault::BitsDiffer(_) => "bits_differ",
            Fault::Internal(_) => "internal",
        }
    }

    /// How the program ends.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Fault::Pack { .. }
            | Fault::NotYetPack { .. }
            | Fault::Bundle { .. }
            | Fault::Prepare(RuntimeError::NotRepresentable { .. })
            | Fault::Read { .. }
            | Fault::ArrayShape { .. }
            | Fault::InputTooShort { .. }
            | Fault::PastHorizon { .. }
            | Fault::Value(_) => ExitCode::Input,
            Fault::Prepare(RuntimeError::Internal(_)) => ExitCode::Internal,
            Fault::Prepare(_) => ExitCode::RouteRefused,
            Fault::Write { .. } => ExitCode::Output,
            Fault::IllConditioned { .. }
            | Fault::Diverged { .. }
            | Fault::Unstable(_)
            | Fault::BundleDoesNotRun(_)
            | Fault::BitsDiffer(_) => ExitCode::CheckFailed,
            Fault::Step { .. } | Fault::Internal(_) => ExitCode::Internal,
        }
    }
}

/// A refusal with its file, once: refusals about reading name the file themselves.
fn located(path: &Path, error: &PackError) -> String {
    match error {
        PackError::File(_) => error.to_string(),
        _ => format!("{}: {error}", path.display()),
    }
}

/// The same for bundles.
fn bundle_located(path: &Path, error: &BundleError) -> String {
    match error {
        BundleError::NotReadable { .. } | BundleError::NotRegular { .. } => error.to_string(),
        _ => format!("{}: {error}", path.display()),
    }
}

/// Where a caller who pinned something impossible looks next.
fn prepare_hint(error: &RuntimeError) -> &'static str {
    match error {
        RuntimeError::Pinned { .. } => "; `tdse explain PACK` lists what can run",
        _ => "",
    }
}
