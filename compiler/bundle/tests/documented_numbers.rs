//! docs/bundle-format.md has a row for each number, with its name, and no others.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use tdse_bundle::{BundleError, CacheMiss};

#[test]
fn every_number_has_its_row() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bundle-format.md");
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| 7"))
        .collect();
    let all: Vec<_> = [BundleError::ALL, CacheMiss::ALL].concat();
    assert_eq!(rows.len(), all.len());
    for (row, (code, name)) in rows.iter().zip(all) {
        assert!(row.starts_with(&format!("| {code} | `{name}` | ")), "{row}");
    }
}
