//! The runtime: a pack becomes a model that steps inside the host's time loop.
//!
//! ```text
//! Pack + PrepareOptions --Prepared::new--> Prepared      code, packed H, decision, explanation
//!                                             | model()
//!                                             v
//!                                           Model        history and workspace, nothing else
//!   begin(t, dt) -> op -> hr -> ir -> (host solves) -> commit(x) -> dr
//! ```
//!
//! Invariants: a trial that is not committed leaves no trace; `hr` sees committed inputs only; the
//! step path allocates nothing, locks nothing and calls no system; a caller who pinned a route gets
//! it or an error. Models of one `Prepared` share everything that does not change.
//!
//! Cost of a step: `2 np nq (nh - 1)` flops in `hr`, `2 np nq` in `dr`, `16 np` bytes written in
//! `commit`.
#![forbid(unsafe_code)]

mod ahead;
mod blas_operators;
mod clock;
mod code_origin;
mod decision;
mod error;
mod explain;
mod history;
mod kernels;
mod model;
mod planning;
mod prepared;
mod reason;
mod rehearsal;
mod selection;
mod snapshot;
mod stepper;
mod tier_up;
mod token;

pub use ahead::AheadCompiler;
pub use code_origin::CodeOrigin;
pub use error::RuntimeError;
pub use explain::{Explanation, Reason, RouteReport};
pub use model::Model;
pub use planning::PlanChoice;
pub use prepared::{ElemChoice, PrepareOptions, Prepared};
pub use snapshot::Snapshot;
pub use tdse_blas::{BlasOptions, Form as BlasForm};
pub use tdse_compiler::Listener;
pub use tdse_lookahead::{
    Domain, Form, Level, LookaheadError, LookaheadRoute, Objective, Plan, PlanCache, PlanReport,
};
pub use tier_up::{TierUp, TierUpReport};
pub use token::{BackendToken, RouteToken};
