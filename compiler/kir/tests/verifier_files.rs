//! Every rule of the verifier has a passing file and a failing one, and the failing one fails with
//! the error its comment states, at the line where the comment stands.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

use tdse_kir::{KirError, Rule, parse, parse_all, verify};

fn file(rule: Rule, kind: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/verifier");
    let path = folder.join(format!("{rule}.{kind}.kir"));
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn no_file_without_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/verifier");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let rule = name
            .trim_end_matches(".kir")
            .trim_end_matches(".pass")
            .trim_end_matches(".fail");
        assert!(
            Rule::ALL.iter().any(|r| r.name() == rule),
            "{name} is the file of no rule"
        );
    }
}

#[test]
fn passing_files_pass() {
    for rule in Rule::ALL {
        for kernel in parse_all(&file(rule, "pass")).unwrap() {
            let text = kernel.to_string();
            let verified = verify(kernel).unwrap_or_else(|e| panic!("{rule}.pass: {e}"));
            assert_eq!(parse(&text).unwrap().to_string(), text);
            assert_eq!(verified.to_string(), text);
        }
    }
}

#[test]
fn failing_files_fail_where_they_say() {
    for rule in Rule::ALL {
        let text = file(rule, "fail");
        let mut kernels: Vec<String> = Vec::new();
        for line in text.lines() {
            if line.starts_with("kernel ") {
                kernels.push(String::new());
            }
            if let Some(kernel) = kernels.last_mut() {
                *kernel += line;
                *kernel += "\n";
            }
        }
        assert!(!kernels.is_empty());
        let mut rule_seen = false;
        for kernel in &kernels {
            rule_seen |= fails_where_it_says(kernel) == rule.name();
        }
        let by_parser = rule == Rule::IndexScope;
        assert!(
            rule_seen || by_parser,
            "{rule}.fail.kir never breaks its rule"
        );
    }
}

/// Checks one kernel, and returns the name of its error.
fn fails_where_it_says(text: &str) -> &str {
    let mut marked = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("//~ ERROR "));
    let (number, line) = marked
        .next()
        .unwrap_or_else(|| panic!("no expectation in\n{text}"));
    assert_eq!(marked.next(), None, "two expectations in\n{text}");
    let (statement, expected) = line.split_once("//~ ERROR ").unwrap();
    let error = match parse(text) {
        Ok(kernel) => verify(kernel).map(|_| ()).expect_err(text),
        Err(error) => error,
    };
    assert_eq!(error.name(), expected.trim(), "{error}\n{text}");
    match &error {
        KirError::Refused { at, .. } => {
            assert!(
                statement.trim().starts_with(at.as_str()),
                "{error}\nexpected at {line}"
            );
        }
        KirError::Syntax {
            line: found,
            column,
            ..
        }
        | KirError::Number {
            line: found,
            column,
            ..
        }
        | KirError::UndefinedName {
            line: found,
            column,
            ..
        } => {
            assert_eq!(*found as usize, number + 1, "{error}");
            assert!((1..=line.len()).contains(&(*column as usize)), "{error}");
        }
        other => panic!("{other}"),
    }
    expected.trim()
}
