//! docs/cli.md lists the commands, options and exit codes that the program has, no more, no less.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::collections::{BTreeMap, BTreeSet};

use program::{root, tdse, tdse_json};

fn page() -> String {
    std::fs::read_to_string(root().join("docs/cli.md")).unwrap()
}

/// Text of `tdse WORDS --help`.
fn help(words: &[&str]) -> String {
    String::from_utf8(tdse(words.iter().copied().chain(["--help"])).stdout).unwrap()
}

/// Names under the heading "Commands:" of a help text.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = lines
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "));
    listed
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Every command of the program: its words, and its help text.
fn program_commands() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for first in subcommands(&help(&[])) {
        let text = help(&[&first]);
        let below = subcommands(&text);
        for second in &below {
            found.insert(format!("{first} {second}"), help(&[&first, second]));
        }
        if below.is_empty() {
            found.insert(first, text);
        }
    }
    found
}

/// Sections of the page that begin with "## tdse ", by command.
fn page_commands(page: &str) -> BTreeMap<String, String> {
    let parts = page.split("\n## ").skip(1);
    parts
        .filter_map(|part| {
            let (head, body) = part.split_once('\n')?;
            Some((head.strip_prefix("tdse ")?.to_owned(), body.to_owned()))
        })
        .collect()
}

/// Long options in a text, without those that every command has.
fn options(text: &str) -> BTreeSet<String> {
    let common = ["--json-out", "--quiet", "--help", "--version"];
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.len() > 3 && word.starts_with("--") && !word.starts_with("---"))
        .filter(|word| !common.contains(word))
        .map(str::to_owned)
        .collect()
}

#[test]
fn commands_and_options_are_those_of_the_program() {
    let (program, page) = (program_commands(), page_commands(&page()));
    assert_eq!(
        program.keys().collect::<Vec<_>>(),
        page.keys().collect::<Vec<_>>()
    );
    assert!(program.len() >= 7);
    for (name, help) in &program {
        let listed: String = page[name]
            .lines()
            .filter(|line| line.starts_with("| `"))
            .collect();
        assert_eq!(options(help), options(&listed), "options of {name}");
    }
}

#[test]
fn exit_codes_are_those_of_the_program() {
    let (_, envelope) = tdse_json(["features"]);
    let program: Vec<(u64, String)> = envelope["data"]["exit_codes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["code"].as_u64().unwrap(),
                row["meaning"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert!(program.len() >= 7);
    let page = page();
    let section = page
        .split("\n## Exit codes\n")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let listed: Vec<(u64, String)> = section
        .lines()
        .filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            Some((cells.next()?.parse().ok()?, cells.next()?.to_owned()))
        })
        .collect();
    assert_eq!(program, listed);
    let help = help(&[]);
    for (code, meaning) in program {
        assert!(
            help.contains(&format!("{code}  {meaning}")),
            "--help lacks {code} {meaning}"
        );
    }
}

#[test]
fn schemas_are_named() {
    let page = page();
    for name in program_commands().keys() {
        let schema = format!("`tdse.{}/1`", name.replace(' ', "."));
        assert!(page.contains(&schema), "{schema}");
    }
}
