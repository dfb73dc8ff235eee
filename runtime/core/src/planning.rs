//! Which way a pack is evaluated: the route, and on a route that looks ahead its plan.
//!
//! ```text
//! route, plan, objective asked for --Way::choose--> route + plan
//!                    estimated, measured, remembered from an earlier measurement, or pinned
//! ```
//!
//! A pinned plan is taken as it is or refused. Without a route asked for, and without a plan, the way is the
//! conservative one: no plan.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tdse_compiler::{Candidate, Tier};
use tdse_kir::Elem;
use tdse_lookahead::{
    Absent, CostConstants, Envelope, Estimate, LookaheadError, LookaheadRoute, Objective, Plan,
    PlanCache, PlanKey, PlanReport, PlanShape, Sample, choose_estimated, choose_measured, estimate,
    rank,
};

use crate::RuntimeError;
use crate::kernels::{Kernels, Target, heads};
use crate::prepared::PrepareOptions;
use crate::rehearsal::rehearse;
use crate::stepper::{StepperSource, Typed};
use crate::token::{BackendToken, RouteToken};

/// How a plan is found.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum PlanChoice {
    /// The best by the cost model with the constants of the reference machine: no measurement, and the same plan
    /// on every machine.
    #[default]
    Estimate,
    /// The fastest of a few that are measured here, within about `budget`.
    Measure {
        /// Time for all measurements.
        budget: Duration,
        /// Folder in which the outcome is kept, and looked up first.
        cache: Option<PathBuf>,
    },
    /// This one or an error.
    Pinned(Plan),
}

/// Route and plan.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    /// The route.
    pub(crate) route: RouteToken,
    /// On a route that looks ahead.
    pub(crate) planning: Option<Planning>,
}

/// A plan and its account.
#[derive(Debug, Clone)]
pub(crate) struct Planning {
    /// The account, and in it the plan.
    pub(crate) report: PlanReport,
    /// What the cost model says of it.
    pub(crate) estimate: Estimate,
}

impl Way {
    /// The plan, if there is one.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.planning
            .as_ref()
            .map(|planning| &planning.report.chosen)
    }

    /// Resolves what was asked for.
    pub(crate) fn choose<T: Sample>(
        target: Target<'_>,
        options: &PrepareOptions,
    ) -> Result<Way, RuntimeError> {
        let route = asked_route(options)?;
        let only = match route {
            RouteToken::Generic | RouteToken::Blas => {
                return Ok(Way {
                    route,
                    planning: None,
                });
            }
            RouteToken::Lookahead => None,
            named => named.lookahead(),
        };
        let planner = Planner::<T>::new(target, options, only);
        let (report, constants) = planner.report()?;
        let estimate = estimate(&report.chosen, &planner.shape, &constants);
        Ok(Way {
            route: report.chosen.route.into(),
            planning: Some(Planning { report, estimate }),
        })
    }
}

/// The route that backend, route and plan ask for together.
fn asked_route(options: &PrepareOptions) -> Result<RouteToken, RuntimeError> {
    let planned = match &options.plan {
        PlanChoice::Pinned(plan) => Some(RouteToken::from(plan.route)),
        PlanChoice::Estimate | PlanChoice::Measure { .. } => None,
    };
    let contradiction =
        |first: String, second: String| Err(RuntimeError::Contradiction { first, second });
    let route = match (options.route, planned) {
        (Some(RouteToken::Lookahead), Some(planned)) | (None, Some(planned)) => planned,
        (Some(route), Some(planned)) if route != planned => {
            return contradiction(format!("route {route}"), format!("a plan of {planned}"));
        }
        (Some(route), _) => route,
        (None, None) if options.backend == BackendToken::CpuBlas => RouteToken::Blas,
        (None, None) => RouteToken::Generic,
    };
    if options.backend != BackendToken::Auto && options.backend != route.backend() {
        return contradiction(
            format!("backend {}", options.backend),
            format!("route {route}"),
        );
    }
    Ok(route)
}

struct Planner<'a, T> {
    target: Target<'a>,
    options: &'a PrepareOptions,
    only: Option<LookaheadRoute>,
    shape: PlanShape,
    elem: std::marker::PhantomData<T>,
}

impl<'a, T: Sample> Planner<'a, T> {
    fn new(target: Target<'a>, options: &'a PrepareOptions, only: Option<LookaheadRoute>) -> Self {
        let shape = target.pack.shape();
        Planner {
            // Code for plans that may lose is not worth keeping.
            target: Target {
                source: None,
                ..target
            },
            options,
            only,
            shape: PlanShape {
                np: shape.np(),
                nq: shape.nq(),
                nh: shape.nh(),
                elem: T::ELEM,
            },
            elem: std::marker::PhantomData,
        }
    }

    /// The plan with its account, and the constants that its estimate rests on.
    fn report(&self) -> Result<(PlanReport, CostConstants), RuntimeError> {
        let started = Instant::now();
        let reference = CostConstants::reference(T::ELEM);
        match &self.options.plan {
            PlanChoice::Pinned(plan) => {
                plan.check_for(self.shape.nh)?;
                if self.envelope().is_some_and(|e| !e.admits(plan, T::ELEM)) {
                    return Err(RuntimeError::Contradiction {
                        first: format!("plan {plan}"),
                        second: "the componentwise gate, which its partitions are too large for"
                            .into(),
                    });
                }
                let report = fixed(plan, "pinned", started);
                Ok((report, reference))
            }
            PlanChoice::Estimate => {
                let report = choose_estimated(&self.rank(&reference), started);
                Ok((report.map_err(|_| self.no_plan())?, reference))
            }
            PlanChoice::Measure { budget, cache } => {
                let cache = cache.as_ref().map(PlanCache::new);
                let tier = self.target.ahead(self.first()?.tier);
                let proof = self.target.proof;
                let key = self.key(tier);
                let envelope = self.envelope();
                let remembered = cache
                    .as_ref()
                    .map(|cache| cache.read(&key, self.shape.nh, envelope.as_ref()));
                let absent = match remembered {
                    Some(Ok(plan)) => {
                        return Ok((fixed(&plan, "remembered", started), reference));
                    }
                    Some(Err(Absent(why))) => format!("; not remembered: {why}"),
                    None => String::new(),
                };
                let share = CostConstants::BUDGET.min(*budget / 4);
                // Where the kernels of the fit cannot be made, the reference's constants rank the plans.
                let constants =
                    CostConstants::measure(T::ELEM, tier, proof, share).unwrap_or(reference);
                let ranked = self.rank(&constants);
                // Fitting may have taken longer than its share on a slow machine.
                let left = budget.saturating_sub(started.elapsed()).max(*budget / 4);
                let mut report = choose_measured(&ranked, left, |plan| self.measure(plan, left))
                    .map_err(|_| self.no_plan())?;
                report.planning_ns = started.elapsed().as_nanos() as u64;
                report.how += &absent;
                let ns = report
                    .measured
                    .iter()
                    .find(|(plan, _)| *plan == report.chosen);
                if let (Some(cache), Some(&(_, ns))) = (cache, ns)
                    && let Err(error) = cache.write(&key, &report.chosen, ns)
                {
                    report.how += &format!("; it could not be kept: {error}");
                }
                Ok((report, constants))
            }
        }
    }

    fn rank(&self, constants: &CostConstants) -> Vec<(Plan, Estimate)> {
        let envelope = self.envelope();
        rank(
            &self.shape,
            self.options.objective,
            self.only,
            envelope.as_ref(),
            constants,
        )
    }

    /// The magnitude of `H` over the lags, when the componentwise gate is on.
    fn envelope(&self) -> Option<Envelope> {
        if !self.options.componentwise {
            return None;
        }
        let PlanShape { np, nq, nh, .. } = self.shape;
        let taps = self.target.pack.taps();
        let tap = |k: usize, q: usize, p: usize| taps[(k * nq + q) * np + p];
        Some(Envelope::of(np, nq, nh, tap))
    }

    fn no_plan(&self) -> RuntimeError {
        let route = self.only.map_or("lookahead", LookaheadRoute::name);
        RuntimeError::Lookahead(LookaheadError::NoPlan {
            route: route.into(),
            asked: self.asked(),
            nh: self.shape.nh,
        })
    }

    fn asked(&self) -> String {
        let gate = if self.options.componentwise {
            " with the componentwise gate"
        } else {
            ""
        };
        format!("{}{gate}", self.options.objective)
    }

    fn key(&self, tier: Tier) -> PlanKey {
        PlanKey {
            pack: self.target.pack.identity().sha256_hex(),
            elem: T::ELEM,
            objective: self.options.objective,
            componentwise: self.options.componentwise,
            level: self.target.proof.level(),
            tier,
            route: self.only,
        }
    }

    /// The first candidate of a head that the pins admit.
    fn first(&self) -> Result<Candidate, RuntimeError> {
        self.heads(None).next().ok_or_else(|| RuntimeError::Pinned {
            pinned: "the tier or schedule".into(),
            reason: "no candidate for this shape answers to it".into(),
        })
    }

    /// The candidates of a head that the pins admit.
    fn heads(&self, plan: Option<&Plan>) -> impl Iterator<Item = Candidate> {
        heads(self.target, plan, T::ELEM)
            .into_iter()
            .filter(|c| self.options.tier.is_none_or(|tier| tier == c.tier))
            .filter(|c| {
                self.options
                    .schedule
                    .is_none_or(|schedule| schedule == c.schedule)
            })
    }

    /// Nanoseconds of a plan's steps: their mean, or the slowest but one in a thousand.
    fn measure(&self, plan: &Plan, budget: Duration) -> Result<f64, LookaheadError> {
        let mut refusal = LookaheadError::NoPlan {
            route: plan.route.to_string(),
            asked: self.asked(),
            nh: self.shape.nh,
        };
        let mut built = None;
        for candidate in self.heads(Some(plan)) {
            match Kernels::<T>::build(self.target, Some(plan), &candidate) {
                Ok(kernels) => {
                    built = Some(kernels);
                    break;
                }
                Err(error) => refusal = error,
            }
        }
        let Some(kernels) = built else {
            return Err(refusal);
        };
        let stepper = Arc::new(Typed::new(kernels)).stepper();
        let largest = plan.levels.last().map_or(1, |level| level.block as usize);
        let share = budget / 12;
        rehearse(
            stepper,
            self.shape.np,
            self.shape.nq,
            largest,
            self.options.objective,
            share,
        )
        .map_err(|_| refusal)
    }
}

fn fixed(plan: &Plan, how: &str, started: Instant) -> PlanReport {
    PlanReport {
        chosen: plan.clone(),
        how: how.into(),
        considered: 1,
        measured: Vec::new(),
        planning_ns: started.elapsed().as_nanos() as u64,
    }
}

/// The best estimated plan of every lookahead route for a shape, for reports.
pub(crate) fn best_of_each_route(
    shape: (usize, usize, usize),
    elem: Elem,
    objective: Objective,
) -> Vec<(LookaheadRoute, Option<(Plan, Estimate)>)> {
    let (np, nq, nh) = shape;
    let shape = PlanShape { np, nq, nh, elem };
    let constants = CostConstants::reference(elem);
    LookaheadRoute::ALL
        .into_iter()
        .map(|route| {
            let ranked = rank(&shape, objective, Some(route), None, &constants);
            (route, ranked.into_iter().next())
        })
        .collect()
}
