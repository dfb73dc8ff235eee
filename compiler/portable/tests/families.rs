//! Kernels of the direct families: bits on every level, and whole-loop steps where they belong.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::families::Family;
use harness::{check, describe};
use tdse_kir::{Access, Affine, Contraction, Elem, KernelBuilder, NumericClass, VecType};

const CONTRACTIONS: [Contraction; 2] = [Contraction::Fma, Contraction::Separate];

fn family(elem: Elem, contraction: Contraction, rows: i64) -> Family {
    Family {
        elem,
        contraction,
        rows,
        blocks: 2,
        unroll: 1,
        steps: 5,
        left: 0,
        tail: 0,
    }
}

#[test]
fn taps_of_every_height() {
    for elem in [Elem::F64, Elem::F32] {
        for contraction in CONTRACTIONS {
            for rows in 1..=9 {
                for (unroll, steps, left, tail) in [
                    (1, 5, 0, 0),
                    (1, 1, 0, 3),
                    (1, 2, 2, 7),
                    (2, 3, 1, 1),
                    (3, 2, 0, 0),
                    (1, 0, 3, 5),
                ] {
                    let f = Family {
                        unroll,
                        steps,
                        left,
                        tail,
                        ..family(elem, contraction, rows)
                    };
                    check(f.taps(), &[], rows as u64);
                    let loops = describe(&f.taps()).contains(&format!(
                        "mac_taps {} r={rows} n={steps} x{unroll}",
                        elem.name()
                    ));
                    assert_eq!(loops, rows <= 8, "{f:?}\n{}", describe(&f.taps()));
                }
            }
        }
    }
}

#[test]
fn rows_of_every_width() {
    for elem in [Elem::F64, Elem::F32] {
        for contraction in CONTRACTIONS {
            for rows in [1, 2, 4, 8, 16, 32] {
                for (unroll, steps, left, tail) in [
                    (1, 5, 0, 0),
                    (1, 1, 0, 3),
                    (1, 2, 2, 7),
                    (2, 3, 1, 1),
                    (1, 0, 1, 5),
                ] {
                    let f = Family {
                        unroll,
                        steps,
                        left,
                        tail,
                        ..family(elem, contraction, rows)
                    };
                    check(f.rows(), &[], rows as u64);
                    let text = describe(&f.rows());
                    let lanes = rows.min(8);
                    let line =
                        format!("mac_rows {} w={lanes} a=8 n={steps} x{unroll}", elem.name());
                    let passes = text.matches(&line).count() as i64;
                    let wanted = if rows == 1 { 0 } else { (rows + 7) / 8 };
                    assert_eq!(passes, wanted, "{f:?}\n{text}");
                }
            }
        }
    }
}

#[test]
fn straight_line_groups_are_one_step() {
    let f = Family {
        steps: 0,
        left: 4,
        blocks: 3,
        ..family(Elem::F64, Contraction::Fma, 3)
    };
    let text = describe(&f.taps());
    assert!(text.contains("mac_taps f64 r=3 n=1 x4"), "{text}");
    assert!(!text.contains("= fma"), "{text}");
    let f = Family {
        rows: 4,
        left: 2,
        tail: 3,
        ..f
    };
    let text = describe(&f.rows());
    assert!(text.contains("mac_rows f64 w=4 a=8 n=1 x2"), "{text}");
    assert_eq!(text.matches("= fma").count(), 3, "the tail\n{text}");
}

#[test]
fn chains_start_from_a_constant_beside_them() {
    let mut b = KernelBuilder::new("short", NumericClass::direct(Contraction::Fma));
    let x = b.buffer("x", Elem::F64, 64, Access::ReadOnly, 8);
    let y = b.buffer("y", Elem::F64, 1, Access::WriteOnly, 8);
    let ty = VecType::new(Elem::F64, 8);
    let mut sum = b.constant(ty, 0.0);
    for g in 0..3 {
        let (taps, window) = (
            b.load(ty, x, Affine::at(8 * g)),
            b.load(ty, x, Affine::at(40)),
        );
        sum = b.fma(taps, window, sum);
    }
    let total = b.reduce(sum);
    b.store(y, Affine::at(0), total, 1);
    let kernel = b.finish();
    assert!(
        describe(&kernel).contains("mac_taps f64 r=1 n=1 x3"),
        "{}",
        describe(&kernel)
    );
    check(kernel, &[], 1);
}

#[test]
fn a_whole_program_as_text() {
    let f = Family {
        blocks: 1,
        steps: 255,
        ..family(Elem::F64, Contraction::Fma, 2)
    };
    let expected = "\
taps_f64_r2_u1: 4 registers
  f64 r0 = 0.0
  loop i0 in 0..1
    r1 = r0
    r2 = r0
    mac_taps f64 r=2 n=255 x1
    f64 r3 = reduce r1 lanes 8
    f64 store p2 r3 lanes 1
    f64 r1 = reduce r2 lanes 8
    f64 store p2 r1 lanes 1
  end
";
    assert_eq!(describe(&f.taps()), expected);
}
