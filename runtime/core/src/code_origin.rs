//! Where a preparation's machine code comes from: made now, kept from an earlier run, or a bundle.
//!
//! ```text
//! Compile            code generator -> loader
//! Cache(folder)      the same, but asked first; any doubt means making the code again, and is said
//! Bundle             its code or an error: what route, plan, schedule and level it has is taken as pinned
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use tdse_bundle::{Bundle, BundleRoute, CodeCache, Loader};
use tdse_compiler::{CodeSource, KeptCode, Shelf, Tier};
use tdse_isa::Host;
use tdse_kir::Elem;
use tdse_lookahead::{Form, Objective, Plan};
use tdse_pack::Pack;

use crate::RuntimeError;
use crate::explain::Explanation;
use crate::planning::PlanChoice;
use crate::prepared::PrepareOptions;
use crate::token::RouteToken;

/// Where machine code comes from.
#[derive(Debug, Clone, Default)]
pub enum CodeOrigin {
    /// It is made now.
    #[default]
    Compile,
    /// It is kept in a folder between processes.
    Cache {
        /// The folder; it is made when it is missing.
        folder: PathBuf,
        /// Bytes it may take; the oldest files go first.
        limit_bytes: u64,
    },
    /// It was made ahead of deployment.
    Bundle(Arc<Bundle>),
}

/// What an origin makes of a preparation.
pub(crate) struct Opened {
    /// The source to ask.
    pub(crate) source: Option<Arc<dyn CodeSource>>,
    /// What a bundle pins.
    pub(crate) pinned: Option<Pinned>,
    /// Doubts about a cache, told after the preparation.
    pub(crate) doubts: Option<Arc<KeptCode>>,
    /// What the loader does not say.
    pub(crate) note: Option<String>,
}

/// The one route of a bundle that runs.
pub(crate) struct Pinned {
    /// The caller's options with the bundle's in the place of what was left open.
    pub(crate) options: PrepareOptions,
    /// The code generator of a plan's levels.
    pub(crate) levels_tier: Option<Tier>,
    /// What the results' bits are said to be.
    pub(crate) numeric_class: String,
}

impl Opened {
    /// What a bundle says of its bits has to be what this build makes of its route.
    pub(crate) fn check_class(&self, here: &str) -> Result<(), RuntimeError> {
        match &self.pinned {
            Some(pinned) if pinned.numeric_class != here => Err(RuntimeError::OtherBundle {
                what: "the numeric class",
                bundle: pinned.numeric_class.clone(),
                here: here.into(),
            }),
            _ => Ok(()),
        }
    }

    /// Adds to the account what the origin has to say.
    pub(crate) fn tell(&self, explanation: &mut Explanation) {
        let doubts = self.doubts.iter().flat_map(|kept| kept.doubts());
        for text in self.note.iter().cloned().chain(doubts) {
            explanation.loader += "; ";
            explanation.loader += &text;
        }
        if self.pinned.is_some() {
            explanation.policy = "a bundle was given: its code runs or is an error".into();
            explanation.repro += " --bundle BUNDLE";
        }
    }
}

impl CodeOrigin {
    /// Opens the origin for a pack.
    pub(crate) fn open(
        pack: &Pack,
        options: &PrepareOptions,
        elem: Elem,
    ) -> Result<Opened, RuntimeError> {
        match &options.code {
            CodeOrigin::Compile => Ok(Opened {
                source: None,
                pinned: None,
                doubts: None,
                note: None,
            }),
            CodeOrigin::Cache {
                folder,
                limit_bytes,
            } => {
                let kept = Arc::new(KeptCode::new(CodeCache::new(folder, *limit_bytes)));
                Ok(Opened {
                    source: Some(Arc::clone(&kept) as Arc<dyn CodeSource>),
                    pinned: None,
                    doubts: Some(kept),
                    note: None,
                })
            }
            CodeOrigin::Bundle(bundle) => open_bundle(bundle, pack, options, elem),
        }
    }
}

fn open_bundle(
    bundle: &Bundle,
    pack: &Pack,
    options: &PrepareOptions,
    elem: Elem,
) -> Result<Opened, RuntimeError> {
    let differs = |what: &'static str, of_bundle: String, here: String| {
        Err(RuntimeError::OtherBundle {
            what,
            bundle: of_bundle,
            here,
        })
    };
    if bundle.pack_sha256 != pack.identity().sha256 {
        let of_bundle = bundle.pack_sha256_hex();
        return differs("the pack", of_bundle, pack.identity().sha256_hex());
    }
    let shape = pack.shape();
    let sizes = [shape.nh(), shape.nq(), shape.np()].map(|n| n as u64);
    if bundle.shape != sizes {
        return differs(
            "the shape",
            format!("{:?}", bundle.shape),
            format!("{sizes:?}"),
        );
    }
    if bundle.elem != elem {
        return differs(
            "the element type",
            bundle.elem.name().into(),
            elem.name().into(),
        );
    }
    let asked = options.contraction.unwrap_or(bundle.contraction);
    if asked != bundle.contraction {
        let (of_bundle, asked) = (bundle.contraction.name(), asked.name());
        return differs("the rounding of products", of_bundle.into(), asked.into());
    }
    let host = Host::get();
    let capped = host.capped(options.isa_cap);
    let proof = host
        .prove(bundle.level)
        .filter(|_| capped.includes(bundle.level));
    let Some(proof) = proof else {
        return differs("the level", bundle.level.to_string(), capped.to_string());
    };
    let route = chosen_route(bundle, options)?;
    let mut pinned = pin(bundle, route, options)?;
    match Loader::probe() {
        Ok(loader) => {
            let shelf = Shelf::load(bundle, route, loader, proof);
            let shelf = shelf.map_err(|refusal| RuntimeError::Pinned {
                pinned: "the bundle's code".into(),
                reason: refusal.to_string(),
            })?;
            Ok(Opened {
                source: Some(Arc::new(shelf)),
                pinned: Some(pinned),
                doubts: None,
                note: Some(format!("code is the bundle's ({})", bundle.made_by)),
            })
        }
        Err(refusal) if options.tier.is_some() || options.schedule.is_some() => {
            Err(RuntimeError::Pinned {
                pinned: format!("{} {}", route.tier, route.schedule),
                reason: refusal.to_string(),
            })
        }
        // The same bits without executable memory.
        Err(refusal) => {
            pinned.options.tier = Some(Tier::Portable);
            pinned.options.schedule = None;
            pinned.levels_tier = Some(Tier::Portable);
            Ok(Opened {
                source: None,
                pinned: Some(pinned),
                doubts: None,
                note: Some(format!("the bundle's code cannot be mapped: {refusal}")),
            })
        }
    }
}

/// The route asked for; without one, the conservative one.
fn chosen_route<'a>(
    bundle: &'a Bundle,
    options: &PrepareOptions,
) -> Result<&'a BundleRoute, RuntimeError> {
    let plan = match &options.plan {
        PlanChoice::Pinned(plan) => Some(plan.to_string()),
        PlanChoice::Estimate => None,
        PlanChoice::Measure { .. } => {
            return Err(RuntimeError::Contradiction {
                first: "a plan that is measured here".into(),
                second: "a bundle, whose plans are made".into(),
            });
        }
    };
    let conservative = plan.is_none().then_some(RouteToken::Generic);
    let named = options.route.or(conservative);
    let fits = |route: &&BundleRoute| {
        let name = match named {
            None => true,
            Some(RouteToken::Lookahead) => route.plan.is_some(),
            Some(named) => route.route == named.to_string(),
        };
        let same = |asked: Option<String>, own: &String| asked.is_none_or(|asked| asked == *own);
        name && plan
            .as_ref()
            .is_none_or(|plan| route.plan.as_ref() == Some(plan))
            && same(options.tier.map(|tier| tier.to_string()), &route.tier)
            && same(options.schedule.map(|s| s.to_string()), &route.schedule)
            && (options.objective == Objective::Throughput || meets_deadlines(route))
    };
    bundle.routes.iter().find(fits).ok_or_else(|| {
        let deadline = options.objective == Objective::Deadline;
        let asked = [
            named.map(|route| format!("route {route}")),
            plan.as_ref().map(|plan| format!("plan {plan}")),
            options.tier.map(|tier| format!("tier {tier}")),
            options
                .schedule
                .map(|schedule| format!("schedule {schedule}")),
            deadline.then(|| "objective deadline".into()),
        ];
        let has = bundle.routes.iter().map(|route| {
            let name = route.plan.as_ref().unwrap_or(&route.route);
            format!("{name} by {}", route.tier)
        });
        RuntimeError::NotInBundle {
            asked: asked.into_iter().flatten().collect::<Vec<_>>().join(", "),
            has: has.collect::<Vec<_>>().join(", "),
        }
    })
}

/// Whether no step of the route is much longer than another: no plan, or one in spread form.
fn meets_deadlines(route: &BundleRoute) -> bool {
    let spread = |plan: &String| {
        plan.parse::<Plan>()
            .is_ok_and(|plan| plan.form == Form::Spread)
    };
    route.plan.as_ref().is_none_or(spread)
}

/// The caller's options with the bundle's route in the place of what was left open.
fn pin(
    bundle: &Bundle,
    route: &BundleRoute,
    options: &PrepareOptions,
) -> Result<Pinned, RuntimeError> {
    let unreadable = |text: &str| RuntimeError::OtherBundle {
        what: "a name in it",
        bundle: text.into(),
        here: "a name of this build".into(),
    };
    let tier_of = |text: &str| text.parse::<Tier>().map_err(|_| unreadable(text));
    let tier = tier_of(&route.tier)?;
    let schedule = route
        .schedule
        .parse()
        .map_err(|_| unreadable(&route.schedule))?;
    let plan = match &route.plan {
        None => PlanChoice::Estimate,
        Some(plan) => PlanChoice::Pinned(plan.parse()?),
    };
    Ok(Pinned {
        options: PrepareOptions {
            route: Some(route.route.parse()?),
            plan,
            tier: Some(tier),
            schedule: Some(schedule),
            isa_cap: Some(bundle.level),
            contraction: Some(bundle.contraction),
            ..options.clone()
        },
        levels_tier: route.levels_tier.as_deref().map(tier_of).transpose()?,
        numeric_class: route.numeric_class.clone(),
    })
}
