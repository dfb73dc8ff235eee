//! Schedules: in which blocks a direct kernel does its work.

use std::fmt;
use std::str::FromStr;

use crate::TemplateError;

/// How a direct kernel is blocked. Part of a kernel's name, never of its numeric class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Schedule {
    /// `direct_taps`: terms in lanes, `rows` rows share each load of the window.
    Taps {
        /// Rows per block, 1 to 8. Each takes one virtual vector of accumulators.
        rows: u8,
        /// Groups of eight terms per iteration in full blocks, 1 to 8.
        unroll: u8,
    },
    /// `direct_rows`: rows in lanes, one accumulator per partial sum.
    Rows {
        /// Rows per tile: 2, 4, 8 or 16.
        lanes: u8,
        /// Groups of eight terms per iteration in full blocks, 1 to 8.
        unroll: u8,
    },
}

impl Schedule {
    /// Name of the kernel family that the schedule belongs to.
    pub fn family(&self) -> &'static str {
        match self {
            Schedule::Taps { .. } => "direct_taps",
            Schedule::Rows { .. } => "direct_rows",
        }
    }

    /// Refuses a schedule that its family cannot do.
    pub(crate) fn check(self) -> Result<(), TemplateError> {
        let unrolls = 1..=8;
        let fits = match self {
            Schedule::Taps { rows, unroll } => (1..=8).contains(&rows) && unrolls.contains(&unroll),
            Schedule::Rows { lanes, unroll } => {
                matches!(lanes, 2 | 4 | 8 | 16) && unrolls.contains(&unroll)
            }
        };
        if fits {
            Ok(())
        } else {
            Err(TemplateError::Schedule(self))
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Taps { rows, unroll } => write!(f, "taps.r{rows}.u{unroll}"),
            Schedule::Rows { lanes, unroll } => write!(f, "rows.w{lanes}.u{unroll}"),
        }
    }
}

impl FromStr for Schedule {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let schedule = parse(text).ok_or_else(|| TemplateError::ScheduleText(text.into()))?;
        schedule.check()?;
        Ok(schedule)
    }
}

fn parse(text: &str) -> Option<Schedule> {
    let mut parts = text.split('.');
    let family = parts.next()?;
    let block = parts.next()?;
    let unroll = parts.next()?.strip_prefix('u')?.parse().ok()?;
    if parts.next().is_some() {
        return None;
    }
    match family {
        "taps" => Some(Schedule::Taps {
            rows: block.strip_prefix('r')?.parse().ok()?,
            unroll,
        }),
        "rows" => Some(Schedule::Rows {
            lanes: block.strip_prefix('w')?.parse().ok()?,
            unroll,
        }),
        _ => None,
    }
}
