//! Schedules of the families that work ahead.

use std::fmt;
use std::str::FromStr;

use crate::TemplateError;

/// How [`crate::spectral_mac`] is blocked. Part of a kernel's name, never of its numeric class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpectralSchedule {
    /// Rows per block, 1 to 8: they share each load of `x` and keep two accumulators each.
    pub rows: u8,
}

/// How [`crate::temporal_block`] is blocked. Part of a kernel's name, never of its numeric class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockSchedule {
    /// Rows per block, 1 to 8: they share each load of `x`.
    pub rows: u8,
    /// Outputs of one row that are computed at once: 1, 2, 4, 8 or 16.
    pub lanes: u8,
}

/// The texts of both, for refusals.
const FORMS: &str =
    "spectral.rR with R from 1 to 8, or block.rR.lL with R from 1 to 8 and L of 1, 2, 4, 8 or 16";

impl SpectralSchedule {
    /// Refuses a schedule that the family cannot do.
    pub(crate) fn check(self) -> Result<(), TemplateError> {
        in_range(is_rows(self.rows), &self)
    }
}

impl BlockSchedule {
    /// Refuses a schedule that the family cannot do.
    pub(crate) fn check(self) -> Result<(), TemplateError> {
        in_range(is_rows(self.rows) && is_lanes(self.lanes), &self)
    }
}

fn is_rows(rows: u8) -> bool {
    (1..=8).contains(&rows)
}

/// Whether the families have vectors of so many lanes.
pub(crate) fn is_lanes(lanes: u8) -> bool {
    matches!(lanes, 1 | 2 | 4 | 8 | 16)
}

fn in_range(fits: bool, schedule: &dyn fmt::Display) -> Result<(), TemplateError> {
    if fits {
        return Ok(());
    }
    Err(TemplateError::MacSchedule {
        found: schedule.to_string(),
        forms: FORMS,
    })
}

impl fmt::Display for SpectralSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "spectral.r{}", self.rows)
    }
}

impl fmt::Display for BlockSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block.r{}.l{}", self.rows, self.lanes)
    }
}

impl FromStr for SpectralSchedule {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let rows = text.strip_prefix("spectral.r").and_then(number);
        let schedule = SpectralSchedule {
            rows: rows.ok_or_else(|| no_schedule(text))?,
        };
        schedule.check()?;
        Ok(schedule)
    }
}

impl FromStr for BlockSchedule {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let parts = text
            .strip_prefix("block.r")
            .and_then(|rest| rest.split_once(".l"))
            .and_then(|(rows, lanes)| Some((number(rows)?, number(lanes)?)));
        let (rows, lanes) = parts.ok_or_else(|| no_schedule(text))?;
        let schedule = BlockSchedule { rows, lanes };
        schedule.check()?;
        Ok(schedule)
    }
}

/// Digits only: `+3` is a number to Rust, and would print as another text than was read.
fn number(text: &str) -> Option<u8> {
    let digits =
        text.bytes().all(|c| c.is_ascii_digit()) && !(text.len() > 1 && text.starts_with('0'));
    digits.then(|| text.parse().ok())?
}

fn no_schedule(text: &str) -> TemplateError {
    TemplateError::MacScheduleText {
        found: text.into(),
        forms: FORMS,
    }
}
