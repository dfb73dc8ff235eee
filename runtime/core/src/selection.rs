//! Which candidate runs: the first of the list that can, or the one that the caller pinned.
//!
//! ```text
//! candidates (ordered, conservative last) -> try each until one compiles and loads
//! ```
//!
//! A pure function of the list and of what the machine refuses. All candidates of a list are of one
//! numeric class, so a refusal costs speed and never a bit.

use tdse_compiler::{Candidate, Tier};
use tdse_lookahead::{LookaheadError, Plan};
use tdse_templates::Schedule;

use crate::RuntimeError;
use crate::explain::{Reason, RouteReport};
use crate::planning::Way;
use crate::reason;

/// What the caller pinned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pins {
    /// Code generator.
    pub(crate) tier: Option<Tier>,
    /// Schedule.
    pub(crate) schedule: Option<Schedule>,
}

impl Pins {
    fn any(&self) -> bool {
        self.tier.is_some() || self.schedule.is_some()
    }

    fn admits(&self, candidate: &Candidate) -> bool {
        self.tier.is_none_or(|tier| tier == candidate.tier)
            && self
                .schedule
                .is_none_or(|schedule| schedule == candidate.schedule)
    }

    fn text(&self) -> String {
        let tier = self.tier.map(|t| t.to_string());
        let schedule = self.schedule.map(|s| s.to_string());
        [tier, schedule]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The outcome: what was built, its place in the list, and the account of every candidate.
pub(crate) struct Selection<K> {
    /// What `build` made of the chosen candidate.
    pub(crate) built: K,
    /// Index of the chosen candidate.
    pub(crate) chosen: usize,
    /// Every candidate.
    pub(crate) routes: Vec<RouteReport>,
}

/// Tries the candidates that the pins admit, in order, until `build` accepts one.
pub(crate) fn select<K>(
    candidates: &[Candidate],
    way: &Way,
    pins: Pins,
    mut build: impl FnMut(&Candidate) -> Result<K, LookaheadError>,
) -> Result<Selection<K>, RuntimeError> {
    let mut built: Option<(usize, K)> = None;
    let mut last_refusal = None;
    let mut routes = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        let (accepted, reason) = if !pins.admits(candidate) {
            (false, reason::not_pinned())
        } else if built.is_some() {
            (true, reason::outranked())
        } else {
            match build(candidate) {
                Ok(kernels) => {
                    built = Some((index, kernels));
                    (
                        true,
                        if pins.any() {
                            reason::pinned()
                        } else {
                            reason::chosen()
                        },
                    )
                }
                Err(refusal) => {
                    let reason = refused(&refusal);
                    last_refusal = Some(refusal);
                    (false, reason)
                }
            }
        };
        let chosen = built.as_ref().is_some_and(|(i, _)| *i == index);
        routes.push(report(way, candidate, accepted, chosen, reason));
    }
    let Some((chosen, built)) = built else {
        return Err(match last_refusal {
            Some(refusal) if pins.any() => RuntimeError::Pinned {
                pinned: pins.text(),
                reason: refusal.to_string(),
            },
            Some(refusal) => RuntimeError::NoRoute(refusal),
            None => RuntimeError::Pinned {
                pinned: pins.text(),
                reason: "no candidate for this shape answers to it".into(),
            },
        });
    };
    Ok(Selection {
        built,
        chosen,
        routes,
    })
}

fn refused(refusal: &LookaheadError) -> Reason {
    Reason {
        code: refusal.code(),
        name: refusal.name().into(),
        text: refusal.to_string(),
    }
}

fn report(
    way: &Way,
    candidate: &Candidate,
    accepted: bool,
    chosen: bool,
    reason: Reason,
) -> RouteReport {
    let plan = way.planning.as_ref().map(|planning| &planning.report);
    RouteReport {
        route: way.route.to_string(),
        backend: candidate.tier.to_string(),
        family: candidate.schedule.family().into(),
        schedule: candidate.schedule.to_string(),
        level: candidate.level.to_string(),
        plan: plan.map(|report| report.chosen.to_string()),
        accepted,
        chosen,
        reason,
        predicted_ns: match &way.planning {
            None => Some(candidate.predicted_ns),
            Some(planning) => Some(planning.estimate.mean_ns),
        },
        measured_ns: plan.and_then(|report| {
            let of = |(plan, ns): &(Plan, f64)| (*plan == report.chosen).then_some(*ns);
            report.measured.iter().find_map(of)
        }),
        ratio_upper_bound: None,
    }
}
