//! How a plan is found, or the plan itself, and what it is chosen for.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tdse_runtime::{LookaheadError, Objective, Plan, PlanCache, PlanChoice};

/// What commands that choose one route's plan share.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Plan of a lookahead route: estimate (cost model alone), measure (a few are tried here), cached
    /// (measured once, then remembered), or the plan itself, such as relaxed_fft:burst:f8,f32,f128
    #[arg(long, value_name = "PLAN", default_value = "estimate")]
    pub(crate) plan: PlanArg,
    /// Seconds that measuring plans may take
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    plan_seconds: f64,
    /// What a plan is chosen for: the mean of many steps, or the slowest step
    #[arg(long, value_enum, default_value_t = Aim::Throughput)]
    pub(crate) objective: Aim,
    /// Leave out plans whose partitions are too large for errors to stay small beside every output's
    /// own terms
    #[arg(long)]
    pub(crate) componentwise: bool,
}

impl PlanArgs {
    /// The runtime's option.
    pub(crate) fn choice(&self) -> PlanChoice {
        self.plan.choice(self.plan_seconds)
    }
}

/// What a plan is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Aim {
    /// The least time for many steps
    Throughput,
    /// The least time for the slowest step
    Deadline,
}

impl From<Aim> for Objective {
    fn from(aim: Aim) -> Objective {
        match aim {
            Aim::Throughput => Objective::Throughput,
            Aim::Deadline => Objective::Deadline,
        }
    }
}

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
