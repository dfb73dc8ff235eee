//! The crate `fft-convolver`: one input, one output, calls of one sample.
//!
//! Its `process` returns the whole output of the samples it is given. Loaded with `h'[k] = h[k + 1]`, the
//! output of `x[t]` is the history response of step `t + 1`, which is what a host needs before it
//! knows `x[t + 1]`: so it can stand in a loop.

use std::time::Instant;

use fft_convolver::{FFTConvolver, TwoStageFFTConvolver};
use realfft::FftNum;
use tdse_compiler::Real;

use crate::{Label, Peer, PeerRefusal, Workload};

const NAME: &str = "fft_convolver";
const VERSION: &str = "0.4";

/// Which of its two engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    /// One partition size.
    Uniform,
    /// Two sizes; the second by the crate's own rule.
    TwoStage,
}

enum Convolver<T: FftNum> {
    Uniform(Box<FFTConvolver<T>>),
    TwoStage(Box<TwoStageFFTConvolver<T>>),
}

/// One convolver, fed sample by sample.
pub(super) struct FftConvolver<T: FftNum> {
    label: Label,
    convolver: Convolver<T>,
    next: [T; 1],
    block: usize,
    bytes: usize,
    setup_ns: u64,
}

impl<T: Real + FftNum> FftConvolver<T> {
    /// Refused for more than one input or output.
    pub(super) fn new(work: &Workload, engine: Engine, block: usize) -> Result<Self, PeerRefusal> {
        if (work.np(), work.nq()) != (1, 1) {
            return Err(PeerRefusal::Unsuited {
                peer: NAME,
                reason: format!(
                    "it has one input and one output, the pack has {} and {}",
                    work.np(),
                    work.nq()
                ),
            });
        }
        let start = Instant::now();
        let response: Vec<T> = work.pack.taps()[1..]
            .iter()
            .map(|&h| <T as Real>::from_f64(h))
            .collect();
        let (convolver, route, period) = match engine {
            Engine::Uniform => {
                let mut convolver = FFTConvolver::default();
                convolver.init(block, &response).map_err(|e| failed(&e))?;
                (Convolver::Uniform(Box::new(convolver)), NAME, block)
            }
            Engine::TwoStage => {
                let mut convolver = TwoStageFFTConvolver::default();
                convolver
                    .init_default(block, &response)
                    .map_err(|e| failed(&e))?;
                let tail = fft_convolver::compute_tail_block_size(block, response.len());
                let convolver = Convolver::TwoStage(Box::new(convolver));
                (convolver, "fft_convolver_two_stage", tail)
            }
        };
        let label = Label {
            route: route.into(),
            peer: true,
            backend: "fft-convolver".into(),
            version: Some(VERSION.into()),
            threads: 1,
            plan: Some(if period == block {
                format!("block {block}")
            } else {
                format!("blocks {block}, {period}")
            }),
            note: Some("memory is estimated: spectra of the response and of the input".into()),
        };
        // A spectrum of block + 1 bins for each partition, of the response and of the input.
        let partitions = response.len().div_ceil(block);
        Ok(FftConvolver {
            label,
            convolver,
            next: [T::default()],
            block: period,
            bytes: 2 * partitions * 2 * (block + 1) * size_of::<T>(),
            setup_ns: start.elapsed().as_nanos() as u64,
        })
    }
}

fn failed(error: &dyn std::fmt::Display) -> PeerRefusal {
    PeerRefusal::Failed {
        peer: NAME,
        reason: error.to_string(),
    }
}

impl<T: Real + FftNum> Peer for FftConvolver<T> {
    fn label(&self) -> &Label {
        &self.label
    }

    fn period(&self) -> usize {
        self.block
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn setup_ns(&self) -> u64 {
        self.setup_ns
    }

    fn reset(&mut self) -> Result<(), PeerRefusal> {
        match &mut self.convolver {
            Convolver::Uniform(convolver) => convolver.reset(),
            Convolver::TwoStage(convolver) => convolver.reset(),
        }
        self.next = [T::default()];
        Ok(())
    }

    fn step(&mut self, x: &[f64], hr: &mut [f64]) -> Result<(), PeerRefusal> {
        hr[0] = self.next[0].to_f64();
        let x = [<T as Real>::from_f64(x[0])];
        match &mut self.convolver {
            Convolver::Uniform(convolver) => convolver.process(&x, &mut self.next),
            Convolver::TwoStage(convolver) => convolver.process(&x, &mut self.next),
        }
        .map_err(|e| failed(&e))
    }
}
