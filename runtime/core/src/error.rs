//! What can go wrong between a pack and its steps.

use tdse_blas::BlasRefusal;
use tdse_lookahead::LookaheadError;

/// Why the runtime refused a call. The state is as it was before the call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RuntimeError {
    /// A name that is no backend or route of this build.
    #[error(
        "'{text}' is no {what} of this build; backends: auto, cpu_pack_gemv, cpu_blas; routes: generic, lookahead, temporal_block, uniform_fft, nonuniform_fft, relaxed_fft, blas"
    )]
    UnknownToken {
        /// `backend` or `route`.
        what: &'static str,
        /// The text given.
        text: String,
    },
    /// The pinned candidate cannot run here.
    #[error("{pinned} was pinned and cannot run here: {reason}; nothing was put in its place")]
    Pinned {
        /// What the caller asked for.
        pinned: String,
        /// Why it cannot run.
        reason: String,
    },
    /// No candidate can run here.
    #[error("no route can run this pack here; the last refusal was: {0}")]
    NoRoute(#[source] LookaheadError),
    /// A tap or a value of the independent response beyond the range of f32.
    #[error("{place} = {value:e} does not fit f32; run the pack in f64")]
    NotRepresentable {
        /// Which value.
        place: String,
        /// The value.
        value: f64,
    },
    /// A start time that is no time.
    #[error("the start time is {0}; give a finite number of seconds")]
    StartTime(f64),
    /// A buffer of the wrong length.
    #[error("{call} needs {expected} values, {found} were given")]
    Length {
        /// The call.
        call: &'static str,
        /// Values needed.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A call that belongs inside a trial.
    #[error("{0} needs an open trial; call begin first")]
    NoTrial(&'static str),
    /// A call that belongs outside a trial.
    #[error("{0} is not allowed inside a trial; commit or abort first")]
    InTrial(&'static str),
    /// `dr` before anything was accepted.
    #[error("dr gives H[0] times the accepted vector, and none was accepted since the start")]
    NothingAccepted,
    /// A step that is not the pack's.
    #[error(
        "the pack was made for steps of {expected:e} s, begin was given {found:e} s; resample the pack or step the host at its dt"
    )]
    StepSize {
        /// The pack's step in seconds.
        expected: f64,
        /// The step given.
        found: f64,
    },
    /// A time that does not follow the last committed step.
    #[error(
        "the next step is at {expected:e} s, begin was given {found:e} s; every step between must be committed"
    )]
    Time {
        /// The time of the next step in seconds.
        expected: f64,
        /// The time given.
        found: f64,
    },
    /// A non-finite input, or one that f32 cannot hold.
    #[error(
        "input {port} is {value}; commit accepts finite values within the model's element type only, and the history is unchanged"
    )]
    NonFinite {
        /// Input, from 0.
        port: usize,
        /// The value.
        value: f64,
    },
    /// The pack has no independent response.
    #[error("the pack has no independent response; do not ask for ir")]
    NoIr,
    /// A step outside the independent response.
    #[error(
        "the independent response covers steps 0 to {last}, this step is {step}; stop asking past its horizon"
    )]
    IrStepOutOfRange {
        /// Step counted from the start time.
        step: i64,
        /// The last step covered.
        last: i64,
    },
    /// A snapshot of something else.
    #[error(
        "the snapshot is of another pack or start time; restore takes one of the same pack only, and the model is unchanged"
    )]
    OtherPack,
    /// Two things pinned that exclude one another.
    #[error("{first} and {second} were both asked for and exclude one another; drop one")]
    Contradiction {
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A bundle that was made for something else.
    #[error(
        "{what} of the bundle is {bundle}, here it is {here}; compile the pack again for this use"
    )]
    OtherBundle {
        /// What differs.
        what: &'static str,
        /// In the bundle.
        bundle: String,
        /// Here.
        here: String,
    },
    /// A route that the bundle does not have.
    #[error(
        "the bundle has no code for {asked}; it has {has}; ask for one of these or compile the pack again"
    )]
    NotInBundle {
        /// What was asked for.
        asked: String,
        /// What there is.
        has: String,
    },
    /// A plan that cannot be, or has no kernel here.
    #[error(transparent)]
    Lookahead(#[from] LookaheadError),
    /// The BLAS asked for cannot be had.
    #[error(transparent)]
    Blas(#[from] BlasRefusal),
    /// A defect of this project.
    #[error("internal: {0}; please report this")]
    Internal(String),
}

impl RuntimeError {
    /// Number and name of every refusal of the runtime's own.
    pub const ALL: &[(u32, &'static str)] = &[
        (8001, "unknown_token"),
        (8002, "pinned_route_refused"),
        (8003, "no_route"),
        (8004, "not_representable_in_f32"),
        (8005, "wrong_length"),
        (8006, "no_trial"),
        (8007, "in_trial"),
        (8008, "nothing_accepted"),
        (8009, "step_size"),
        (8010, "time"),
        (8011, "non_finite_input"),
        (8012, "no_independent_response"),
        (8013, "ir_step_out_of_range"),
        (8014, "internal"),
        (8015, "start_time"),
        (8016, "other_pack"),
        (8017, "contradiction"),
        (8018, "other_bundle"),
        (8019, "not_in_bundle"),
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
        Self::ALL[match self {
            RuntimeError::Lookahead(refusal) => return (refusal.code(), refusal.name()),
            RuntimeError::Blas(refusal) => return (refusal.code(), refusal.name()),
            RuntimeError::UnknownToken { .. } => 0,
            RuntimeError::Pinned { .. } => 1,
            RuntimeError::NoRoute(_) => 2,
            RuntimeError::NotRepresentable { .. } => 3,
            RuntimeError::Length { .. } => 4,
            RuntimeError::NoTrial(_) => 5,
            RuntimeError::InTrial(_) => 6,
            RuntimeError::NothingAccepted => 7,
            RuntimeError::StepSize { .. } => 8,
            RuntimeError::Time { .. } => 9,
            RuntimeError::NonFinite { .. } => 10,
            RuntimeError::NoIr => 11,
            RuntimeError::IrStepOutOfRange { .. } => 12,
            RuntimeError::Internal(_) => 13,
            RuntimeError::StartTime(_) => 14,
            RuntimeError::OtherPack => 15,
            RuntimeError::Contradiction { .. } => 16,
            RuntimeError::OtherBundle { .. } => 17,
            RuntimeError::NotInBundle { .. } => 18,
        }]
    }
}
