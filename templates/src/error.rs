//! Why a template makes no kernel.

use crate::schedule::Schedule;

/// Why a template makes no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// No ports or no taps.
    #[error(
        "a direct kernel needs np, nq and taps of at least 1, got np = {np}, nq = {nq}, taps = {taps}; a model of one tap has no history to sum"
    )]
    Empty {
        /// Inputs asked for.
        np: usize,
        /// Outputs asked for.
        nq: usize,
        /// Taps asked for.
        taps: usize,
    },
    /// The packed H would pass the size limit.
    #[error(
        "np = {np}, nq = {nq}, taps = {taps} needs more than 2^40 packed elements; split the model"
    )]
    TooLarge {
        /// Inputs asked for.
        np: usize,
        /// Outputs asked for.
        nq: usize,
        /// Taps asked for.
        taps: usize,
    },
    /// A schedule outside what the family can do.
    #[error(
        "schedule {0} is out of range; taps.rR.uU takes R and U from 1 to 8, rows.wW.uU takes W of 2, 4, 8 or 16 and U from 1 to 8"
    )]
    Schedule(Schedule),
    /// Text that is no schedule.
    #[error("'{0}' is no schedule; write taps.rR.uU or rows.wW.uU, for instance taps.r3.u1")]
    ScheduleText(String),
}

impl TemplateError {
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (6101, "empty_shape"),
        (6102, "shape_too_large"),
        (6103, "schedule_out_of_range"),
        (6104, "schedule_text"),
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
            TemplateError::Empty { .. } => 0,
            TemplateError::TooLarge { .. } => 1,
            TemplateError::Schedule(_) => 2,
            TemplateError::ScheduleText(_) => 3,
        }]
    }
}
