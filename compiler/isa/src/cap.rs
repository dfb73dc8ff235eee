//! A user's cap on the level: it lowers, never raises, and says what became of it.

use crate::level::Level;
use std::fmt;

/// The level to use, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cap {
    /// The level to use.
    pub level: Level,
    /// What became of the cap.
    pub outcome: CapOutcome,
}

/// What became of a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CapOutcome {
    /// None was given.
    NotAsked,
    /// It is the machine's own level.
    Equal,
    /// It lowered the level from the machine's.
    Lowered {
        /// The machine's level.
        from: Level,
    },
    /// The machine has less than the cap; its best is used.
    AboveMachine {
        /// The cap.
        asked: Level,
    },
    /// The cap belongs to another architecture and has no meaning here.
    OtherArchitecture {
        /// The cap.
        asked: Level,
    },
}

impl Cap {
    /// The level of a machine whose best is `best` under `cap`.
    pub fn apply(best: Level, cap: Option<Level>) -> Cap {
        let Some(asked) = cap else {
            return Cap {
                level: best,
                outcome: CapOutcome::NotAsked,
            };
        };
        if asked == best {
            return Cap {
                level: best,
                outcome: CapOutcome::Equal,
            };
        }
        if best.includes(asked) {
            return Cap {
                level: asked,
                outcome: CapOutcome::Lowered { from: best },
            };
        }
        let outcome = if asked.includes(best) {
            CapOutcome::AboveMachine { asked }
        } else {
            CapOutcome::OtherArchitecture { asked }
        };
        Cap {
            level: best,
            outcome,
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = self.level;
        match self.outcome {
            CapOutcome::NotAsked => write!(f, "{level}, the best of this machine"),
            CapOutcome::Equal => write!(f, "{level}, the cap and the best of this machine"),
            CapOutcome::Lowered { from } => {
                write!(f, "{level} by the cap; this machine has {from}")
            }
            CapOutcome::AboveMachine { asked } => {
                write!(
                    f,
                    "{level}, the best of this machine; the cap {asked} is above it and raises nothing"
                )
            }
            CapOutcome::OtherArchitecture { asked } => {
                write!(
                    f,
                    "{level}, the best of this machine; the cap {asked} is of another architecture and was not applied"
                )
            }
        }
    }
}
