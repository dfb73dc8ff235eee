//! The families that work ahead: schedules as text, packed layouts, values against plain loops.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use tdse_kir::{Contraction, Elem, KirArg, NumericClass, interpret, parse, verify};
use tdse_templates::{
    BlockLayout, BlockSchedule, BlockShape, SpectralLayout, SpectralSchedule, SpectralShape,
    TemplateError, spectral_mac, temporal_block,
};

const LANES: [u8; 5] = [1, 2, 4, 8, 16];

fn spectral(np: usize, nq: usize, groups: usize, lanes: u8) -> SpectralShape {
    let bins = groups * usize::from(lanes);
    SpectralShape {
        np,
        nq,
        groups,
        lanes,
        y_stride: 2 * bins + 3,
        y_im: bins + 1,
        elem: Elem::F64,
    }
}

fn spectral_shapes() -> impl Iterator<Item = (SpectralShape, SpectralSchedule)> {
    let sizes = [(1, 1), (2, 3), (3, 1), (5, 8), (1, 7), (8, 2)];
    sizes
        .into_iter()
        .zip(0_usize..)
        .flat_map(|((np, nq), turn)| {
            [1, 2, 3, 7].into_iter().map(move |groups| {
                let lanes = LANES[(turn + groups) % 5];
                let rows = [1, 2, 3, 5][(turn + groups) % 4];
                let shape = spectral(np, nq, groups, lanes);
                (shape, SpectralSchedule { rows })
            })
        })
}

fn block(np: usize, nq: usize, lags: usize, block: usize) -> BlockShape {
    BlockShape {
        np,
        nq,
        lags,
        block,
        x_stride: block + lags + 1,
        y_stride: block + 2,
        elem: Elem::F64,
    }
}

fn block_shapes() -> impl Iterator<Item = (BlockShape, BlockSchedule)> {
    let sizes = [(1, 1), (2, 3), (3, 1), (5, 8), (1, 7), (8, 2), (11, 4)];
    sizes
        .into_iter()
        .zip(0_usize..)
        .flat_map(|((np, nq), turn)| {
            [
                (1, 1),
                (2, 2),
                (7, 3),
                (31, 5),
                (1, 7),
                (2, 8),
                (7, 16),
                (31, 33),
            ]
            .into_iter()
            .zip(turn..)
            .map(move |((lags, steps), turn)| {
                let rows = [1, 2, 3, 5][turn % 4];
                let lanes = LANES[turn % 5];
                (block(np, nq, lags, steps), BlockSchedule { rows, lanes })
            })
        })
}

/// Small whole numbers, different ones: sums are exact in any order.
fn whole(i: usize) -> f64 {
    ((i * 37 + 11) % 29) as f64 - 14.0
}

#[test]
fn schedules_print_and_parse_and_other_text_is_refused() {
    for rows in 1..=8 {
        let schedule = SpectralSchedule { rows };
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
        for lanes in LANES {
            let schedule = BlockSchedule { rows, lanes };
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
    }
    assert_eq!(SpectralSchedule { rows: 4 }.to_string(), "spectral.r4");
    assert_eq!(
        BlockSchedule { rows: 3, lanes: 16 }.to_string(),
        "block.r3.l16"
    );
    let code = |text: &str| {
        let spectral = text.parse::<SpectralSchedule>().map_err(|e| e.code());
        let block = text.parse::<BlockSchedule>().map_err(|e| e.code());
        (spectral.unwrap_err(), block.unwrap_err())
    };
    for text in [
        "",
        "spectral",
        "spectral.r",
        "spectral.r+4",
        "spectral.r04",
        "spectral.r4.l2",
        "block",
        "block.r2",
        "block.r2.l",
        "block.r2.l4.",
        "block.r 2.l4",
        "block.r2.l256",
        "BLOCK.r2.l4",
        "taps.r3.u1",
    ] {
        assert_eq!(code(text), (6110, 6110), "{text}");
    }
    assert_eq!(code("spectral.r0"), (6109, 6110));
    assert_eq!(code("spectral.r9"), (6109, 6110));
    for text in [
        "block.r0.l4",
        "block.r9.l4",
        "block.r1.l0",
        "block.r1.l3",
        "block.r1.l32",
    ] {
        assert_eq!(code(text), (6110, 6109), "{text}");
    }
}

#[test]
fn shapes_that_make_no_kernel_are_refused_by_name() {
    let good = spectral(2, 3, 2, 4);
    let of = |shape: SpectralShape| {
        let made = spectral_mac(&shape, Contraction::Fma, SpectralSchedule { rows: 2 });
        made.unwrap_err().name()
    };
    assert_eq!(of(SpectralShape { np: 0, ..good }), "size_zero");
    assert_eq!(of(SpectralShape { nq: 0, ..good }), "size_zero");
    assert_eq!(of(SpectralShape { groups: 0, ..good }), "size_zero");
    assert_eq!(of(SpectralShape { lanes: 3, ..good }), "lanes_out_of_range");
    assert_eq!(
        of(SpectralShape { lanes: 32, ..good }),
        "lanes_out_of_range"
    );
    assert_eq!(of(SpectralShape { y_im: 7, ..good }), "rows_overlap");
    assert_eq!(
        of(SpectralShape {
            y_stride: 16,
            ..good
        }),
        "rows_overlap"
    );
    assert_eq!(
        of(SpectralShape {
            np: usize::MAX,
            ..good
        }),
        "buffer_too_large"
    );
    assert_eq!(
        of(SpectralShape {
            groups: 1 << 40,
            ..good
        }),
        "buffer_too_large"
    );
    assert_eq!(
        of(SpectralShape {
            y_stride: usize::MAX,
            ..good
        }),
        "buffer_too_large"
    );
    assert_eq!(
        of(SpectralShape {
            y_im: usize::MAX,
            ..good
        }),
        "buffer_too_large"
    );

    let good = block(2, 3, 5, 4);
    let of = |shape: BlockShape| {
        let made = temporal_block(
            &shape,
            Contraction::Fma,
            BlockSchedule { rows: 2, lanes: 4 },
        );
        made.unwrap_err().name()
    };
    assert_eq!(of(BlockShape { np: 0, ..good }), "size_zero");
    assert_eq!(of(BlockShape { nq: 0, ..good }), "size_zero");
    assert_eq!(of(BlockShape { lags: 0, ..good }), "size_zero");
    assert_eq!(of(BlockShape { block: 0, ..good }), "size_zero");
    assert_eq!(
        of(BlockShape {
            y_stride: 3,
            ..good
        }),
        "rows_overlap"
    );
    assert_eq!(
        of(BlockShape {
            lags: usize::MAX,
            ..good
        }),
        "buffer_too_large"
    );
    assert_eq!(
        of(BlockShape {
            block: usize::MAX,
            ..good
        }),
        "buffer_too_large"
    );
    assert_eq!(
        of(BlockShape {
            x_stride: usize::MAX,
            ..good
        }),
        "buffer_too_large"
    );
    let wrong = BlockSchedule { rows: 1, lanes: 5 };
    let refusal = temporal_block(&good, Contraction::Fma, wrong).unwrap_err();
    assert!(
        matches!(refusal, TemplateError::MacSchedule { .. }),
        "{refusal}"
    );
}

#[test]
fn imaginary_parts_may_stand_behind_all_rows() {
    let shape = SpectralShape {
        y_stride: 8,
        y_im: 24,
        ..spectral(2, 3, 2, 4)
    };
    let made = spectral_mac(&shape, Contraction::Fma, SpectralSchedule { rows: 2 });
    verify(made.unwrap()).unwrap();
}

#[test]
fn every_entry_has_a_place_of_its_own_and_nothing_is_padding() {
    for (shape, schedule) in spectral_shapes() {
        let layout = SpectralLayout::new(&shape, schedule);
        let mut taken = vec![false; layout.len()];
        let mut take = |at: usize| {
            for place in &mut taken[at..at + usize::from(shape.lanes)] {
                assert!(!*place, "{shape:?} {schedule}");
                *place = true;
            }
        };
        for (q, p) in (0..shape.nq).flat_map(|q| (0..shape.np).map(move |p| (q, p))) {
            for g in 0..shape.groups {
                take(layout.re(g, q, p));
                take(layout.im(g, q, p));
            }
        }
        assert!(taken.iter().all(|&t| t), "{shape:?} {schedule}");
    }
    for (shape, schedule) in block_shapes() {
        let layout = BlockLayout::new(&shape, schedule);
        let mut taken = vec![false; layout.len()];
        for q in 0..shape.nq {
            for (j, p) in (0..shape.lags).flat_map(|j| (0..shape.np).map(move |p| (j, p))) {
                let place = &mut taken[layout.index(q, j, p)];
                assert!(!*place, "{shape:?} {schedule}");
                *place = true;
            }
        }
        assert!(taken.iter().all(|&t| t), "{shape:?} {schedule}");
    }
}

#[test]
fn every_kernel_verifies_survives_its_text_and_has_a_name_of_its_own() {
    let mut names = HashSet::new();
    for contraction in [Contraction::Fma, Contraction::Separate] {
        let made = spectral_shapes()
            .map(|(shape, schedule)| spectral_mac(&shape, contraction, schedule))
            .chain(block_shapes().map(|(shape, s)| temporal_block(&shape, contraction, s)));
        for kernel in made.map(Result::unwrap) {
            assert_eq!(parse(&kernel.to_string()).as_ref(), Ok(&kernel));
            assert_eq!(kernel.class, NumericClass::sequential(contraction));
            assert!(names.insert(kernel.name.clone()), "{}", kernel.name);
            verify(kernel).unwrap();
        }
    }
}

#[test]
fn code_does_not_grow_with_a_shape() {
    let statements = |kernel: tdse_kir::Kernel| kernel.to_string().lines().count();
    let of = |n: usize| {
        let schedule = SpectralSchedule { rows: 2 };
        let shape = spectral(2 * n + 1, 2 * n + 1, n, 2);
        statements(spectral_mac(&shape, Contraction::Fma, schedule).unwrap())
    };
    assert_eq!(of(5), of(500));
    let of = |n: usize| {
        let schedule = BlockSchedule { rows: 2, lanes: 4 };
        let shape = block(12 * n, 2 * n + 1, n, 4 * n + 1);
        statements(temporal_block(&shape, Contraction::Fma, schedule).unwrap())
    };
    assert_eq!(of(5), of(500));
}

#[test]
fn spectral_sums_are_those_of_a_plain_loop() {
    for (shape, schedule) in spectral_shapes() {
        let SpectralShape {
            np,
            nq,
            groups,
            lanes,
            y_stride,
            y_im,
            ..
        } = shape;
        let lanes = usize::from(lanes);
        let layout = SpectralLayout::new(&shape, schedule);
        let entry = |q: usize, p: usize, bin: usize| (q * np + p) * shape.bins() + bin;
        let mut h = vec![0.0; layout.len()];
        let x: Vec<f64> = (0..shape.x_len()).map(whole).collect();
        let before: Vec<f64> = (0..shape.y_len()).map(|i| whole(i + 5)).collect();
        let mut expected = before.clone();
        for (q, p) in (0..nq).flat_map(|q| (0..np).map(move |p| (q, p))) {
            for bin in 0..shape.bins() {
                let (g, lane) = (bin / lanes, bin % lanes);
                let (re, im) = (whole(entry(q, p, bin)), whole(3 * entry(q, p, bin) + 1));
                h[layout.re(g, q, p) + lane] = re;
                h[layout.im(g, q, p) + lane] = im;
                let at = (g * np + p) * 2 * lanes + lane;
                let (x_re, x_im) = (x[at], x[at + lanes]);
                let row = q * y_stride + bin;
                expected[row] += re * x_re - im * x_im;
                expected[row + y_im] += re * x_im + im * x_re;
            }
        }
        for contraction in [Contraction::Fma, Contraction::Separate] {
            let kernel = verify(spectral_mac(&shape, contraction, schedule).unwrap()).unwrap();
            let mut y = before.clone();
            let args = &mut [KirArg::F64(&h), KirArg::F64(&x), KirArg::F64Mut(&mut y)];
            interpret(&kernel, args).unwrap();
            assert_eq!(y, expected, "{} {groups}", kernel.name);
        }
    }
}

#[test]
fn blocks_are_those_of_a_plain_loop() {
    for (shape, schedule) in block_shapes() {
        let BlockShape {
            np,
            nq,
            lags,
            block,
            x_stride,
            y_stride,
            ..
        } = shape;
        let layout = BlockLayout::new(&shape, schedule);
        let tap = |q: usize, j: usize, p: usize| whole((q * lags + j) * np + p);
        let mut h = vec![0.0; layout.len()];
        let x: Vec<f64> = (0..shape.x_len()).map(|i| whole(i + 3)).collect();
        let before: Vec<f64> = (0..shape.y_len()).map(|i| whole(i + 5)).collect();
        let mut expected = before.clone();
        for q in 0..nq {
            for (j, p) in (0..lags).flat_map(|j| (0..np).map(move |p| (j, p))) {
                h[layout.index(q, j, p)] = tap(q, j, p);
                for n in 0..block {
                    expected[q * y_stride + n] += tap(q, j, p) * x[p * x_stride + n + j];
                }
            }
        }
        for contraction in [Contraction::Fma, Contraction::Separate] {
            let kernel = verify(temporal_block(&shape, contraction, schedule).unwrap()).unwrap();
            let mut y = before.clone();
            let args = &mut [KirArg::F64(&h), KirArg::F64(&x), KirArg::F64Mut(&mut y)];
            interpret(&kernel, args).unwrap();
            assert_eq!(y, expected, "{}", kernel.name);
        }
    }
}
