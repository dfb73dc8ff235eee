//! `--plan`: how a plan is found, or the plan itself.

use std::str::FromStr;
use std::time::Duration;

use tdse_runtime::{LookaheadError, Plan, PlanCache, PlanChoice};

/// The value of `--plan`.
#[derive(Debug, Clone)]
pub(crate) enum PlanArg {
    Estimate,
    Measure,
    Cached,
    Pinned(Plan),
}

impl PlanArg {
    /// The runtime's option; measuring may take `seconds`, of which at most an hour counts.
    pub(crate) fn choice(&self, seconds: f64) -> PlanChoice {
        let budget = Duration::try_from_secs_f64(seconds.clamp(0.0, 3600.0)).unwrap_or_default();
        match self {
            PlanArg::Estimate => PlanChoice::Estimate,
            PlanArg::Measure => PlanChoice::Measure {
                budget,
                cache: None,
            },
            PlanArg::Cached => PlanChoice::Measure {
                budget,
                cache: PlanCache::default_folder(),
            },
            PlanArg::Pinned(plan) => PlanChoice::Pinned(plan.clone()),
        }
    }
}

impl FromStr for PlanArg {
    type Err = LookaheadError;

    fn from_str(text: &str) -> Result<Self, LookaheadError> {
        Ok(match text {
            "estimate" => PlanArg::Estimate,
            "measure" => PlanArg::Measure,
            "cached" => PlanArg::Cached,
            plan => PlanArg::Pinned(plan.parse()?),
        })
    }
}
