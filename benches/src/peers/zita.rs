//! zita-convolver: matrices of responses by growing partitions, in blocks of 64 samples.
//!
//! It is built for audio: f32, at most 64 inputs and outputs, a block of at least 64 samples a call. A
//! step here puts one input vector into its buffers, every 64th call runs the block. So outputs are
//! 63 steps late and no host can close a loop through it; the row shows what such an engine costs when
//! its latency is allowed. With one thread it has one partition size; its growing partitions come with
//! a thread for each size, which `process` waits for.

use std::time::Instant;

use tdse_kir::Elem;

use super::zita_library::{Convproc, Sizes};
use crate::{Label, Peer, PeerRefusal, Workload};

const NAME: &str = "zita_convolver";
const BLOCK: usize = 64;
const MOST_PORTS: usize = 64;
const LARGEST_PARTITION: usize = 8192;

/// A running convolution matrix.
pub(super) struct Zita {
    label: Label,
    convproc: Convproc,
    period: usize,
    place: usize,
    np: usize,
    /// Outputs of the last block, `[BLOCK][nq]`.
    outputs: Vec<f32>,
    /// Inputs of the block being filled, `[BLOCK][np]`.
    inputs: Vec<f32>,
    bytes: usize,
    setup_ns: u64,
}

impl Zita {
    /// Refused for f64, for more than 64 ports, and where the library is not installed.
    pub(super) fn new(work: &Workload, threaded: bool) -> Result<Self, PeerRefusal> {
        let (np, nq, nh) = (work.np(), work.nq(), work.nh());
        let unsuited = |reason: String| PeerRefusal::Unsuited { peer: NAME, reason };
        if work.elem != Elem::F32 {
            return Err(unsuited("it computes in f32 only".into()));
        }
        if np > MOST_PORTS || nq > MOST_PORTS {
            return Err(unsuited(format!(
                "it has at most {MOST_PORTS} inputs and outputs, the pack has {np} and {nq}"
            )));
        }
        let largest = if threaded { LARGEST_PARTITION } else { BLOCK };
        let start = Instant::now();
        let mut convproc = Convproc::open()?;
        let version = convproc.version();
        convproc.configure(Sizes {
            inputs: np,
            outputs: nq,
            taps: nh - 1,
            block: BLOCK,
            largest,
        })?;
        let mut response = vec![0.0f32; nh - 1];
        for p in 0..np {
            for q in 0..nq {
                for (k, value) in response.iter_mut().enumerate() {
                    *value = work.pack.tap(k + 1)[q * np + p] as f32;
                }
                convproc.load(p, q, &mut response)?;
            }
        }
        if threaded && convproc.levels() < 2 {
            return Err(unsuited(format!(
                "with {nh} taps it uses one partition size, and so no thread"
            )));
        }
        convproc.start()?;
        let label = Label {
            route: NAME.into(),
            peer: true,
            backend: "zita".into(),
            version: Some(version),
            threads: convproc.levels(),
            plan: Some(match convproc.levels() {
                1 => format!("partitions of {BLOCK}"),
                levels => format!("{levels} partition sizes from {BLOCK}"),
            }),
            note: Some(
                "blocks of 64: no step of one sample, outputs 63 steps late, no loop can be closed; \
                 one step in 64 does all the work"
                    .into(),
            ),
        };
        Ok(Zita {
            label,
            convproc,
            period: largest.min(nh.next_power_of_two()).max(BLOCK),
            place: 0,
            np,
            outputs: vec![0.0; BLOCK * nq],
            inputs: vec![0.0; BLOCK * np],
            // Spectra of BLOCK + 1 bins for each partition of BLOCK taps of each pair.
            bytes: np * nq * (nh - 1).div_ceil(BLOCK) * (BLOCK + 1) * 8,
            setup_ns: start.elapsed().as_nanos() as u64,
        })
    }
}

impl Peer for Zita {
    fn label(&self) -> &Label {
        &self.label
    }

    fn period(&self) -> usize {
        self.period
    }

    fn delay(&self) -> usize {
        BLOCK - 1
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn setup_ns(&self) -> u64 {
        self.setup_ns
    }

    fn reset(&mut self) -> Result<(), PeerRefusal> {
        self.place = 0;
        self.outputs.fill(0.0);
        self.inputs.fill(0.0);
        self.convproc.stop()?;
        self.convproc.start()
    }

    fn step(&mut self, x: &[f64], hr: &mut [f64]) -> Result<(), PeerRefusal> {
        let (np, nq) = (self.np, hr.len());
        let row = &self.outputs[self.place * nq..(self.place + 1) * nq];
        for (wide, narrow) in hr.iter_mut().zip(row) {
            *wide = f64::from(*narrow);
        }
        let row = &mut self.inputs[self.place * np..(self.place + 1) * np];
        for (narrow, wide) in row.iter_mut().zip(x) {
            *narrow = *wide as f32;
        }
        self.place += 1;
        if self.place == BLOCK {
            self.place = 0;
            self.convproc.process(&self.inputs, &mut self.outputs)?;
        }
        Ok(())
    }
}
