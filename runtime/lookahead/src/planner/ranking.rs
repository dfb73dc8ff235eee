//! The order of plans: best estimate first.
//!
//! The score is the estimate's mean for [`Objective::Throughput`] and its slowest step for
//! [`Objective::Deadline`]; the mean decides between equal slowest steps, and the order of plans between what is
//! equal in both, so that the result depends on nothing but the inputs.

use super::{CostConstants, Envelope, Estimate, Objective, PlanShape, enumerate, estimate};
use crate::{LookaheadRoute, Plan};

/// Lists all plans as [`enumerate`] does and puts them in order, the best first.
pub fn rank(
    shape: &PlanShape,
    objective: Objective,
    route: Option<LookaheadRoute>,
    envelope: Option<&Envelope>,
    constants: &CostConstants,
) -> Vec<(Plan, Estimate)> {
    let mut ranked: Vec<(Plan, Estimate)> = enumerate(shape, objective, route, envelope)
        .into_iter()
        .map(|plan| {
            let estimate = estimate(&plan, shape, constants);
            (plan, estimate)
        })
        .collect();
    let score = |e: &Estimate| match objective {
        Objective::Throughput => (e.mean_ns, 0.0),
        Objective::Deadline => (e.worst_ns, e.mean_ns),
    };
    ranked.sort_by(|(plan_a, a), (plan_b, b)| {
        let ((a, a_tie), (b, b_tie)) = (score(a), score(b));
        a.total_cmp(&b)
            .then(a_tie.total_cmp(&b_tie))
            .then_with(|| plan_a.cmp(plan_b))
    });
    ranked
}
