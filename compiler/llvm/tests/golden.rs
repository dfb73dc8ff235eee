//! The hot loop of kernels for four targets, as text. `TDSE_BLESS=1` rewrites the files.
//!
//! Whatever the text says: a hot loop holds no call and no access to the stack.
#![cfg(feature = "llvm")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use tdse_isa::{Level, Preference};
use tdse_kir::{Contraction, Elem, verify};
use tdse_llvm::Llvm;
use tdse_templates::{DirectShape, Schedule, direct};

const FOUR_ROWS: Schedule = Schedule::Taps { rows: 4, unroll: 1 };

#[test]
fn taps_of_four_rows_at_v3() {
    let text = hot_loop(FOUR_ROWS, Contraction::Fma, Level::V3, Preference::Bits256);
    assert_eq!(count(&text, "vfmadd"), 8);
    assert_eq!(count(&text, "zmm"), 0);
    golden("direct_taps_r4_f64.v3.txt", &text);
}

#[test]
fn taps_of_four_rows_at_v4_with_512_bits() {
    let text = hot_loop(FOUR_ROWS, Contraction::Fma, Level::V4, Preference::Bits512);
    assert_eq!(count(&text, "vfmadd"), 4);
    golden("direct_taps_r4_f64.v4.txt", &text);
}

#[test]
fn taps_of_two_rows_at_v2() {
    let two = Schedule::Taps { rows: 2, unroll: 1 };
    let text = hot_loop(two, Contraction::Separate, Level::V2, Preference::Widest);
    assert_eq!(count(&text, "ymm"), 0);
    assert_eq!(count(&text, "\tv"), 0, "{text}");
    golden("direct_taps_r2_f64.v2.txt", &text);
}

#[test]
fn taps_of_two_rows_for_aarch64() {
    let two = Schedule::Taps { rows: 2, unroll: 1 };
    let text = hot_loop(two, Contraction::Fma, Level::Neon, Preference::Widest);
    assert_eq!(count(&text, "fmla"), 8);
    golden("direct_taps_r2_f64.aarch64.txt", &text);
}

#[test]
fn no_schedule_that_fits_the_registers_touches_the_stack() {
    let widths = [
        Preference::Bits128,
        Preference::Bits256,
        Preference::Bits512,
    ];
    for width in widths {
        for rows in 1..=8 {
            for level in [Level::V2, Level::V3, Level::V4, Level::Neon] {
                let registers = 64 / Llvm::with_width(width).register_bytes(level);
                let free = match (level, registers) {
                    (Level::V4, 1..=2) => 24,
                    (Level::V4 | Level::Neon, _) => 20,
                    (Level::V3, 1..=2) => 12,
                    _ => 8,
                };
                if usize::from(rows) * registers > free {
                    continue;
                }
                let taps = Schedule::Taps { rows, unroll: 1 };
                let text = hot_loop(taps, Contraction::Separate, level, width);
                assert_eq!(count(&text, "fmadd") + count(&text, "fmla"), 0, "{text}");
            }
        }
    }
}

/// The innermost loop of 16 x 24 x 1023 taps in f64, checked for calls and stack accesses.
fn hot_loop(
    schedule: Schedule,
    contraction: Contraction,
    level: Level,
    width: Preference,
) -> String {
    let shape = DirectShape {
        np: 16,
        nq: 24,
        taps: 1023,
        elem: Elem::F64,
    };
    let kernel = verify(direct(&shape, contraction, schedule).unwrap()).unwrap();
    let backend = Llvm::with_width(width).with_listing();
    let image = backend.compile(&kernel, level).unwrap();
    let listing = image.listing.unwrap();
    let text = innermost(&listing).unwrap_or_else(|| panic!("no loop in\n{listing}"));
    for forbidden in ["call", "\tbl\t", "rsp", "rbp", "sp,", "[sp"] {
        assert_eq!(
            count(&text, forbidden),
            0,
            "{schedule} at {level}: {forbidden} in\n{text}"
        );
    }
    text
}

/// The shortest stretch from a label to a branch back to it, without comments.
fn innermost(listing: &str) -> Option<String> {
    let lines: Vec<&str> = listing
        .lines()
        .map(|line| line.split("# ").next().unwrap_or_default().trim_end())
        .map(|line| line.split("//").next().unwrap_or_default().trim_end())
        .filter(|line| !line.is_empty())
        .collect();
    let mut loops = Vec::new();
    for (end, line) in lines.iter().enumerate() {
        let Some(at) = line.find(".LBB") else {
            continue;
        };
        let label: String = line[at..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
            .collect();
        let head = format!("{label}:");
        let start = lines[..end].iter().rposition(|l| l.trim() == head);
        loops.extend(start.map(|start| (end - start, start, end)));
    }
    let &(_, start, end) = loops.iter().min()?;
    let text = lines[start..=end].iter();
    Some(text.map(|line| format!("{line}\n")).collect())
}

fn count(text: &str, word: &str) -> usize {
    text.matches(word).count()
}

fn golden(name: &str, found: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    tdse_tests::golden::golden(&folder.join(name), found);
}
