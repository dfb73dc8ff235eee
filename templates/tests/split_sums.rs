//! A sum of the class sequential may be split between any two terms.
#![allow(clippy::unwrap_used)]

use tdse_kir::{Contraction, Elem, KirArg, interpret, verify};
use tdse_templates::{BlockLayout, BlockSchedule, BlockShape, temporal_block};

/// Small whole numbers, different ones.
fn whole(i: usize) -> f64 {
    ((i * 37 + 11) % 29) as f64 - 14.0
}

#[test]
fn a_sum_in_two_calls_has_the_bits_of_one() {
    let (np, nq, steps) = (3, 2, 5);
    let run = |lags: usize, from: usize, x: &[f64], y: &mut [f64]| {
        let shape = BlockShape {
            np,
            nq,
            lags,
            block: steps,
            x_stride: 16,
            y_stride: steps,
            elem: Elem::F64,
        };
        let schedule = BlockSchedule { rows: 2, lanes: 4 };
        let layout = BlockLayout::new(&shape, schedule);
        let mut h = vec![0.0; layout.len()];
        for q in 0..nq {
            for (j, p) in (0..lags).flat_map(|j| (0..np).map(move |p| (j, p))) {
                // Nothing that a sum in another order would give the same bits.
                h[layout.index(q, j, p)] = whole((q * 31 + from + j) * np + p) / 7.0;
            }
        }
        let kernel = temporal_block(&shape, Contraction::Fma, schedule).unwrap();
        let args = &mut [KirArg::F64(&h), KirArg::F64(x), KirArg::F64Mut(y)];
        interpret(&verify(kernel).unwrap(), args).unwrap();
    };
    let x: Vec<f64> = (0..48).map(|i| whole(i) / 3.0).collect();
    let before: Vec<f64> = (0..nq * steps).map(|i| whole(i) / 11.0).collect();
    let (mut once, mut twice, mut swapped) = (before.clone(), before.clone(), before);
    run(7, 0, &x, &mut once);
    run(3, 0, &x, &mut twice);
    run(4, 3, &x[3..], &mut twice);
    assert_eq!(twice, once);
    run(4, 3, &x[3..], &mut swapped);
    run(3, 0, &x, &mut swapped);
    assert_ne!(swapped, once, "the order counts");
}
