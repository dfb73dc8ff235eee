//! Temporal blocking by hand with BLAS: every `block` steps one matrix-matrix product gives what the
//! older inputs do to the next `block` outputs, and every step one small gemv adds the rest.
//!
//! ```text
//! at t = multiple of B:  C[nq][B] = A[:, lags nh-1 .. B] . columns of inputs     gemm
//! at every t:            hr = A[:, lags B-1 .. 1] . last inputs + C[:, t mod B]  gemv
//! ```

use std::sync::Arc;
use std::time::Instant;

use tdse_blas::{Blas, BlasElement, Form, SharedThreadGuard};
use tdse_compiler::Real;

use super::lineup::blas_label;
use crate::tap_columns::{InputColumns, TapMatrix};
use crate::{Label, Peer, PeerRefusal, Workload};

/// The taps of both products: N for the product of matrices, either form for the head.
pub(super) struct BlockTaps<'a, T> {
    pub(super) far: &'a TapMatrix<T>,
    pub(super) head: &'a TapMatrix<T>,
}

/// `gemm` over blocks.
pub(super) struct BlockedGemm<T: Real> {
    label: Label,
    blas: Arc<Blas>,
    threads: u32,
    block: usize,
    np: usize,
    far: TapMatrix<T>,
    head: TapMatrix<T>,
    inputs: InputColumns<T>,
    /// Outputs of the block, `[block][nq]`.
    pending: Vec<T>,
    out: Vec<T>,
    guard: Option<SharedThreadGuard>,
    setup_ns: u64,
}

impl<T: Real + BlasElement> BlockedGemm<T> {
    /// Refused when the response is not longer than a block.
    pub(super) fn new(
        work: &Workload,
        blas: &Arc<Blas>,
        threads: u32,
        block: usize,
        taps: &BlockTaps<'_, T>,
    ) -> Result<Self, PeerRefusal> {
        if work.nh() <= block + 1 {
            return Err(PeerRefusal::Unsuited {
                peer: "blocked gemm",
                reason: format!("blocks of {block} steps need more than {} taps", block + 1),
            });
        }
        let start = Instant::now();
        let (nq, np) = (work.nq(), work.np());
        let inputs = InputColumns::new(work.nh() - 1, np, block);
        let mut label = blas_label(blas, "gemm_blocked", threads);
        label.plan = Some(format!("block {block}, head form {}", taps.head.form));
        Ok(BlockedGemm {
            label,
            blas: Arc::clone(blas),
            threads,
            block,
            np,
            inputs,
            pending: vec![T::default(); nq * block],
            out: vec![T::default(); nq],
            guard: None,
            setup_ns: start.elapsed().as_nanos() as u64 + taps.far.ns + taps.head.ns,
            far: taps.far.clone(),
            head: taps.head.clone(),
        })
    }

    /// All that older inputs do to the next block.
    fn advance(&mut self) -> Result<(), PeerRefusal> {
        let nq = self.out.len();
        let terms = self.far.data.len() / nq - (self.block - 1) * self.np;
        self.blas.gemm(
            nq,
            self.block,
            terms,
            &self.far.data,
            nq,
            self.inputs.oldest(),
            self.inputs.stride(),
            &mut self.pending,
            nq,
            T::default(),
        )?;
        Ok(())
    }

    /// What the inputs of this block do to this step, into `out`.
    fn head(&mut self) -> Result<(), PeerRefusal> {
        let nq = self.out.len();
        let all = self.head.data.len() / nq;
        let window = self.inputs.latest(self.block - 1);
        let terms = window.len();
        let (from, rows, cols, stride) = match self.head.form {
            Form::N => ((all - terms) * nq, nq, terms, nq),
            Form::T => (all - terms, terms, nq, all),
        };
        let taps = &self.head.data[from..];
        self.blas.gemv(
            self.head.form,
            rows,
            cols,
            taps,
            stride,
            window,
            &mut self.out,
        )?;
        Ok(())
    }
}

impl<T: Real + BlasElement> Peer for BlockedGemm<T> {
    fn label(&self) -> &Label {
        &self.label
    }

    fn period(&self) -> usize {
        self.block
    }

    fn bytes(&self) -> usize {
        // Of the head's taps its own lags only are needed; form N has them in the far matrix.
        let head = match self.head.form {
            Form::N => 0,
            Form::T => (self.block - 1) * self.np * self.out.len(),
        };
        self.far.bytes() + self.inputs.bytes() + (head + self.pending.len()) * size_of::<T>()
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
        let place = self.inputs.taken() % self.block;
        if place == 0 {
            self.advance()?;
        }
        self.head()?;
        let nq = self.out.len();
        let far = &self.pending[place * nq..(place + 1) * nq];
        for ((hr, head), far) in hr.iter_mut().zip(&self.out).zip(far) {
            *hr = head.to_f64() + far.to_f64();
        }
        self.inputs.push(x);
        Ok(())
    }
}
