//! Products against plain loops, for every library at hand.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::thread;

use support::{libraries, numbers};
use tdse_blas::{Blas, BlasElement, BlasRefusal, Form};

/// Rows, columns, and how much the leading dimension exceeds the rows.
const SHAPES: &[[usize; 3]] = &[
    [1, 1, 0],
    [1, 7, 3],
    [7, 1, 0],
    [2, 3, 1],
    [3, 2, 0],
    [5, 5, 2],
    [8, 8, 0],
    [9, 17, 0],
    [13, 101, 5],
    [4, 1021, 0],
    [1021, 4, 1],
    [131, 257, 0],
];

trait Number: BlasElement + Into<f64> + std::fmt::Debug {
    const EPS: f64;
    fn of(value: f64) -> Self;
}

impl Number for f64 {
    const EPS: f64 = f64::EPSILON;
    fn of(value: f64) -> f64 {
        value
    }
}

impl Number for f32 {
    const EPS: f64 = f32::EPSILON as f64;
    fn of(value: f64) -> f32 {
        value as f32
    }
}

fn vector<T: Number>(count: usize, seed: u64) -> Vec<T> {
    numbers(count, seed).into_iter().map(T::of).collect()
}

/// `|found - sum of terms|` within what `count` roundings may do.
fn close<T: Number>(found: T, terms: impl Iterator<Item = (T, T)>, what: &str) {
    let (mut sum, mut magnitude, mut count) = (0.0, 0.0, 1.0);
    for (a, b) in terms {
        let term: f64 = a.into() * b.into();
        sum += term;
        magnitude += term.abs();
        count += 1.0;
    }
    let error = (found.into() - sum).abs();
    // NaN compares false, so a NaN fails.
    assert!(error <= count * T::EPS * magnitude, "{what}: {error:e}");
}

fn gemv_against_loop<T: Number>(blas: &Blas) {
    for &[rows, cols, extra] in SHAPES {
        let lda = rows + extra;
        let a: Vec<T> = vector(lda * (cols - 1) + rows, 1);
        for (form, inputs, outputs) in [(Form::N, cols, rows), (Form::T, rows, cols)] {
            let x: Vec<T> = vector(inputs, 2);
            let mut y = vec![T::of(f64::NAN); outputs];
            blas.gemv(form, rows, cols, &a, lda, &x, &mut y).unwrap();
            for (o, &found) in y.iter().enumerate() {
                let element = |i| match form {
                    Form::N => a[i * lda + o],
                    Form::T => a[o * lda + i],
                };
                let terms = (0..inputs).map(|i| (element(i), x[i]));
                close(
                    found,
                    terms,
                    &format!("{form} {rows} x {cols} + {extra}, {o}"),
                );
            }
        }
    }
}

fn gemm_against_loop<T: Number>(blas: &Blas) {
    for &[m, k, extra] in SHAPES {
        let n = 1 + (m + k) % 5;
        let (lda, ldb, ldc) = (m + extra, k + 1, m + 2);
        let a: Vec<T> = vector(lda * k, 3);
        let b: Vec<T> = vector(ldb * n, 4);
        let before: Vec<T> = vector(ldc * n, 5);
        for beta in [T::of(0.0), T::of(1.0)] {
            let mut c = before.clone();
            if beta == T::of(0.0) {
                c.fill(T::of(f64::NAN));
            }
            blas.gemm(m, n, k, &a, lda, &b, ldb, &mut c, ldc, beta)
                .unwrap();
            for (i, j) in (0..m * n).map(|e| (e % m, e / m)) {
                let terms = (0..k).map(|p| (a[p * lda + i], b[j * ldb + p]));
                let terms = terms.chain([(beta, before[j * ldc + i])]);
                close(c[j * ldc + i], terms, &format!("{m} x {n} x {k}: {i} {j}"));
            }
        }
    }
}

#[test]
fn products_are_those_of_plain_loops() {
    for blas in libraries() {
        gemv_against_loop::<f64>(&blas);
        gemv_against_loop::<f32>(&blas);
        gemm_against_loop::<f64>(&blas);
        gemm_against_loop::<f32>(&blas);
    }
}

#[test]
fn empty_products_are_zero() {
    for blas in libraries() {
        let mut y = [1.0; 3];
        blas.gemv(Form::N, 3, 0, &[], 3, &[], &mut y).unwrap();
        assert_eq!(y, [0.0; 3]);
        blas.gemv::<f64>(Form::N, 0, 2, &[], 1, &[1.0; 2], &mut [])
            .unwrap();
        let mut c = [1.0, 2.0, 9.0, 3.0, 4.0];
        blas.gemm(2, 2, 0, &[], 2, &[], 1, &mut c, 3, 2.0).unwrap();
        assert_eq!(c, [2.0, 4.0, 9.0, 6.0, 8.0]);
        blas.gemm(2, 2, 0, &[], 2, &[], 1, &mut c, 3, 0.0).unwrap();
        assert_eq!(c, [0.0, 0.0, 9.0, 0.0, 0.0]);
    }
}

#[test]
fn wrong_lengths_are_refused_before_the_call() {
    for blas in libraries() {
        let a = [1.0; 6];
        let mut y = [7.0; 3];
        let gemv = |rows, cols, a: &[f64], lda, x: &[f64], y: &mut [f64]| {
            let refusal = blas.gemv(Form::N, rows, cols, a, lda, x, y).unwrap_err();
            println!("{refusal}");
            refusal.name()
        };
        assert_eq!(gemv(3, 2, &a[..5], 3, &a[..2], &mut y), "blas_length");
        assert_eq!(gemv(3, 2, &a, 3, &a[..3], &mut y), "blas_length");
        assert_eq!(gemv(3, 2, &a, 3, &a[..2], &mut y[..2]), "blas_length");
        assert_eq!(gemv(3, 2, &a, 2, &a[..2], &mut y), "blas_leading_dimension");
        assert_eq!(
            gemv(0, 2, &a, 0, &a[..2], &mut []),
            "blas_leading_dimension"
        );
        assert_eq!(
            gemv(3, 3, &a, usize::MAX, &a[..3], &mut y),
            "blas_too_large"
        );
        assert_eq!(y, [7.0; 3]);

        let mut c = [7.0; 4];
        let mut gemm = |lda, b: &[f64], ldc| {
            let refusal = blas
                .gemm(2, 2, 3, &a, lda, b, 3, &mut c, ldc, 0.0)
                .unwrap_err();
            println!("{refusal}");
            refusal.name()
        };
        assert_eq!(gemm(1, &a, 2), "blas_leading_dimension");
        assert_eq!(gemm(3, &a, 2), "blas_length");
        assert_eq!(gemm(2, &a[..5], 2), "blas_length");
        assert_eq!(gemm(2, &a, 3), "blas_length");
        assert_eq!(c, [7.0; 4]);
    }
}

#[test]
fn sizes_beyond_narrow_integers_are_refused() {
    for blas in libraries() {
        let huge = i32::MAX as usize + 1;
        // One column, so that only its first element is ever asked for.
        let answer = blas.gemv(Form::N, 1, 1, &[2.0], huge, &[3.0], &mut [0.0]);
        let refused = matches!(answer, Err(BlasRefusal::TooLarge { int_bits: 32, .. }));
        assert_eq!(refused, blas.info().int_bits == 32, "{answer:?}");
        assert_eq!(answer.is_ok(), blas.info().int_bits == 64);
    }
}

/// Each thread has buffers of its own; one thread a call. Then sums do not depend on who runs beside.
#[test]
fn many_threads_give_the_bits_of_one() {
    for blas in libraries() {
        let guard = blas.single_threaded().unwrap();
        let (rows, cols) = (16, 3001);
        let product = |seed: u64| {
            let a = numbers(rows * cols, seed);
            let x = numbers(cols, seed + 100);
            let mut y = vec![0.0; rows];
            blas.gemv(Form::N, rows, cols, &a, rows, &x, &mut y)
                .unwrap();
            let mut c = vec![0.0; rows * 2];
            let b = &a[..2 * rows];
            blas.gemm(rows, 2, rows, &a, rows, b, rows, &mut c, rows, 0.0)
                .unwrap();
            y.extend(c);
            y.iter().map(|v| v.to_bits()).collect::<Vec<u64>>()
        };
        let serial: Vec<_> = (0..4).map(product).collect();
        thread::scope(|scope| {
            for (seed, expected) in (0..).zip(&serial) {
                let product = &product;
                scope.spawn(move || {
                    for _ in 0..50 {
                        assert_eq!(&product(seed), expected);
                    }
                });
            }
        });
        drop(guard);
    }
}
