//! The table of refusals in docs/pack-format.md is the list in the code.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::path::Path;

use tdse_pack::PackError;

/// Rows `| 1234 | name | ... |` of the document.
fn documented() -> Vec<(u32, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pack-format.md");
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let code = cells.next()?.parse().ok()?;
        let name = cells.next()?.trim_matches('`').to_owned();
        let meaning = cells.next()?;
        assert!(!meaning.is_empty(), "{line}");
        Some((code, name))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn the_document_lists_every_code_once_and_in_order() {
    let listed = PackError::all_codes();
    let listed: Vec<(u32, String)> = listed.iter().map(|(c, n)| (*c, (*n).to_owned())).collect();
    assert_eq!(documented(), listed);
}

#[test]
fn numbers_are_unique_and_names_are_unique_in_their_area() {
    let all = PackError::all_codes();
    let numbers: HashSet<u32> = all.iter().map(|(code, _)| *code).collect();
    assert_eq!(numbers.len(), all.len());
    let names: HashSet<(u32, &str)> = all
        .iter()
        .map(|(code, name)| (code / 1000, *name))
        .collect();
    assert_eq!(names.len(), all.len());
    for (code, name) in all {
        assert!((1000..6000).contains(&code), "{code}");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(name.chars().all(plain), "{name}");
    }
}
