//! Taking one plan of a ranked list: the first, or the fastest of a few that are tried.
//!
//! An estimate is good to a factor of about two, so among plans it holds for near equal only a measurement
//! decides. Tried are ten at most: the first, the first of every other route (the model may be
//! wrong about a whole route), then the next in order. Before each one the time left must hold the
//! longest so far; a budget of zero therefore measures nothing.

use std::time::{Duration, Instant};

use super::Estimate;
use crate::{LookaheadError, LookaheadRoute, Plan};

/// The most plans that are measured.
const MOST_MEASURED: usize = 10;

/// Which plan was taken, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanReport {
    /// The plan.
    pub chosen: Plan,
    /// What decided, in a few words.
    pub how: String,
    /// Plans that were estimated.
    pub considered: usize,
    /// Plans that were measured, in that order, with what the measurement gave in nanoseconds.
    pub measured: Vec<(Plan, f64)>,
    /// Nanoseconds that the choice took.
    pub planning_ns: u64,
}

/// Takes the first of a ranked list. `started` is when planning began.
///
/// Refused where the list is empty.
pub fn choose_estimated(
    ranked: &[(Plan, Estimate)],
    started: Instant,
) -> Result<PlanReport, LookaheadError> {
    let (chosen, estimate) = first(ranked)?;
    Ok(PlanReport {
        chosen: chosen.clone(),
        how: format!("estimated: {:.0} ns a step", estimate.mean_ns),
        considered: ranked.len(),
        measured: Vec::new(),
        planning_ns: nanoseconds(started.elapsed()),
    })
}

/// Measures the best few of a ranked list and takes the fastest.
///
/// `measure` makes a plan ready, runs it, and gives nanoseconds: a mean or a worst case, as the ranking
/// had it. A plan that it refuses, or for which it gives no number, is passed over. The time is bounded by
/// `budget` as long as no measurement takes longer than the longest before it; the first is
/// always made when the budget is not zero. Where nothing could be measured the first of the list
/// is taken. Refused where the list is empty.
pub fn choose_measured(
    ranked: &[(Plan, Estimate)],
    budget: Duration,
    mut measure: impl FnMut(&Plan) -> Result<f64, LookaheadError>,
) -> Result<PlanReport, LookaheadError> {
    let started = Instant::now();
    let (best_estimated, _) = first(ranked)?;
    let mut measured: Vec<(Plan, f64)> = Vec::new();
    let mut refused: Option<LookaheadError> = None;
    let mut longest = Duration::ZERO;
    for plan in worth_measuring(ranked) {
        let begun = started.elapsed();
        if begun >= budget || begun + longest > budget {
            break;
        }
        match measure(plan) {
            Ok(ns) if ns.is_finite() => measured.push((plan.clone(), ns)),
            Ok(_) => {}
            Err(error) => refused = Some(error),
        }
        longest = longest.max(started.elapsed() - begun);
    }
    // The first of equal ones, which has the better estimate.
    let fastest = measured.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let (chosen, how) = match (fastest, refused) {
        (Some((plan, ns)), _) => (
            plan.clone(),
            format!("measured: {ns:.0} ns, the least of {}", measured.len()),
        ),
        (None, None) => (
            best_estimated.clone(),
            "estimated: the budget allowed no measurement".into(),
        ),
        (None, Some(error)) => (
            best_estimated.clone(),
            format!("estimated: no plan could be measured ({error})"),
        ),
    };
    Ok(PlanReport {
        chosen,
        how,
        considered: ranked.len(),
        measured,
        planning_ns: nanoseconds(started.elapsed()),
    })
}

/// The first plan, the first of every other route, then the next in order, ten at most.
fn worth_measuring(ranked: &[(Plan, Estimate)]) -> Vec<&Plan> {
    let mut seen: Vec<LookaheadRoute> = Vec::new();
    let (mut first_of_route, mut others) = (Vec::new(), Vec::new());
    for (plan, _) in ranked {
        if seen.contains(&plan.route) {
            others.push(plan);
        } else {
            seen.push(plan.route);
            first_of_route.push(plan);
        }
    }
    let plans = first_of_route.into_iter().chain(others);
    plans.take(MOST_MEASURED).collect()
}

fn first(ranked: &[(Plan, Estimate)]) -> Result<&(Plan, Estimate), LookaheadError> {
    ranked.first().ok_or_else(|| LookaheadError::PlanShape {
        plan: "to choose".into(),
        reason: "the list of plans is empty".into(),
    })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
