//! Compiling ahead of deployment: a pack's routes for machines of a level, into a bundle.
//!
//! ```text
//! pack + options + level --the same decision as at load--> kernels --backend--> entries of a bundle
//! ```
//!
//! What is decided for the other machine is what it would decide itself: schedules by the cost model, a plan by
//! the cost model, by measurement where this machine has the level, or pinned. No code is loaded here.

use std::sync::Arc;

use tdse_blas::BlasElement;
use tdse_bundle::{Bundle, BundleRoute};
use tdse_compiler::{CodeSource, Listener, Recorder, default_contraction};
use tdse_isa::{Host, Level};
use tdse_kir::{Contraction, Elem};
use tdse_lookahead::Sample;
use tdse_pack::Pack;

use crate::RuntimeError;
use crate::decision::compiled;
use crate::kernels::Target;
use crate::planning::{PlanChoice, Way};
use crate::prepared::{ElemChoice, PrepareOptions};
use crate::token::RouteToken;

/// Compiles routes of a pack for other machines, one after the other.
pub struct AheadCompiler {
    pack: Arc<Pack>,
    bundle: Bundle,
    listener: Listener,
}

impl AheadCompiler {
    /// A bundle without routes. `contraction` is fused where the level has it, unless it is given.
    pub fn new(
        pack: Arc<Pack>,
        elem: ElemChoice,
        level: Level,
        contraction: Option<Contraction>,
        listener: Listener,
    ) -> Self {
        let shape = pack.shape();
        AheadCompiler {
            bundle: Bundle {
                pack_sha256: pack.identity().sha256,
                shape: [shape.nh(), shape.nq(), shape.np()].map(|n| n as u64),
                elem: elem.into(),
                level,
                contraction: contraction.unwrap_or(default_contraction(level)),
                made_by: concat!("tdse ", env!("CARGO_PKG_VERSION")).into(),
                routes: Vec::new(),
                entries: Vec::new(),
            },
            pack,
            listener,
        }
    }

    /// Compiles one route. Of the options, route, plan, objective, gate, tier and schedule count.
    ///
    /// A plan is measured only where this machine has the level. A route of a vendor's library, and the portable
    /// tier, have no code to keep: both are refused.
    pub fn add(&mut self, options: &PrepareOptions) -> Result<&BundleRoute, RuntimeError> {
        match self.bundle.elem {
            Elem::F64 => self.typed::<f64>(options),
            Elem::F32 => self.typed::<f32>(options),
        }
    }

    /// The bundle of all routes.
    pub fn finish(self) -> Bundle {
        self.bundle
    }

    fn typed<T: Sample + BlasElement>(
        &mut self,
        options: &PrepareOptions,
    ) -> Result<&BundleRoute, RuntimeError> {
        let host = Host::get();
        let level = self.bundle.level;
        let no_code = |what: String| RuntimeError::Contradiction {
            first: "a bundle".into(),
            second: format!("{what}, which has no code to keep"),
        };
        if options.tier.is_some_and(|tier| !tier.makes_machine_code()) {
            return Err(no_code("the portable tier".into()));
        }
        let here = host.prove(level);
        if here.is_none() && matches!(options.plan, PlanChoice::Measure { .. }) {
            return Err(RuntimeError::Contradiction {
                first: format!("a plan that is measured for {level}"),
                second: format!("a machine that has {}", host.best()),
            });
        }
        let proof = here.or_else(|| host.prove(host.best()));
        let proof = proof.ok_or_else(|| RuntimeError::Internal("no level is proven".into()))?;
        let list = Arc::new(Recorder::new(Arc::clone(&self.listener)));
        let source: Arc<dyn CodeSource> = Arc::clone(&list) as Arc<dyn CodeSource>;
        let mut target = Target {
            pack: &self.pack,
            contraction: self.bundle.contraction,
            proof,
            tier: options.tier,
            levels_tier: None,
            source: None,
            ahead: None,
        };
        // Plans are measured with code for this machine, which no bundle keeps.
        let way = Way::choose::<T>(target, options)?;
        if way.route == RouteToken::Blas {
            return Err(no_code("route blas".into()));
        }
        target.source = Some(&source);
        target.ahead = Some(level);
        let built = compiled::<T>(target, options, &way)?;
        let candidate = built.decision.candidate;
        let candidate = candidate.ok_or_else(|| no_code(format!("route {}", way.route)))?;
        if !candidate.tier.makes_machine_code() {
            return Err(RuntimeError::Pinned {
                pinned: format!("machine code for {level}"),
                reason: "no code generator of this build makes it".into(),
            });
        }
        let kernels = self.keep(&list);
        let route = BundleRoute {
            route: way.route.to_string(),
            plan: way.plan().map(ToString::to_string),
            tier: candidate.tier.to_string(),
            schedule: candidate.schedule.to_string(),
            levels_tier: built.decision.levels_tier.map(|tier| tier.to_string()),
            numeric_class: built.decision.explanation.numeric_class,
            kernels,
        };
        // A route that was added by another name is there already.
        let routes = &mut self.bundle.routes;
        let at = routes.iter().position(|kept| *kept == route);
        let at = at.unwrap_or(routes.len());
        if at == routes.len() {
            routes.push(route);
        }
        Ok(&routes[at])
    }

    /// Keeps what was made, each kernel once, and says where.
    fn keep(&mut self, list: &Recorder) -> Vec<usize> {
        let mut kernels: Vec<usize> = Vec::new();
        for entry in list.made() {
            let entries = &mut self.bundle.entries;
            let at = entries.iter().position(|kept| kept.key == entry.key);
            let at = at.unwrap_or_else(|| {
                entries.push(entry);
                entries.len() - 1
            });
            if !kernels.contains(&at) {
                kernels.push(at);
            }
        }
        kernels
    }
}
