//! An open BLAS.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::info::{BlasInfo, mapped_file};
use crate::library::Library;
use crate::product::{self, BlasElement, Extent};
use crate::refusal::{Attempt, BlasRefusal};
use crate::search::{BlasOptions, Search, WELL_KNOWN};
use crate::self_check::check;

/// A library, open as long as this lives. Shared between threads: each call reads and writes the
/// caller's buffers only.
pub struct Blas {
    pub(crate) library: Library,
    info: BlasInfo,
}

/// Whether the matrix is taken as it is stored or transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `y = A x`.
    N,
    /// `y = Aᵀ x`.
    T,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::N => "n",
            Form::T => "t",
        })
    }
}

impl Blas {
    /// Finds, opens and checks a library: the one of the option or of `TDSE_BLAS_PATH`, else the
    /// first of [`WELL_KNOWN`] that serves. Opening starts the library's own threads, if it has any.
    pub fn open(options: &BlasOptions) -> Result<Arc<Blas>, BlasRefusal> {
        let path = match Search::of(options) {
            Search::Named(path) => return Self::from_file(&path).map(Arc::new),
            Search::Any => WELL_KNOWN,
        };
        let mut tried = Vec::new();
        for &name in path {
            match Self::from_file(Path::new(name)) {
                Ok(blas) => return Ok(Arc::new(blas)),
                Err(refusal) => tried.push(Attempt {
                    name: name.to_owned(),
                    reason: short(refusal),
                }),
            }
        }
        Err(BlasRefusal::NotFound { tried })
    }

    fn from_file(name: &Path) -> Result<Blas, BlasRefusal> {
        let library = Library::open(name)?;
        let unknown = || "unknown".to_owned();
        let facts = &library.facts;
        let blas = Blas {
            info: BlasInfo {
                provider: facts.provider,
                version: facts.version.clone().unwrap_or_else(unknown),
                core: facts.core.clone().unwrap_or_else(unknown),
                path: mapped_file(library.address()).unwrap_or_else(|| name.to_owned()),
                threads: library.threads(),
                int_bits: library.int_bits(),
                config: facts.config.clone().unwrap_or_default(),
            },
            library,
        };
        let wrong = |elem, call| BlasRefusal::WrongResults {
            library: name.display().to_string(),
            elem,
            call,
            int_bits: blas.info.int_bits,
        };
        check::<f64>(&blas).map_err(|call| wrong("f64", call))?;
        check::<f32>(&blas).map_err(|call| wrong("f32", call))?;
        Ok(blas)
    }

    /// What was found.
    pub fn info(&self) -> &BlasInfo {
        &self.info
    }

    /// Threads that a call from this thread would use now; `None` when the library does not say.
    #[inline]
    pub fn threads(&self) -> Option<u32> {
        self.library.threads()
    }

    /// `y = A x` or `y = Aᵀ x`; what `y` held is overwritten and never read.
    ///
    /// `a` is column-major, `rows` x `cols`: element (i, j) at `j * lda + i`, `lda >= rows`. `x`
    /// and `y` have exactly the lengths of the product.
    #[expect(clippy::too_many_arguments, reason = "the order that BLAS users know")]
    #[inline]
    pub fn gemv<T: BlasElement>(
        &self,
        form: Form,
        rows: usize,
        cols: usize,
        a: &[T],
        lda: usize,
        x: &[T],
        y: &mut [T],
    ) -> Result<(), BlasRefusal> {
        let extent = Extent {
            rows,
            cols,
            stride: lda,
        };
        product::gemv(&self.library, form, (extent, a), x, y)
    }

    /// `C = A B + beta C`, all column-major: A `m` x `k`, B `k` x `n`, C `m` x `n`. With `beta`
    /// 0, what C held is overwritten and never read.
    #[expect(clippy::too_many_arguments, reason = "the order that BLAS users know")]
    pub fn gemm<T: BlasElement>(
        &self,
        m: usize,
        n: usize,
        k: usize,
        a: &[T],
        lda: usize,
        b: &[T],
        ldb: usize,
        c: &mut [T],
        ldc: usize,
        beta: T,
    ) -> Result<(), BlasRefusal> {
        let extent = |rows, cols, stride| Extent { rows, cols, stride };
        product::gemm(
            &self.library,
            (extent(m, k, lda), a),
            (extent(k, n, ldb), b),
            beta,
            (extent(m, n, ldc), c),
        )
    }
}

impl fmt::Debug for Blas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blas").field(&self.info).finish()
    }
}

/// The reason alone: in a list the name stands before it.
fn short(refusal: BlasRefusal) -> String {
    match refusal {
        BlasRefusal::NotLoadable { reason, .. } => reason,
        BlasRefusal::MissingSymbol { symbol, .. } => format!("has no {symbol}"),
        other => other.to_string(),
    }
}
