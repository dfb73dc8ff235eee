//! What people write: one matrix-vector product a step over a linear history.

use std::sync::Arc;
use std::time::Instant;

use tdse_blas::{Blas, BlasElement, Form, SharedThreadGuard};
use tdse_compiler::Real;

use super::lineup::blas_label;
use crate::tap_columns::{InputColumns, TapMatrix};
use crate::{Label, Peer, PeerRefusal, Workload};

/// `hr = A window` by gemv of one form.
pub(super) struct DirectGemv<T: Real> {
    label: Label,
    blas: Arc<Blas>,
    threads: u32,
    taps: TapMatrix<T>,
    inputs: InputColumns<T>,
    slots: usize,
    out: Vec<T>,
    guard: Option<SharedThreadGuard>,
    setup_ns: u64,
}

impl<T: Real + BlasElement> DirectGemv<T> {
    /// `taps` may be shared with other peers.
    pub(super) fn new(
        work: &Workload,
        blas: &Arc<Blas>,
        threads: u32,
        taps: &TapMatrix<T>,
    ) -> Self {
        let start = Instant::now();
        let slots = work.nh() - 1;
        let inputs = InputColumns::new(slots, work.np(), 1);
        let mut label = blas_label(blas, "gemv", threads);
        label.plan = Some(format!("form {}", taps.form));
        DirectGemv {
            label,
            blas: Arc::clone(blas),
            threads,
            inputs,
            slots,
            out: vec![T::default(); work.nq()],
            guard: None,
            setup_ns: start.elapsed().as_nanos() as u64 + taps.ns,
            taps: taps.clone(),
        }
    }
}

impl<T: Real + BlasElement> Peer for DirectGemv<T> {
    fn label(&self) -> &Label {
        &self.label
    }

    fn bytes(&self) -> usize {
        self.taps.bytes() + self.inputs.bytes()
    }

    fn setup_ns(&self) -> u64 {
        self.setup_ns
    }

    fn enter(&mut self) -> Result<(), PeerRefusal> {
        let guard = SharedThreadGuard::new(Arc::clone(&self.blas), self.threads)?;
        self.guard = Some(guard);
        Ok(())
    }

    fn leave(&mut self) {
        self.guard = None;
    }

    fn reset(&mut self) -> Result<(), PeerRefusal> {
        self.inputs.clear();
        Ok(())
    }

    fn step(&mut self, x: &[f64], hr: &mut [f64]) -> Result<(), PeerRefusal> {
        let window = self.inputs.latest(self.slots);
        let (nq, terms) = (self.out.len(), window.len());
        let (rows, cols) = match self.taps.form {
            Form::N => (nq, terms),
            Form::T => (terms, nq),
        };
        let (form, taps) = (self.taps.form, &self.taps.data);
        self.blas
            .gemv(form, rows, cols, taps, rows, window, &mut self.out)?;
        for (wide, narrow) in hr.iter_mut().zip(&self.out) {
            *wide = narrow.to_f64();
        }
        self.inputs.push(x);
        Ok(())
    }
}
