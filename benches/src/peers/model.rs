//! The project's own routes, through the calls that a host makes: `begin`, `hr`, `commit`.
//!
//! This file alone knows how a route of a table becomes options of the runtime.

use std::sync::Arc;

use tdse_compiler::Tier;
use tdse_kir::Elem;
use tdse_pack::Pack;
use tdse_runtime::{
    BlasOptions, ElemChoice, Model, Objective, PlanChoice, PrepareOptions, Prepared, RouteToken,
};

use crate::{Label, Peer, PeerRefusal};

/// What to prepare.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    /// The route.
    pub route: RouteToken,
    /// The code generator; the runtime's choice when there is none.
    pub tier: Option<Tier>,
    /// How the plan of a route that looks ahead is found. A pinned plan counts for its own route, the others
    /// are estimated.
    pub plan: PlanChoice,
    /// What a plan is chosen for.
    pub objective: Objective,
    /// The library of route `blas`.
    pub blas: BlasOptions,
}

impl ModelChoice {
    fn plan(&self) -> PlanChoice {
        match &self.plan {
            PlanChoice::Pinned(plan)
                if self.route != RouteToken::Lookahead
                    && self.route.lookahead() != Some(plan.route) =>
            {
                PlanChoice::Estimate
            }
            plan => plan.clone(),
        }
    }

    fn options(&self, elem: Elem) -> PrepareOptions {
        PrepareOptions {
            route: Some(self.route),
            tier: self.tier,
            elem: match elem {
                Elem::F64 => ElemChoice::F64,
                _ => ElemChoice::F32,
            },
            plan: self.plan(),
            objective: self.objective,
            blas: self.blas.clone(),
            ..PrepareOptions::default()
        }
    }
}

/// A model that is stepped.
pub(super) struct ModelPeer {
    label: Label,
    model: Model,
    dt: f64,
    steps: u64,
    period: usize,
    setup_ns: u64,
}

impl ModelPeer {
    pub(super) fn new(
        pack: &Arc<Pack>,
        elem: Elem,
        choice: &ModelChoice,
    ) -> Result<Self, PeerRefusal> {
        let prepared = Prepared::new(Arc::clone(pack), &choice.options(elem))?;
        let schedule = prepared.schedule().map(|schedule| schedule.to_string());
        let planning = prepared
            .planning()
            .map(|report| format!("plan {} in {} ns", report.how, report.planning_ns));
        let label = Label {
            route: prepared.route().to_string(),
            peer: false,
            backend: match prepared.levels_tier().or(prepared.tier()) {
                Some(tier) => tier.to_string(),
                None => prepared.backend().to_string(),
            },
            version: None,
            threads: 1,
            plan: prepared.plan().map(|plan| plan.to_string()).or(schedule),
            note: planning,
        };
        let block = prepared.plan().and_then(|plan| plan.levels.last());
        Ok(ModelPeer {
            label,
            model: prepared.model(),
            dt: pack.dt(),
            steps: 0,
            period: block.map_or(1, |level| level.block as usize),
            setup_ns: prepared.prepare_ns(),
        })
    }
}

impl Peer for ModelPeer {
    fn label(&self) -> &Label {
        &self.label
    }

    fn period(&self) -> usize {
        self.period
    }

    fn bytes(&self) -> usize {
        self.model.prepared().resident_bytes() + self.model.bytes()
    }

    fn setup_ns(&self) -> u64 {
        self.setup_ns
    }

    fn reset(&mut self) -> Result<(), PeerRefusal> {
        self.model.reset();
        self.steps = 0;
        Ok(())
    }

    fn step(&mut self, x: &[f64], hr: &mut [f64]) -> Result<(), PeerRefusal> {
        self.model.begin(self.steps as f64 * self.dt, self.dt)?;
        self.model.hr(hr)?;
        self.model.commit(x)?;
        self.steps += 1;
        Ok(())
    }
}
