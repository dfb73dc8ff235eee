//! Which plan to take: counting, estimating, listing, ranking, measuring, remembering.
//!
//! The fastest plan depends on ports, taps and machine: a handful of ports with thousands of taps wants
//! small blocks that grow quickly, a small system wants none at all. The list of sensible plans is a
//! few thousand long, and an estimate of one takes about a microsecond, so all are estimated:
//!
//! ```text
//! PlanShape --enumerate()--> [Plan] --estimate()--> rank() --> choose_estimated()
//!                Envelope ----^          ^ CostConstants  \--> choose_measured() <--> PlanCache
//! ```
//!
//! Invariants: the same inputs give the same list in the same order; every plan in it passes
//! [`Plan::check_for`](crate::Plan::check_for); a plan that was remembered is checked like one that a user wrote.
//! docs/planning.md has the formulas, and what the model leaves out.

mod choice;
mod constants;
mod cpu_caches;
mod envelope;
mod estimate;
mod fit;
mod kernel_timing;
mod machine_timing;
mod plan_cache;
mod plan_list;
mod ranking;
mod shape;
mod work;

pub use choice::{PlanReport, choose_estimated, choose_measured};
pub use constants::{CacheLevel, CostConstants, MemoryCost, TransformCost};
pub use envelope::{Envelope, window_range};
pub use estimate::{Estimate, estimate};
pub use plan_cache::{Absent, PlanCache, PlanKey};
pub use plan_list::{MAX_PLANS, enumerate};
pub use ranking::rank;
pub use shape::{Objective, PlanShape};
pub use work::{LevelWork, PlanWork};
