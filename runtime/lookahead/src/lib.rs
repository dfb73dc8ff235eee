//! Lookahead routes: what the past contributes, worked out a block ahead.
//!
//! Direct evaluation reads all of `H` at every step. But what inputs older than a block contribute to
//! the block's steps is known when the block begins, so `H` need be read once a block, and by
//! transforms at a cost that grows with the logarithm of its length:
//!
//! ```text
//!   lags   1 ........ head | B0-level .... | B1-level ............ | last level ......... nh-1
//!          direct, each step  every B0 steps  every B1 steps          every BL steps
//! ```
//!
//! A [`Plan`] says which levels there are. Every plan is exact and strictly causal; it needs committed
//! inputs only, so it is safe in a loop where `x[t]` depends on `y[t]`.
#![forbid(unsafe_code)]

mod code;
mod engine;
mod error;
mod history;
mod level_engine;
mod level_state;
mod lookahead;
mod parts;
mod plan;
mod planner;
mod sample;
mod silence;
mod spectral_level;
mod taps;
mod task;
mod time_level;
mod timetable;
mod transform;

pub use code::Code;
pub use error::LookaheadError;
pub use lookahead::{FarHistory, FarState};
pub use plan::{Domain, Form, Level, LookaheadRoute, MAX_BLOCK, MAX_LEVELS, Plan};
pub use planner::{
    Absent, CacheLevel, CostConstants, Envelope, Estimate, LevelWork, MAX_PLANS, MemoryCost,
    Objective, PlanCache, PlanKey, PlanReport, PlanShape, PlanWork, TransformCost,
    choose_estimated, choose_measured, enumerate, estimate, rank, window_range,
};
pub use sample::Sample;
pub use transform::TransformKind;
