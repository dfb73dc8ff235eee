//! The sizes of this machine's data caches, as Linux tells them.
//!
//! `/sys/devices/system/cpu/cpu0/cache/index*/` has one small file for level, type and size each.
//! What is missing or makes no sense is left out: the caller falls back on documented sizes.

use std::fs;
use std::path::Path;

/// The largest level taken seriously.
const LEVELS: usize = 4;

/// Bytes of the caches that hold data, the smallest level first; empty where nothing can be read.
pub(crate) fn sizes() -> Vec<u64> {
    sizes_under(Path::new("/sys/devices/system/cpu/cpu0/cache"))
}

fn sizes_under(folder: &Path) -> Vec<u64> {
    let mut by_level = [0u64; LEVELS];
    for index in 0..8 {
        let entry = folder.join(format!("index{index}"));
        // An index that cannot be read describes no cache.
        if let Some((level, size)) = data_cache(&entry)
            && let Some(slot) = by_level.get_mut(level.wrapping_sub(1))
        {
            *slot = size;
        }
    }
    let mut sizes: Vec<u64> = by_level.into_iter().filter(|&size| size > 0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Level and bytes of the cache that an entry describes.
fn data_cache(entry: &Path) -> Option<(usize, u64)> {
    let text = |name: &str| fs::read_to_string(entry.join(name)).ok();
    if text("type")?.trim() == "Instruction" {
        return None;
    }
    let level = text("level")?.trim().parse().ok()?;
    Some((level, parse_size(text("size")?.trim())?))
}

/// `32K`, `1M` or plain bytes.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, text.as_bytes()[digits.len()]),
        None => (text, b'B'),
    };
    let shift = match unit {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        _ => 0,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn sizes_are_read_with_their_unit() {
        assert_eq!(parse_size("32K"), Some(32 << 10));
        assert_eq!(parse_size("1M"), Some(1 << 20));
        assert_eq!(parse_size("96"), Some(96));
        assert_eq!(parse_size("18446744073709551615G"), None);
        assert_eq!(parse_size("K"), None);
        assert_eq!(parse_size(""), None);
    }

    #[test]
    fn instruction_caches_and_nonsense_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for (index, [level, kind, size]) in [
            ["1", "Data", "48K"],
            ["1", "Instruction", "32K"],
            ["3", "Unified", "32M"],
            ["2", "Unified", "2048K"],
            ["9", "Unified", "1G"],
            ["x", "Unified", "1G"],
        ]
        .into_iter()
        .enumerate()
        {
            let entry = folder.path().join(format!("index{index}"));
            fs::create_dir(&entry).unwrap();
            for (name, value) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(entry.join(name), format!("{value}\n")).unwrap();
            }
        }
        assert_eq!(sizes_under(folder.path()), [48 << 10, 2 << 20, 32 << 20]);
        assert!(sizes_under(&folder.path().join("absent")).is_empty());
    }
}
