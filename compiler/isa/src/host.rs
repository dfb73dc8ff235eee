//! The machine that runs this process, and proofs of what it can execute.

use crate::cap::Cap;
use crate::detection::detect;
use crate::features::Features;
use crate::hardware::Hardware;
use crate::level::Level;
use std::sync::OnceLock;

/// The machine, detected once.
#[derive(Debug)]
pub struct Host {
    features: Features,
    best: Level,
}

/// Proof that this machine executes code of a level. Made by [`Host`] alone, which asks the
/// hardware; no probe, cap or name given by a caller can make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Proof(Level);

impl Proof {
    /// The level proved.
    pub fn level(self) -> Level {
        self.0
    }
}

impl Host {
    /// This machine.
    pub fn get() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(|| {
            let features = detect(&Hardware);
            let best = if cfg!(target_arch = "x86_64") {
                Level::highest(features)
            } else if cfg!(target_arch = "aarch64") {
                Level::Neon
            } else {
                Level::Scalar
            };
            Host { features, best }
        })
    }

    /// The highest level.
    pub fn best(&self) -> Level {
        self.best
    }

    /// Features found.
    pub fn features(&self) -> Features {
        self.features
    }

    /// The proof of a level, or `None` when this machine lacks it.
    pub fn prove(&self, level: Level) -> Option<Proof> {
        self.best.includes(level).then_some(Proof(level))
    }

    /// Proofs of every level this machine has, ascending.
    pub fn levels(&self) -> Vec<Proof> {
        Level::ALL
            .into_iter()
            .filter_map(|level| self.prove(level))
            .collect()
    }

    /// The level to use under a cap; see [`Host::cap`] for what became of the cap.
    pub fn capped(&self, cap: Option<Level>) -> Level {
        self.cap(cap).level
    }

    /// Applies a cap: it may lower the level, never raise it.
    pub fn cap(&self, cap: Option<Level>) -> Cap {
        Cap::apply(self.best, cap)
    }
}
