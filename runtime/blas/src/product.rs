//! The calls, behind checks of every length: one of the two files with `unsafe`.

use std::ffi::c_int;
use std::ops::Mul;

use crate::blas::Form;
use crate::library::{Interface, Library, Products, Table};
use crate::refusal::BlasRefusal;

const COLUMN_MAJOR: c_int = 102;
const PLAIN: c_int = 111;
const TRANSPOSED: c_int = 112;

/// An element type of the products: `f64` or `f32`.
pub trait BlasElement:
    Copy + PartialEq + From<i8> + Mul<Output = Self> + sealed::Precision
{
}

impl BlasElement for f64 {}
impl BlasElement for f32 {}

mod sealed {
    use super::{Products, Table};

    /// Which functions serve the type.
    pub trait Precision: Sized {
        /// The type's functions of a table.
        fn products<I: Copy>(table: &Table<I>) -> Products<I, Self>;
    }

    impl Precision for f64 {
        fn products<I: Copy>(table: &Table<I>) -> Products<I, f64> {
            table.double
        }
    }

    impl Precision for f32 {
        fn products<I: Copy>(table: &Table<I>) -> Products<I, f32> {
            table.single
        }
    }
}

/// A matrix in column-major order, as the caller gives it.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) stride: usize,
}

impl Extent {
    /// Checks the leading dimension and the length of the buffer.
    fn check(
        self,
        library: &Library,
        call: &'static str,
        operand: &'static str,
        found: usize,
    ) -> Result<(), BlasRefusal> {
        if self.stride < self.rows.max(1) {
            return Err(BlasRefusal::LeadingDimension {
                call,
                operand,
                rows: self.rows,
                found: self.stride,
            });
        }
        if self.rows == 0 || self.cols == 0 {
            return Ok(());
        }
        let columns = (self.cols - 1).checked_mul(self.stride);
        let needed = columns.and_then(|c| c.checked_add(self.rows));
        let needed = needed.ok_or_else(|| too_large(library, call, self.cols))?;
        if found < needed {
            return Err(BlasRefusal::Length {
                call,
                operand,
                needed,
                found,
            });
        }
        Ok(())
    }
}

/// `y = op(A) x`; `y` is overwritten, whatever it held.
pub(crate) fn gemv<T: BlasElement>(
    library: &Library,
    form: Form,
    a: (Extent, &[T]),
    x: &[T],
    y: &mut [T],
) -> Result<(), BlasRefusal> {
    const CALL: &str = "gemv";
    let (extent, elements) = a;
    let (inputs, outputs) = match form {
        Form::N => (extent.cols, extent.rows),
        Form::T => (extent.rows, extent.cols),
    };
    extent.check(library, CALL, "A", elements.len())?;
    exact(CALL, "x", inputs, x.len())?;
    exact(CALL, "y", outputs, y.len())?;
    if inputs == 0 || outputs == 0 {
        // BLAS leaves y as it is then.
        y.fill(T::from(0));
        return Ok(());
    }
    // The last one is the step from element to element of x and y.
    let given = [extent.rows, extent.cols, extent.stride, 1];
    match &library.interface {
        Interface::Narrow(table) => {
            let given = sizes(given, |value| narrow(CALL, value))?;
            call_gemv(table, form, given, elements, x, y);
        }
        Interface::Wide(table) => {
            let given = sizes(given, |value| wide(CALL, value))?;
            call_gemv(table, form, given, elements, x, y);
        }
    }
    Ok(())
}

/// The call itself; [`gemv`] checked every length. `sizes`: m, n, lda, and the step of vectors.
fn call_gemv<I: Copy, T: BlasElement>(
    table: &Table<I>,
    form: Form,
    sizes: [I; 4],
    a: &[T],
    x: &[T],
    y: &mut [T],
) {
    let [m, n, lda, step] = sizes;
    let transpose = match form {
        Form::N => PLAIN,
        Form::T => TRANSPOSED,
    };
    let gemv = T::products(table).gemv;
    // SAFETY: `gemv` above is the only caller: `a` holds (n - 1) lda + m elements with lda >= m,
    // x and y hold as many as op(A) has columns and rows, both at least 1; y is borrowed alone; the
    // library is open, and its integers are `I`.
    unsafe {
        gemv(
            COLUMN_MAJOR,
            transpose,
            m,
            n,
            T::from(1),
            a.as_ptr(),
            lda,
            x.as_ptr(),
            step,
            T::from(0),
            y.as_mut_ptr(),
            step,
        );
    }
}

/// `C = A B + beta C`; with `beta` 0, C is overwritten, whatever it held.
pub(crate) fn gemm<T: BlasElement>(
    library: &Library,
    a: (Extent, &[T]),
    b: (Extent, &[T]),
    beta: T,
    c: (Extent, &mut [T]),
) -> Result<(), BlasRefusal> {
    const CALL: &str = "gemm";
    let (result, elements) = c;
    a.0.check(library, CALL, "A", a.1.len())?;
    b.0.check(library, CALL, "B", b.1.len())?;
    result.check(library, CALL, "C", elements.len())?;
    let (m, n, k) = (result.rows, result.cols, a.0.cols);
    if m == 0 || n == 0 {
        return Ok(());
    }
    if k == 0 {
        scale(result, elements, beta);
        return Ok(());
    }
    let given = [m, n, k, a.0.stride, b.0.stride, result.stride];
    match &library.interface {
        Interface::Narrow(table) => {
            let given = sizes(given, |value| narrow(CALL, value))?;
            call_gemm(table, given, a.1, b.1, beta, elements);
        }
        Interface::Wide(table) => {
            let given = sizes(given, |value| wide(CALL, value))?;
            call_gemm(table, given, a.1, b.1, beta, elements);
        }
    }
    Ok(())
}

/// The call itself; [`gemm`] checked every length. `sizes`: m, n, k, lda, ldb, ldc.
fn call_gemm<I: Copy, T: BlasElement>(
    table: &Table<I>,
    sizes: [I; 6],
    a: &[T],
    b: &[T],
    beta: T,
    c: &mut [T],
) {
    let [m, n, k, lda, ldb, ldc] = sizes;
    let gemm = T::products(table).gemm;
    // SAFETY: `gemm` above is the only caller: each matrix holds (columns - 1) ld + rows elements
    // with ld >= rows, all sizes at least 1; c is borrowed alone; the library is open, and its
    // integers are `I`.
    unsafe {
        gemm(
            COLUMN_MAJOR,
            PLAIN,
            PLAIN,
            m,
            n,
            k,
            T::from(1),
            a.as_ptr(),
            lda,
            b.as_ptr(),
            ldb,
            beta,
            c.as_mut_ptr(),
            ldc,
        );
    }
}

/// A product over no terms.
fn scale<T: BlasElement>(extent: Extent, elements: &mut [T], beta: T) {
    let zero = T::from(0);
    for column in elements.chunks_mut(extent.stride).take(extent.cols) {
        for element in &mut column[..extent.rows] {
            *element = if beta == zero { zero } else { *element * beta };
        }
    }
}

fn exact(
    call: &'static str,
    operand: &'static str,
    needed: usize,
    found: usize,
) -> Result<(), BlasRefusal> {
    if needed == found {
        return Ok(());
    }
    Err(BlasRefusal::Length {
        call,
        operand,
        needed,
        found,
    })
}

fn sizes<I: Copy + Default, const N: usize>(
    given: [usize; N],
    convert: impl Fn(usize) -> Result<I, BlasRefusal>,
) -> Result<[I; N], BlasRefusal> {
    let mut converted = [I::default(); N];
    for (to, from) in converted.iter_mut().zip(given) {
        *to = convert(from)?;
    }
    Ok(converted)
}

fn narrow(call: &'static str, value: usize) -> Result<i32, BlasRefusal> {
    i32::try_from(value).map_err(|_| BlasRefusal::TooLarge {
        call,
        value,
        int_bits: 32,
    })
}

fn wide(call: &'static str, value: usize) -> Result<i64, BlasRefusal> {
    i64::try_from(value).map_err(|_| BlasRefusal::TooLarge {
        call,
        value,
        int_bits: 64,
    })
}

fn too_large(library: &Library, call: &'static str, value: usize) -> BlasRefusal {
    BlasRefusal::TooLarge {
        call,
        value,
        int_bits: library.int_bits(),
    }
}
