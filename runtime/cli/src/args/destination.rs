//! Destinations on a command line: none may be a file that the command reads, none another's.
//!
//! A run that writes over its own pack, or an envelope over an output, destroys data and reports
//! success. Two paths are the same file when they are equal after symbolic links; a hard link is
//! another file, since an output replaces the name and not the content. Devices are not compared.

use std::path::{Path, PathBuf};

use super::{BundleCommand, Command, CommandLine, Input, PackCommand, Termination};
use crate::fault::Fault;

/// The option that names the envelope's file.
const JSON_OUT: &str = "--json-out";

/// A destination that must not be written.
#[derive(Debug)]
pub(crate) struct Collision {
    option: &'static str,
    path: PathBuf,
    reason: &'static str,
}

impl Collision {
    /// Whether the envelope is what must not be written.
    pub(crate) fn is_of_the_envelope(&self) -> bool {
        self.option == JSON_OUT
    }

    /// The refusal.
    pub(crate) fn fault(&self) -> Fault {
        Fault::Value(format!(
            "{} {}: {}",
            self.option,
            self.path.display(),
            self.reason
        ))
    }
}

/// The first destination of `line` that must not be written.
pub(crate) fn collision(line: &CommandLine) -> Option<Collision> {
    let (reads, writes) = files(line);
    let reads: Vec<PathBuf> = reads.into_iter().filter_map(same_file).collect();
    let mut taken = Vec::new();
    for (option, path) in writes {
        let refuse = |reason| {
            let path = path.to_owned();
            Some(Collision {
                option,
                path,
                reason,
            })
        };
        if path.as_os_str() == "-" {
            return refuse("only --json-out writes to stdout; write ./- for a file of that name");
        }
        let Some(file) = same_file(path) else {
            continue;
        };
        if reads.contains(&file) {
            return refuse("that file is an input of this command; name another one");
        }
        if taken.contains(&file) {
            return refuse("two outputs name that file; give each its own");
        }
        taken.push(file);
    }
    None
}

type Written<'a> = (&'static str, &'a Path);

/// What a command reads, and what it writes with the option that says so.
fn files(line: &CommandLine) -> (Vec<&Path>, Vec<Written<'_>>) {
    let (mut reads, mut writes) = (Vec::<&Path>::new(), Vec::<Written<'_>>::new());
    match &line.command {
        Command::Quickstart(_) | Command::Features => {}
        Command::Pack(PackCommand::Build(args)) => {
            reads.push(&args.input);
            writes.push(("--output", &args.output));
        }
        Command::Pack(PackCommand::Inspect(args)) => reads.push(&args.file),
        Command::Pack(PackCommand::Check(args)) => reads.push(&args.pack),
        Command::Compile(args) => {
            reads.push(&args.pack);
            writes.push(("--output", &args.output));
        }
        Command::Bundle(BundleCommand::Inspect(args)) => reads.push(&args.bundle),
        Command::Bundle(BundleCommand::Check(args)) => {
            reads.push(&args.bundle);
            reads.extend(args.pack.as_deref());
        }
        Command::Bundle(BundleCommand::Disasm(args)) => reads.push(&args.bundle),
        Command::Run(args) => {
            reads.push(&args.pack);
            reads.extend(args.route.bundle());
            if let Input::File(path) = &args.input {
                reads.push(path);
            }
            if let Some(Termination::File(path)) = &args.terminate {
                reads.push(path);
            }
            writes.extend(args.output.iter().map(|path| ("--output", path.as_path())));
            let history = args.history_out.iter();
            writes.extend(history.map(|path| ("--history-out", path.as_path())));
        }
        Command::Bench(args) => reads.extend(args.pack.as_deref()),
        Command::Explain(args) => {
            reads.push(&args.pack);
            reads.extend(args.route.bundle());
        }
    }
    let envelope = line.common.json_out.iter();
    writes.extend(
        envelope
            .filter(|path| path.as_os_str() != "-")
            .map(|path| (JSON_OUT, path.as_path())),
    );
    (reads, writes)
}

/// A name that two paths to one file share; `None` for devices, and where no file can be made.
fn same_file(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return found.is_file().then_some(found);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}
