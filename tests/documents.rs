//! README.md and docs/: links lead somewhere, named files exist, commands run as written.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use tdse_tests::document::{Document, ShellLine};
use tdse_tests::{program, root, tracked_files};

/// The documents: name relative to the root, and content.
fn documents() -> Vec<(String, Document)> {
    let mut names = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            names.push(format!("docs/{name}"));
        }
    }
    names.sort();
    let read = |name: String| {
        let document = Document::parse(&fs::read_to_string(root().join(&name)).unwrap());
        (name, document)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn links_lead_somewhere() {
    let documents = documents();
    let mut broken = Vec::new();
    for (name, document) in &documents {
        let folder = root().join(name).parent().unwrap().to_path_buf();
        for (line, link) in &document.links {
            if link.starts_with("https://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() {
                root().join(name)
            } else {
                folder.join(path)
            };
            if !target.exists() {
                broken.push(format!("{name}:{line}: no file {path}"));
            } else if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                if !Document::parse(&text).anchors.iter().any(|a| a == anchor) {
                    broken.push(format!("{name}:{line}: no heading #{anchor} in {path}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A code span that begins with a folder of the project is a path, unless it has a `<part>` to be
/// filled in; `file.rs:12` and `folder/` are paths too.
#[test]
fn named_files_exist() {
    let folders = [
        "compiler/",
        "templates/",
        "runtime/",
        "tests/",
        "benches/",
        "docs/",
        ".ci/",
    ];
    let mut missing = Vec::new();
    let mut seen = 0;
    for (name, document) in documents() {
        for (line, span) in &document.code_spans {
            let path = span.split([' ', ':']).next().unwrap_or_default();
            let is_path = folders.iter().any(|f| path.starts_with(f)) && !path.contains(['<', '*']);
            if is_path {
                seen += 1;
                if !root().join(path).exists() {
                    missing.push(format!("{name}:{line}: {path}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(
        seen > 20,
        "only {seen} paths found; has the form of the documents changed?"
    );
}

/// The arguments that a documented command gives to `tdse`, or `None` for another command.
fn tdse_arguments(words: &[String]) -> Option<&[String]> {
    match words {
        [tdse, rest @ ..] if tdse == "tdse" => Some(rest),
        [cargo, run, rest @ ..] if cargo == "cargo" && run == "run" => {
            let end = rest.iter().position(|w| w == "--")?;
            Some(&rest[end + 1..])
        }
        _ => None,
    }
}

/// Whether a command that is not `tdse` is one that may stand in a document without being run here:
/// a script of the project, or cargo itself.
fn is_known(words: &[String]) -> bool {
    words[0] == "cargo" || root().join(&words[0]).is_file()
}

#[test]
fn commands_run_as_written() {
    let tdse = program().unwrap();
    let mut ran = 0;
    let mut failed = Vec::new();
    for (name, document) in documents() {
        // One folder a document, so that a command can use what the one before it made. It holds
        // the file that the documents call line.s4p.
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("line.s4p"), two_lines()).unwrap();
        for command in &document.shell {
            match tdse_arguments(&command.words) {
                Some(arguments) => {
                    ran += 1;
                    failed.extend(run(&tdse, arguments, folder.path(), &name, command));
                }
                None if is_known(&command.words) => {}
                None => failed.push(format!(
                    "{name}:{}: {:?} cannot be checked; show it in a ```text block",
                    command.line, command.words
                )),
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran >= 4, "only {ran} commands found");
}

/// Touchstone text of two uncoupled, matched lines: a delay of 20 steps, a tenth lost. From 0 to
/// 10 GHz in steps of 100 MHz, so that a step is 1 / (201 * 100 MHz).
fn two_lines() -> String {
    let mut text = String::from("# GHz S MA R 50\n");
    for n in 0..=100 {
        text += &format!("{}", f64::from(n) / 10.0);
        let thru = format!(" 0.9 {}", -360.0 * f64::from(n * 20) / 201.0);
        for (row, col) in (0..16).map(|i| (i / 4, i % 4)) {
            text += if row ^ col == 1 { &thru } else { " 0 0" };
            text += if col == 3 { "\n" } else { "" };
        }
    }
    text
}

fn run(
    tdse: &Path,
    arguments: &[String],
    folder: &Path,
    name: &str,
    command: &ShellLine,
) -> Option<String> {
    let out = Command::new(tdse)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let at = format!("{name}:{}: tdse {}", command.line, arguments.join(" "));
    println!("{at}: {}", out.status);
    let text = String::from_utf8_lossy(&out.stderr);
    (!out.status.success()).then(|| format!("{at}: {}\n{text}", out.status))
}

#[test]
fn every_document_can_be_found_from_the_readme() {
    let Some(files) = tracked_files() else { return };
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for name in files
        .iter()
        .filter(|n| n.starts_with("docs/") && n.ends_with(".md"))
    {
        assert!(
            readme.contains(name.as_str()),
            "README.md does not lead to {name}"
        );
    }
}
