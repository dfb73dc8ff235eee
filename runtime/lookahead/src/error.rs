//! What can go wrong between a plan and its levels.

use tdse_bundle::CallError;
use tdse_compiler::CompileRefusal;

/// Why a plan was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LookaheadError {
    /// Text that is no plan.
    #[error(
        "'{text}' is no plan: {reason}; write ROUTE:FORM:LEVELS, as in relaxed_fft:burst:t8,f32,f128"
    )]
    PlanText {
        /// The text given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Levels that do not make a plan.
    #[error("the plan {plan} cannot be: {reason}")]
    PlanShape {
        /// The plan.
        plan: String,
        /// The rule it breaks.
        reason: String,
    },
    /// A plan that is too long for the pack.
    #[error(
        "the plan {plan} has nothing to do for its level of {block} steps: the pack has {nh} taps; take smaller blocks or route generic"
    )]
    PlanLength {
        /// The plan.
        plan: String,
        /// The level in question.
        block: u32,
        /// Taps of the pack.
        nh: usize,
    },
    /// A kernel of the plan could not be made.
    #[error(transparent)]
    Compile(#[from] CompileRefusal),
    /// The transform library has no code for the level asked for.
    #[error("no transform for {0} on this machine; lower the level")]
    Transform(String),
    /// No plan exists for what was asked.
    #[error(
        "no plan of {route} for {asked} and a pack of {nh} taps: relaxed_fft has none for a deadline, every route needs a few taps, and the componentwise gate may leave none; change one of these or take route generic"
    )]
    NoPlan {
        /// The route asked for.
        route: String,
        /// Objective, and whether the gate was on.
        asked: String,
        /// Taps of the pack.
        nh: usize,
    },
    /// A vector of the wrong length.
    #[error("a step takes {expected} inputs, {found} were given")]
    Inputs {
        /// Inputs of the pack.
        expected: usize,
        /// Inputs given.
        found: usize,
    },
    /// A defect of this project.
    #[error("the kernel call was refused ({0}); please report this")]
    Call(#[from] CallError),
}

impl LookaheadError {
    /// Number and name of every refusal; a compiler's refusal keeps its own.
    pub const ALL: &[(u32, &'static str)] = &[
        (8201, "plan_text"),
        (8202, "plan_shape"),
        (8203, "plan_length"),
        (8204, "no_transform"),
        (8205, "no_plan"),
        (8206, "kernel_call"),
        (8207, "inputs"),
    ];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.entry().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u32, &'static str) {
        match self {
            LookaheadError::PlanText { .. } => Self::ALL[0],
            LookaheadError::PlanShape { .. } => Self::ALL[1],
            LookaheadError::PlanLength { .. } => Self::ALL[2],
            LookaheadError::Compile(refusal) => (refusal.code(), refusal.name()),
            LookaheadError::Transform(_) => Self::ALL[3],
            LookaheadError::NoPlan { .. } => Self::ALL[4],
            LookaheadError::Call(_) => Self::ALL[5],
            LookaheadError::Inputs { .. } => Self::ALL[6],
        }
    }
}
