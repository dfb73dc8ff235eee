//! `tdse`: the program. docs/cli.md is its reference.
//!
//! ```text
//! args --parse--> Command --dispatch--> Outcome or Fault --> text, envelope, exit code
//! ```
//!
//! Commands return what they found and never print an error, write an envelope or exit; that is
//! done here, once. Every way to end, a defect included, gives one envelope and one exit code of
//! [`exit_code`].
#![forbid(unsafe_code)]

mod args;
mod arrays;
mod commands;
mod console;
mod envelope;
mod example_line;
mod exit_code;
mod fault;
mod publish;
mod random;
mod report;
mod stepping;
mod version;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use clap::Parser;
use serde_json::{Value, json};

use args::{BundleCommand, Collision, Command, CommandLine, PackCommand, collision};
use console::{Console, complain};
use envelope::{EnvelopeError, Outcome, envelope, write_envelope};
use exit_code::ExitCode;
use fault::Fault;

/// Set to 1, names generated kernels in the file that `perf` reads.
const PERF_MAP: &str = "TDSE_PERF_MAP";

fn main() -> std::process::ExitCode {
    let end = match CommandLine::try_parse() {
        Ok(line) => perform(&line),
        Err(error) => refuse_usage(&error),
    };
    std::process::ExitCode::from(end.number())
}

fn perform(line: &CommandLine) -> ExitCode {
    if std::env::var_os(PERF_MAP).is_some_and(|value| value == "1") {
        tdse_compiler::name_kernels_for_profilers();
    }
    let common = &line.common;
    let stdout_is_json = common
        .json_out
        .as_ref()
        .is_some_and(|target| target.as_os_str() == "-");
    let console = Console::new(common.quiet, stdout_is_json);
    let collision = collision(line);
    let (data, mut fault) = match &collision {
        Some(collision) => (json!({}), Some(collision.fault())),
        None => attempt(&line.command, &console),
    };
    let envelope_is_safe = !collision
        .as_ref()
        .is_some_and(Collision::is_of_the_envelope);
    if let Some(target) = common.json_out.as_ref().filter(|_| envelope_is_safe) {
        let error = fault.as_ref().map(EnvelopeError::from);
        let document = envelope(line.command.schema_name(), &data, error.as_ref());
        if let Err(unwritten) = write_envelope(target, &document) {
            fault.get_or_insert(unwritten);
        }
    }
    let Some(fault) = fault else {
        return ExitCode::Ok;
    };
    complain(&format!("error {} {}: {fault}", fault.code(), fault.name()));
    fault.exit_code()
}

/// What a command found and what stopped it, a panic included.
fn attempt(command: &Command, console: &Console) -> (Value, Option<Fault>) {
    match std::panic::catch_unwind(AssertUnwindSafe(|| dispatch(command, console))) {
        Ok(Ok(Outcome { data, failure })) => (data, failure),
        Ok(Err(fault)) => (json!({}), Some(fault)),
        Err(_) => (
            json!({}),
            Some(Fault::Internal("the program panicked".to_owned())),
        ),
    }
}

fn dispatch(command: &Command, console: &Console) -> Result<Outcome, Fault> {
    match command {
        Command::Quickstart(args) => commands::quickstart(args, console),
        Command::Pack(PackCommand::Build(args)) => commands::pack_build(args, console),
        Command::Pack(PackCommand::Inspect(args)) => commands::pack_inspect(args, console),
        Command::Pack(PackCommand::Check(args)) => commands::pack_check(args, console),
        Command::Compile(args) => commands::compile(args, console),
        Command::Bundle(BundleCommand::Inspect(args)) => commands::bundle_inspect(args, console),
        Command::Bundle(BundleCommand::Check(args)) => commands::bundle_check(args, console),
        Command::Bundle(BundleCommand::Disasm(args)) => commands::bundle_disasm(args, console),
        Command::Run(args) => commands::run(args, console),
        Command::Bench(args) => commands::bench(args, console),
        Command::Explain(args) => commands::explain(args, console),
        Command::Features => commands::features(console),
    }
}

/// Help and version go to stdout with exit code 0. A usage error gives an envelope like any other,
/// as far as the command line says where to.
fn refuse_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nothing is left to do when the terminal is gone.
        let _ = error.print();
        return ExitCode::Ok;
    }
    let text = error.render().to_string();
    let Some(sentence) = text.strip_prefix("error: ") else {
        // No arguments at all: the text is the help.
        complain(text.trim_end());
        return refuse_usage_in_envelope("no command was given; see --help");
    };
    complain(&format!("error 9000 usage: {}", sentence.trim_end()));
    // The first paragraph says what is wrong, what follows is the usage.
    let first = sentence.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    refuse_usage_in_envelope(&words.join(" "))
}

fn refuse_usage_in_envelope(message: &str) -> ExitCode {
    let Some(target) = json_target(std::env::args_os()) else {
        return ExitCode::Usage;
    };
    let error = EnvelopeError {
        code: 9000,
        name: "usage".to_owned(),
        message: message.to_owned(),
    };
    let document = envelope("usage", &json!({}), Some(&error));
    // The usage error is the one to end with; an envelope that cannot be written is named.
    if let Err(unwritten) = write_envelope(&target, &document) {
        complain(&format!(
            "error {} {}: {unwritten}",
            unwritten.code(),
            unwritten.name()
        ));
    }
    ExitCode::Usage
}

fn json_target(args: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
    while let Some(arg) = args.next() {
        if arg == "--json-out" {
            return args.next().map(PathBuf::from);
        }
        if let Some(target) = arg.strip_prefix("--json-out=") {
            return Some(target.into());
        }
    }
    None
}
