//! What every peer of a table is given: the taps, the input, the right answers.

use std::sync::Arc;

use tdse_kir::Elem;
use tdse_pack::Pack;

use crate::reference::Reference;

/// Terms of the reference that are evaluated in all: about a third of a second.
const REFERENCE_TERMS: usize = 50_000_000;

/// Bytes of input that timed steps go over again and again, so that reading the input, which a host has
/// just computed, costs nothing to speak of.
const TIMED_INPUT_BYTES: usize = 16 << 10;

/// Kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// White noise, uniform on [-1, 1).
    White,
    /// White noise that decays to 1e-310 (1e-40 for f32) over the first half and stays there.
    Decay,
}

impl Signal {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Signal::White => "white",
            Signal::Decay => "decay",
        }
    }
}

/// Taps, input and reference of a table.
#[derive(Debug, Clone)]
pub struct Workload {
    pub(crate) pack: Arc<Pack>,
    pub(crate) elem: Elem,
    pub(crate) signal: Signal,
    /// `[steps][np]`.
    pub(crate) x: Vec<f64>,
    /// Steps at the start that timed runs repeat.
    pub(crate) timed_steps: usize,
    pub(crate) reference: Reference,
}

impl Workload {
    /// Draws the input with `uniform`, which gives numbers on [-1, 1), and evaluates the reference.
    pub fn new(
        pack: Arc<Pack>,
        elem: Elem,
        signal: Signal,
        mut uniform: impl FnMut() -> f64,
    ) -> Workload {
        let (nq, np, nh) = (pack.shape().nq(), pack.shape().np(), pack.shape().nh());
        let steps = (2 * nh + 256).max(1024);
        let floor: f64 = match elem {
            Elem::F64 => 1e-310,
            _ => 1e-40,
        };
        let amplitude = |step: usize| match signal {
            Signal::White => 1.0,
            Signal::Decay => {
                let share = (step as f64 / (steps / 2) as f64).min(1.0);
                10.0_f64.powf(share * floor.log10())
            }
        };
        let x: Vec<f64> = (0..steps * np)
            .map(|i| uniform() * amplitude(i / np))
            .collect();
        let timed_steps = match signal {
            Signal::White => (TIMED_INPUT_BYTES / (8 * np)).clamp(16, steps),
            Signal::Decay => steps,
        };
        let chosen = chosen_steps(steps, REFERENCE_TERMS / (np * nq * nh), &mut uniform);
        let reference = Reference::new(&pack, &x, chosen);
        Workload {
            pack,
            elem,
            signal,
            x,
            timed_steps,
            reference,
        }
    }

    /// Steps of the input.
    pub(crate) fn steps(&self) -> usize {
        self.x.len() / self.np()
    }

    pub(crate) fn np(&self) -> usize {
        self.pack.shape().np()
    }

    pub(crate) fn nq(&self) -> usize {
        self.pack.shape().nq()
    }

    pub(crate) fn nh(&self) -> usize {
        self.pack.shape().nh()
    }

    /// Input of a step.
    pub(crate) fn input(&self, step: usize) -> &[f64] {
        &self.x[step * self.np()..(step + 1) * self.np()]
    }

    /// Bytes that direct evaluation reads at every step: the taps, and the inputs they meet.
    pub(crate) fn direct_bytes(&self) -> usize {
        (self.nq() + 1) * self.np() * (self.nh() - 1) * self.elem.bytes()
    }
}

/// Steps to check: a few early ones, for peers too slow to get far, and then one from each of `parts`
/// equal parts, anywhere in it.
fn chosen_steps(steps: usize, parts: usize, uniform: &mut impl FnMut() -> f64) -> Vec<usize> {
    let parts = parts.clamp(6, 32);
    let mut chosen: Vec<usize> = vec![1, 7, 30, 63];
    for part in 0..parts {
        let (from, to) = (steps * part / parts, steps * (part + 1) / parts);
        let share = 0.5 * (uniform() + 1.0);
        chosen.push(from + ((to - from) as f64 * share) as usize);
    }
    chosen.retain(|&step| step > 0 && step < steps);
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}
