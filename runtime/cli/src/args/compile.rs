//! Arguments of `compile`.

use std::path::PathBuf;

use clap::Args;
use tdse_compiler::Tier;
use tdse_isa::Level;
use tdse_runtime::{ElemChoice, PrepareOptions, RouteToken};
use tdse_templates::Schedule;

use super::run::{Dtype, Rounding};
use super::{PlanArg, PlanArgs};

/// Arguments of `compile`.
#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// The pack
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// The bundle to write
    #[arg(short, long, value_name = "BUNDLE")]
    pub(crate) output: PathBuf,
    /// The machines it is for: x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64; by default this one's level
    #[arg(long, value_name = "LEVEL")]
    pub(crate) target: Option<Level>,
    /// Code generator: cranelift, llvm where the build has it; by default the first that can
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,
    /// Routes: generic, lookahead (whichever the planner takes), temporal_block, uniform_fft,
    /// nonuniform_fft, relaxed_fft; by default the route of --plan if that is a plan, else generic, and
    /// lookahead where the pack has a plan
    #[arg(long, value_name = "ROUTES", value_delimiter = ',')]
    routes: Option<Vec<RouteToken>>,
    /// How the plan of a lookahead route is found
    #[command(flatten)]
    plan: PlanArgs,
    /// Kernel schedule of the head, such as taps.r3.u1
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<Schedule>,
    /// Element type of history, taps and sums
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    pub(crate) dtype: Dtype,
    /// Rounding of products; by default fma where the level has it
    #[arg(long, value_enum)]
    pub(crate) contraction: Option<Rounding>,
}

impl CompileArgs {
    /// The routes to compile, and whether the last one is left out where there is no plan for it.
    pub(crate) fn routes(&self) -> (Vec<RouteToken>, bool) {
        match (&self.routes, &self.plan.plan) {
            (Some(routes), _) => (routes.clone(), false),
            (None, PlanArg::Pinned(plan)) => (vec![RouteToken::from(plan.route)], false),
            (None, _) => (vec![RouteToken::Generic, RouteToken::Lookahead], true),
        }
    }

    /// The runtime's options for one route.
    pub(crate) fn prepare_options(&self, route: RouteToken) -> PrepareOptions {
        PrepareOptions {
            route: Some(route),
            tier: self.tier,
            schedule: self.schedule,
            elem: ElemChoice::from(self.dtype),
            plan: self.plan.choice(),
            objective: self.plan.objective.into(),
            componentwise: self.plan.componentwise,
            contraction: self.contraction.map(Into::into),
            ..PrepareOptions::default()
        }
    }
}
