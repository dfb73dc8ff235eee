//! The hot loop of two kernels, as text. `TDSE_BLESS=1` rewrites the files.
//!
//! Whatever the text says, a hot loop holds no call and no access to the stack, and an image no
//! relocation (the backend refuses to return one).
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use tdse_cranelift::Cranelift;
use tdse_isa::Level;
use tdse_kir::{Contraction, Elem, verify};
use tdse_templates::{DirectShape, Schedule, direct};

#[test]
fn direct_taps_three_rows_f64() {
    let loop_text = hot_loop(
        Schedule::Taps { rows: 3, unroll: 1 },
        Contraction::Fma,
        Level::V3,
    );
    assert_eq!(count(&loop_text, "vfmadd"), 12);
    golden("direct_taps_r3_f64.v3.txt", &loop_text);
}

#[test]
fn direct_rows_two_lanes_f64() {
    let loop_text = hot_loop(
        Schedule::Rows {
            lanes: 2,
            unroll: 1,
        },
        Contraction::Fma,
        Level::V3,
    );
    assert_eq!(count(&loop_text, "vfmadd"), 8);
    golden("direct_rows_w2_f64.v3.txt", &loop_text);
}

#[test]
fn no_schedule_that_fits_the_registers_touches_the_stack() {
    let fits = [
        Schedule::Taps { rows: 1, unroll: 1 },
        Schedule::Taps { rows: 2, unroll: 4 },
        Schedule::Taps { rows: 3, unroll: 2 },
        Schedule::Rows {
            lanes: 2,
            unroll: 2,
        },
    ];
    for schedule in fits {
        hot_loop(schedule, Contraction::Fma, Level::V3);
        for level in [Level::Baseline, Level::V2, Level::V3] {
            let text = hot_loop(schedule, Contraction::Separate, level);
            assert_eq!(count(&text, "fmadd"), 0, "{schedule} at {level}");
        }
    }
}

/// The innermost loop of 16 x 12 x 1023 taps in f64, checked for calls and stack accesses.
fn hot_loop(schedule: Schedule, contraction: Contraction, level: Level) -> String {
    let shape = DirectShape {
        np: 16,
        nq: 12,
        taps: 1023,
        elem: Elem::F64,
    };
    let kernel = verify(direct(&shape, contraction, schedule).unwrap()).unwrap();
    let image = Cranelift::with_listing().compile(&kernel, level).unwrap();
    let listing = image.listing.unwrap();
    let text = innermost(&listing).unwrap_or_else(|| panic!("no loop in\n{listing}"));
    for forbidden in ["call", "rsp", "rbp"] {
        assert_eq!(
            count(&text, forbidden),
            0,
            "{schedule} at {level}: {forbidden} in\n{text}"
        );
    }
    text
}

/// The shortest stretch of blocks from a label to a branch back to it.
fn innermost(listing: &str) -> Option<String> {
    let lines: Vec<&str> = listing.lines().collect();
    let start_of = |label: &str| {
        let head = format!("block{label}:");
        lines
            .iter()
            .position(|line| line.trim_start().starts_with(&head))
    };
    let mut loops = Vec::new();
    for (end, line) in lines.iter().enumerate() {
        for reference in line.split("label").skip(1) {
            let label = reference.split(|c: char| !c.is_ascii_digit()).next()?;
            if let Some(start) = start_of(label).filter(|&start| start <= end) {
                loops.push((end - start, start, end));
            }
        }
    }
    let &(_, start, end) = loops.iter().min()?;
    Some(
        lines[start..=end]
            .iter()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect(),
    )
}

fn count(text: &str, word: &str) -> usize {
    text.matches(word).count()
}

fn golden(name: &str, found: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    tdse_tests::golden::golden(&folder.join(name), found);
}
