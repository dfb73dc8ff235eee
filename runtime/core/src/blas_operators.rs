//! Steps through a vendor's BLAS: one matrix-vector product for the history, one for `H[0]`.
//!
//! ```text
//!   taps [nh-1][nq][np], lag nh-1 first       window of the mirrored ring, oldest first
//!   form n:  column-major nq x terms,  y = A x      term = slot * np + input
//!   form t:  column-major terms x nq,  y = Aᵀ x     terms = (nh - 1) np
//! ```
//!
//! Which form a library runs faster depends on the library, the processor and the shape: form t by 1.0 to
//! 3.0 times from two outputs on, form n by a tenth at most for one (Zen 3, OpenBLAS). Both are measured for a
//! moment when the operators are made, and only the faster one is kept. The forms add in different
//! orders, so they differ in bits: a caller who needs the same bits twice pins the form.
//!
//! Invariants: the library is held at one thread as long as the kernels live, and each step takes
//! that number back if somebody changed it; a step allocates nothing, locks nothing and makes no
//! system call of its own.
//!
//! Cost of a step: the library's, plus one read of its number of threads.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tdse_blas::{Blas, BlasElement, BlasRefusal, Form, SharedThreadGuard};
use tdse_lookahead::{FarHistory, Sample};
use tdse_pack::{Pack, Shape};

use crate::RuntimeError;
use crate::stepper::Operators;

/// Taps of a pack packed for a BLAS, shared by its models.
pub(crate) struct BlasOperators<T: Sample + BlasElement> {
    single: SharedThreadGuard,
    choice: FormChoice,
    taps: Vec<T>,
    operator: Vec<T>,
    shape: History,
    pack_shape: Shape,
}

/// The form in use, and what both cost when they were measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FormChoice {
    /// The form in use.
    pub(crate) form: Form,
    /// Median nanoseconds a product of form n and of form t; `None` when the form was pinned or
    /// there is no history.
    pub(crate) measured_ns: Option<[f64; 2]>,
}

impl fmt::Display for FormChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gemv, form {}", self.form)?;
        match self.measured_ns {
            Some([n, t]) => write!(f, " (measured: n {n:.0} ns, t {t:.0} ns a product)"),
            None => Ok(()),
        }
    }
}

impl<T: Sample + BlasElement> BlasOperators<T> {
    /// Packs for `form`, or for the form that is faster here and now. Then it holds both forms in memory
    /// while it measures, for about a tenth of a second at most and three products of each form at least.
    pub(crate) fn new(
        pack: &Pack,
        blas: Arc<Blas>,
        form: Option<Form>,
    ) -> Result<Self, BlasRefusal> {
        match form {
            None => Self::with_faster_form(pack, blas),
            Some(form) => Self::with_form(pack, blas, form),
        }
    }

    fn with_faster_form(pack: &Pack, blas: Arc<Blas>) -> Result<Self, BlasRefusal> {
        let shape = History::of(pack);
        let single = SharedThreadGuard::new(blas, 1)?;
        if shape.terms == 0 {
            return Ok(Self::packed(pack, single, FormChoice::pinned(Form::N)));
        }
        let forms = [Form::N, Form::T].map(|form| (form, shape.pack::<T>(pack, form)));
        let measured = measure(&single, shape, &forms)?;
        let [(n, n_taps), (t, t_taps)] = forms;
        let (form, taps) = if measured[0] <= measured[1] {
            (n, n_taps)
        } else {
            (t, t_taps)
        };
        let choice = FormChoice {
            form,
            measured_ns: Some(measured),
        };
        Ok(Self::around(pack, single, choice, taps))
    }

    fn with_form(pack: &Pack, blas: Arc<Blas>, form: Form) -> Result<Self, BlasRefusal> {
        let single = SharedThreadGuard::new(blas, 1)?;
        let kernels = Self::packed(pack, single, FormChoice::pinned(form));
        // One product, so that what the library cannot take is refused here and in no step.
        let window = vec![T::default(); kernels.shape.terms];
        let mut out = vec![T::default(); kernels.shape.nq];
        kernels.history(&window, &mut out)?;
        Ok(kernels)
    }

    /// The form in use and why.
    pub(crate) fn choice(&self) -> FormChoice {
        self.choice
    }

    /// The library in use.
    pub(crate) fn blas(&self) -> &Blas {
        self.single.blas()
    }

    fn packed(pack: &Pack, single: SharedThreadGuard, choice: FormChoice) -> Self {
        let taps = History::of(pack).pack(pack, choice.form);
        Self::around(pack, single, choice, taps)
    }

    fn around(pack: &Pack, single: SharedThreadGuard, choice: FormChoice, taps: Vec<T>) -> Self {
        BlasOperators {
            single,
            choice,
            taps,
            operator: pack.tap(0).iter().map(|&v| T::rounded(v)).collect(),
            shape: History::of(pack),
            pack_shape: pack.shape(),
        }
    }

    /// The sum over the window.
    fn history(&self, window: &[T], out: &mut [T]) -> Result<(), BlasRefusal> {
        self.single.renew();
        self.shape
            .product(self.blas(), self.choice.form, &self.taps, window, out)
    }

    /// `H[0]` times `x`: rows of `H[0]` are columns of its transpose.
    fn accepted(&self, x: &[T], out: &mut [T]) -> Result<(), BlasRefusal> {
        self.single.renew();
        let History { np, nq, .. } = self.shape;
        self.blas()
            .gemv(Form::T, np, nq, &self.operator, np, x, out)
    }
}

impl FormChoice {
    fn pinned(form: Form) -> Self {
        FormChoice {
            form,
            measured_ns: None,
        }
    }
}

/// Sizes of the history's matrix.
#[derive(Debug, Clone, Copy)]
struct History {
    np: usize,
    nq: usize,
    slots: usize,
    /// Columns in form n: `slots * np`, which the pack has checked.
    terms: usize,
}

impl History {
    fn of(pack: &Pack) -> Self {
        let shape = pack.shape();
        let slots = shape.nh() - 1;
        History {
            np: shape.np(),
            nq: shape.nq(),
            slots,
            terms: slots * shape.np(),
        }
    }

    /// The taps of the lags 1 to nh - 1 as the form's matrix.
    fn pack<T: Sample>(&self, pack: &Pack, form: Form) -> Vec<T> {
        let mut packed = vec![T::default(); self.terms * self.nq];
        for slot in 0..self.slots {
            let tap = pack.tap(self.slots - slot);
            for (q, row) in tap.chunks(self.np).enumerate() {
                for (p, &value) in row.iter().enumerate() {
                    let term = slot * self.np + p;
                    let place = match form {
                        Form::N => term * self.nq + q,
                        Form::T => q * self.terms + term,
                    };
                    packed[place] = T::rounded(value);
                }
            }
        }
        packed
    }

    fn product<T: BlasElement>(
        &self,
        blas: &Blas,
        form: Form,
        taps: &[T],
        window: &[T],
        out: &mut [T],
    ) -> Result<(), BlasRefusal> {
        let (rows, cols) = match form {
            Form::N => (self.nq, self.terms),
            Form::T => (self.terms, self.nq),
        };
        blas.gemv(form, rows, cols, taps, rows.max(1), window, out)
    }
}

/// Rounds of the measurement at most; none begins after [`MEASURING`].
const ROUNDS: usize = 7;

/// Time after which no further round begins.
const MEASURING: Duration = Duration::from_millis(100);

/// Shortest time that is read off the clock, so that its own cost does not show.
const READING: Duration = Duration::from_micros(5);

/// Median nanoseconds a product of each form. In turns, so that a change of the processor's clock
/// meets both; each turn begins with a product that is not counted, as the other form's matrix has
/// just been through the caches.
fn measure<T: Sample + BlasElement>(
    single: &SharedThreadGuard,
    shape: History,
    forms: &[(Form, Vec<T>); 2],
) -> Result<[f64; 2], BlasRefusal> {
    let window: Vec<T> = (0..shape.terms)
        .map(|i| T::rounded(1.0 / (1 + i % 7) as f64))
        .collect();
    let mut out = vec![T::default(); shape.nq];
    let mut run = |(form, taps): &(Form, Vec<T>), times: u32| {
        single.renew();
        let start = Instant::now();
        for _ in 0..times {
            shape.product(single.blas(), *form, taps, &window, &mut out)?;
        }
        Ok(start.elapsed())
    };
    let started = Instant::now();
    let mut readings = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        if round > 0 && started.elapsed() > MEASURING {
            break;
        }
        for (form, readings) in forms.iter().zip(&mut readings) {
            let first = run(form, 1)?.max(Duration::from_nanos(1));
            let times = READING.as_nanos().div_ceil(first.as_nanos()) as u32;
            for _ in 0..3 {
                readings.push(run(form, times)?.as_nanos() as f64 / f64::from(times));
            }
        }
    }
    Ok(readings.map(|mut readings| {
        readings.sort_by(f64::total_cmp);
        readings[readings.len() / 2]
    }))
}

impl<T: Sample + BlasElement> Operators<T> for BlasOperators<T> {
    fn shape(&self) -> Shape {
        self.pack_shape
    }

    fn head_taps(&self) -> usize {
        self.shape.slots
    }

    fn head(&self, window: &[T], out: &mut [T]) -> Result<(), RuntimeError> {
        self.history(window, out).map_err(defect)
    }

    fn direct(&self, x: &[T], out: &mut [T]) -> Result<(), RuntimeError> {
        self.accepted(x, out).map_err(defect)
    }

    fn far(&self) -> Option<&Arc<FarHistory<T>>> {
        None
    }

    fn bytes(&self) -> usize {
        (self.taps.len() + self.operator.len()) * size_of::<T>()
    }
}

/// All sizes were tried when the operators were made, so a refusal in a step is a defect.
fn defect(refusal: BlasRefusal) -> RuntimeError {
    RuntimeError::Internal(refusal.to_string())
}
