//! Direct kernels: schedules as text, the packed layout, what the verifier makes of each kernel.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use tdse_kir::{Contraction, Elem, KirArg, NumericClass, interpret, parse, verify};
use tdse_templates::{DirectShape, Layout, Schedule, TemplateError, direct};

/// np, nq, taps: one, primes, around the eight partial sums and around every block.
const SHAPES: [(usize, usize, usize); 12] = [
    (1, 1, 1),
    (1, 2, 7),
    (2, 3, 4),
    (3, 1, 3),
    (1, 7, 8),
    (3, 5, 3),
    (5, 8, 7),
    (7, 9, 1),
    (4, 13, 6),
    (2, 16, 17),
    (3, 17, 11),
    (1, 33, 65),
];

fn schedules() -> Vec<Schedule> {
    let mut all = Vec::new();
    for unroll in [1, 2, 3, 8] {
        all.extend([1, 2, 3, 5, 6, 7, 8].map(|rows| Schedule::Taps { rows, unroll }));
        all.extend([2, 4, 8, 16].map(|lanes| Schedule::Rows { lanes, unroll }));
    }
    all
}

fn cases() -> impl Iterator<Item = (DirectShape, Schedule)> {
    SHAPES.into_iter().flat_map(|(np, nq, taps)| {
        let elem = if nq % 2 == 0 { Elem::F32 } else { Elem::F64 };
        let shape = DirectShape { np, nq, taps, elem };
        schedules().into_iter().map(move |s| (shape, s))
    })
}

#[test]
fn schedules_print_and_parse() {
    for schedule in schedules() {
        let text = schedule.to_string();
        assert_eq!(text.parse(), Ok(schedule), "{text}");
    }
    assert_eq!(
        Schedule::Taps { rows: 3, unroll: 1 }.to_string(),
        "taps.r3.u1"
    );
    assert_eq!(
        Schedule::Rows {
            lanes: 16,
            unroll: 8
        }
        .to_string(),
        "rows.w16.u8"
    );
}

#[test]
fn text_that_is_no_schedule_is_refused() {
    for text in [
        "",
        "taps",
        "taps.r3",
        "taps.r3.",
        "taps.r.u1",
        "taps.r3.u",
        "taps.w4.u1",
        "rows.r3.u1",
        "taps.r3.u1.",
        "taps.r3.u1.u1",
        "taps.r-3.u1",
        "taps.r256.u1",
        "taps.r3.u 1",
        "TAPS.r3.u1",
        " taps.r3.u1",
        "fft.r3.u1",
    ] {
        let refusal = text.parse::<Schedule>().unwrap_err();
        assert_eq!(refusal, TemplateError::ScheduleText(text.into()));
        assert_eq!((refusal.code(), refusal.name()), (6104, "schedule_text"));
    }
    for text in [
        "taps.r0.u1",
        "taps.r9.u1",
        "taps.r3.u0",
        "taps.r3.u9",
        "rows.w0.u1",
        "rows.w1.u1",
        "rows.w3.u1",
        "rows.w32.u1",
        "rows.w4.u0",
        "rows.w4.u9",
    ] {
        let refusal = text.parse::<Schedule>().unwrap_err();
        assert_eq!(refusal.code(), 6103, "{text}");
        assert!(refusal.to_string().contains(text), "{refusal}");
    }
}

#[test]
fn shapes_without_terms_or_beyond_all_memory_are_refused() {
    let schedule = Schedule::Taps { rows: 1, unroll: 1 };
    for (np, nq, taps, code) in [
        (0, 1, 1, 6101),
        (1, 0, 1, 6101),
        (1, 1, 0, 6101),
        (1 << 20, 1 << 20, 1, 6102),
        (usize::MAX, 1, 2, 6102),
        (1, usize::MAX, 1, 6102),
        (1, 1, usize::MAX, 6102),
    ] {
        let shape = DirectShape {
            np,
            nq,
            taps,
            elem: Elem::F64,
        };
        let refusal = direct(&shape, Contraction::Fma, schedule).unwrap_err();
        assert_eq!(refusal.code(), code, "{np} {nq} {taps}: {refusal}");
    }
    let shape = DirectShape {
        np: 1,
        nq: 1,
        taps: 1,
        elem: Elem::F64,
    };
    let wrong = Schedule::Rows {
        lanes: 5,
        unroll: 1,
    };
    let refusal = direct(&shape, Contraction::Fma, wrong).unwrap_err();
    assert_eq!(refusal, TemplateError::Schedule(wrong));
}

#[test]
fn every_tap_has_a_place_of_its_own_and_the_rest_is_padding() {
    for (shape, schedule) in cases() {
        let layout = Layout::new(&shape, schedule);
        let mut taken = vec![false; layout.len()];
        for row in 0..shape.nq {
            for term in 0..shape.terms() {
                let place = &mut taken[layout.index(row, term)];
                assert!(!*place, "{shape:?} {schedule}: row {row} term {term}");
                *place = true;
            }
        }
        let padding = taken.iter().filter(|t| !**t).count();
        let expected = match schedule {
            Schedule::Taps { .. } => shape.nq * (shape.terms().next_multiple_of(8) - shape.terms()),
            Schedule::Rows { lanes, .. } => {
                (shape.nq.next_multiple_of(lanes.into()) - shape.nq) * shape.terms()
            }
        };
        assert_eq!(padding, expected, "{shape:?} {schedule}");
    }
}

#[test]
fn every_kernel_verifies_survives_its_text_and_has_a_name_of_its_own() {
    let mut names = HashSet::new();
    for (shape, schedule) in cases() {
        for contraction in [Contraction::Fma, Contraction::Separate] {
            let kernel = direct(&shape, contraction, schedule).unwrap();
            let text = kernel.to_string();
            assert_eq!(parse(&text).as_ref(), Ok(&kernel));
            assert_eq!(kernel.class, NumericClass::direct(contraction));
            assert!(kernel.name.starts_with(schedule.family()));
            assert!(names.insert(kernel.name.clone()), "{}", kernel.name);
            verify(kernel).unwrap();
        }
    }
    // The element type is part of the key as well.
    let of = |elem| {
        let shape = DirectShape {
            np: 2,
            nq: 3,
            taps: 4,
            elem,
        };
        let schedule = Schedule::Rows {
            lanes: 4,
            unroll: 1,
        };
        direct(&shape, Contraction::Fma, schedule).unwrap().name
    };
    assert_ne!(of(Elem::F32), of(Elem::F64));
}

#[test]
fn an_impulse_at_every_term_comes_out_as_its_tap() {
    for (mut shape, schedule) in cases().filter(|(shape, _)| shape.nq * shape.terms() <= 400) {
        shape.elem = Elem::F64;
        let layout = Layout::new(&shape, schedule);
        let mut h = vec![0.0; layout.len()];
        let tap = |row: usize, term: usize| (1 + row * shape.terms() + term) as f64;
        for row in 0..shape.nq {
            for term in 0..shape.terms() {
                h[layout.index(row, term)] = tap(row, term);
            }
        }
        let kernel = verify(direct(&shape, Contraction::Fma, schedule).unwrap()).unwrap();
        for term in 0..shape.terms() {
            let mut x = vec![0.0; shape.terms()];
            x[term] = 1.0;
            let mut y = vec![f64::NAN; shape.nq];
            interpret(
                &kernel,
                &mut [KirArg::F64(&h), KirArg::F64(&x), KirArg::F64Mut(&mut y)],
            )
            .unwrap();
            let expected: Vec<f64> = (0..shape.nq).map(|row| tap(row, term)).collect();
            assert_eq!(y, expected, "{} term {term}", kernel.name);
        }
    }
}
