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
    /// A size of zero in a family that works ahead.
    #[error("a {family} kernel needs {size} of at least 1, got 0; leave the kernel out instead")]
    SizeZero {
        /// The family.
        family: &'static str,
        /// The size.
        size: &'static str,
    },
    /// A buffer would pass the size limit.
    #[error(
        "{buffer} of the {family} kernel asked for needs more than 2^40 elements; split the model"
    )]
    BufferTooLarge {
        /// The family.
        family: &'static str,
        /// The buffer.
        buffer: &'static str,
    },
    /// Rows of the result that would overlap.
    #[error(
        "rows of {row} elements, {stride} apart, overlap in y of the {family} kernel asked for; put them at least {row} apart"
    )]
    RowsOverlap {
        /// The family.
        family: &'static str,
        /// Elements of a row, or of the real or imaginary parts of one.
        row: usize,
        /// Elements from one to the next.
        stride: usize,
    },
    /// A number of lanes that no vector has.
    #[error("a group of {found} bins was asked for; take 1, 2, 4, 8 or 16")]
    Lanes {
        /// Lanes asked for.
        found: u8,
    },
    /// A schedule outside what a family that works ahead can do.
    #[error("schedule {found} is out of range; take {forms}")]
    MacSchedule {
        /// The schedule.
        found: String,
        /// What there is.
        forms: &'static str,
    },
    /// Text that is no schedule of a family that works ahead.
    #[error("'{found}' is no schedule; write {forms}")]
    MacScheduleText {
        /// The text.
        found: String,
        /// What there is.
        forms: &'static str,
    },
}

impl TemplateError {
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (6101, "empty_shape"),
        (6102, "shape_too_large"),
        (6103, "schedule_out_of_range"),
        (6104, "schedule_text"),
        (6105, "size_zero"),
        (6106, "buffer_too_large"),
        (6107, "rows_overlap"),
        (6108, "lanes_out_of_range"),
        (6109, "mac_schedule_out_of_range"),
        (6110, "mac_schedule_text"),
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
            TemplateError::SizeZero { .. } => 4,
            TemplateError::BufferTooLarge { .. } => 5,
            TemplateError::RowsOverlap { .. } => 6,
            TemplateError::Lanes { .. } => 7,
            TemplateError::MacSchedule { .. } => 8,
            TemplateError::MacScheduleText { .. } => 9,
        }]
    }
}
