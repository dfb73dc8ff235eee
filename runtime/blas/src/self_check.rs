//! A check made once, when a library is opened: small products whose results are exact.
//!
//! It finds a library whose functions answer to the names and are something else, or whose integers
//! have another width than was believed. It says nothing about accuracy.

use crate::blas::{Blas, Form};
use crate::product::BlasElement;

/// Stands between columns and in results before the call; no result has this value.
const OTHER: i8 = 99;

/// Columns (1, 2, 1) and (1, 0, 1), stored four apart.
const A: [i8; 8] = [1, 2, 1, OTHER, 1, 0, 1, OTHER];

/// Whether `gemv` and `gemm` give what they should in one element type; else which does not.
pub(crate) fn check<T: BlasElement>(blas: &Blas) -> Result<(), &'static str> {
    let a = A.map(T::from);
    let plain = product(blas, Form::N, &a, [2, 3], [OTHER; 3]);
    let transposed = product(blas, Form::T, &a, [2, 2, 1], [OTHER; 2]);
    if plain != Some([5, 4, 5].map(T::from)) || transposed != Some([7, 3].map(T::from)) {
        return Err("gemv");
    }
    // Columns (1, 0) and (1, 1), stored three apart.
    let b = [1, 0, OTHER, 1, 1, OTHER].map(T::from);
    let mut c = [OTHER; 8].map(T::from);
    let done = blas.gemm(3, 2, 2, &a, 4, &b, 3, &mut c, 4, T::from(0));
    if done.is_err() || c != [1, 2, 1, OTHER, 2, 2, 2, OTHER].map(T::from) {
        return Err("gemm");
    }
    Ok(())
}

fn product<T: BlasElement, const X: usize, const Y: usize>(
    blas: &Blas,
    form: Form,
    a: &[T],
    x: [i8; X],
    y: [i8; Y],
) -> Option<[T; Y]> {
    let mut y = y.map(T::from);
    blas.gemv(form, 3, 2, a, 4, &x.map(T::from), &mut y).ok()?;
    Some(y)
}
