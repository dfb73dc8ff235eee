//! Golden files: text that is compared with what stands in a file; `TDSE_BLESS=1` rewrites the file.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

/// Compares `found` with the file, and shows what differs line by line.
pub fn golden(path: &Path, found: &str) {
    if std::env::var_os("TDSE_BLESS").is_some() {
        fs::write(path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected != found {
        panic!(
            "{} differs; TDSE_BLESS=1 accepts this:\n{}",
            path.display(),
            difference(&expected, found)
        );
    }
}

/// Lines lost (`-`), gained (`+`) and kept, by their longest common subsequence.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut kept = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            kept[i][j] = if old[i] == new[j] {
                kept[i + 1][j + 1] + 1
            } else {
                kept[i + 1][j].max(kept[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        let (mark, line) = if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            (' ', old[i - 1])
        } else if j == new.len() || i < old.len() && kept[i + 1][j] >= kept[i][j + 1] {
            i += 1;
            ('-', old[i - 1])
        } else {
            j += 1;
            ('+', new[j - 1])
        };
        text.push_str(&format!("{mark}{line}\n"));
    }
    text
}
