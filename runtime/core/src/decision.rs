//! From a way to what runs: kernels or a vendor's library, and the account of it.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tdse_blas::{Blas, BlasElement};
use tdse_bundle::Loader;
use tdse_compiler::{Candidate, CompiledKernel, Tier};
use tdse_kir::{Contraction, Elem};
use tdse_lookahead::{Domain, Objective, Plan, PlanReport, Sample, TransformKind};

use crate::RuntimeError;
use crate::blas_operators::BlasOperators;
use crate::explain::{Explanation, RouteReport};
use crate::kernels::{Kernels, Target, heads};
use crate::planning::{PlanChoice, Way, best_of_each_route};
use crate::prepared::{PrepareOptions, Prepared};
use crate::reason;
use crate::selection::{Pins, Selection, select};
use crate::stepper::{StepperSource, Typed};
use crate::token::{BackendToken, RouteToken};

/// What was decided.
pub(crate) struct Decision {
    pub(crate) route: RouteToken,
    /// Tier and head schedule; `None` where a vendor's library computes.
    pub(crate) candidate: Option<Candidate>,
    /// The code generator of the plan's levels.
    pub(crate) levels_tier: Option<Tier>,
    pub(crate) planning: Option<PlanReport>,
    pub(crate) explanation: Explanation,
    pub(crate) code_sha256: Option<[u8; 32]>,
}

/// A decision and what came of it.
pub(crate) struct Built {
    pub(crate) source: Arc<dyn StepperSource>,
    /// Every kernel that was compiled.
    pub(crate) kernels: Vec<Arc<CompiledKernel>>,
    pub(crate) decision: Decision,
}

/// Compiles the first candidate that can run, or the one pinned.
pub(crate) fn compiled<T: Sample>(
    target: Target<'_>,
    options: &PrepareOptions,
    way: &Way,
) -> Result<Built, RuntimeError> {
    let plan = way.plan();
    let list = heads(target, plan, T::ELEM);
    let pins = Pins {
        tier: options.tier,
        schedule: options.schedule,
    };
    let Selection {
        built,
        chosen,
        routes,
    } = select(&list, way, pins, |candidate| {
        Kernels::<T>::build(target, plan, candidate)
    })?;
    let class = match plan {
        None => built.class().to_string(),
        Some(plan) => plan_class(plan, target),
    };
    let explanation = Explanation {
        routes,
        chosen,
        numeric_class: class + "." + T::ELEM.name(),
        loader: loader_text(),
        planning: way
            .planning
            .as_ref()
            .map(|p| planning_text(&p.report, target.ahead(list[chosen].tier))),
        policy: policy_text(options, way.route),
        repro: repro(options, way, &list[chosen], target.contraction),
    };
    let digests = built.code_sha256();
    Ok(Built {
        decision: Decision {
            route: way.route,
            candidate: Some(list[chosen]),
            levels_tier: plan.map(|_| target.ahead(list[chosen].tier)),
            planning: way.planning.as_ref().map(|p| p.report.clone()),
            explanation,
            code_sha256: match digests.as_slice() {
                [] => None,
                [only] => Some(*only),
                all => Some(Sha256::digest(all.concat()).into()),
            },
        },
        kernels: built.all(),
        source: Arc::new(Typed::new(built)),
    })
}

/// Opens the BLAS asked for.
pub(crate) fn vendor<T: Sample + BlasElement>(
    target: Target<'_>,
    options: &PrepareOptions,
) -> Result<Built, RuntimeError> {
    // What a vendor's library does inside is its own: none of these could be kept.
    let pins = [
        options.tier.map(|tier| format!("tier {tier}")),
        options
            .schedule
            .map(|schedule| format!("schedule {schedule}")),
        options.isa_cap.map(|level| format!("the cap {level}")),
        options
            .contraction
            .map(|contraction| format!("contraction {}", contraction.name())),
    ];
    if let Some(second) = pins.into_iter().flatten().next() {
        return Err(RuntimeError::Contradiction {
            first: "backend cpu_blas".into(),
            second,
        });
    }
    let blas = Blas::open(&options.blas)?;
    let operators = BlasOperators::<T>::new(target.pack, blas, options.blas_form)?;
    let info = operators.blas().info();
    let library = format!("{} {} {}", info.provider, info.version, info.core);
    let report = RouteReport {
        route: RouteToken::Blas.to_string(),
        backend: BackendToken::CpuBlas.to_string(),
        family: "gemv".into(),
        schedule: operators.choice().to_string(),
        level: target.proof.level().to_string(),
        plan: None,
        accepted: true,
        chosen: true,
        reason: reason::pinned(),
        predicted_ns: None,
        measured_ns: None,
        ratio_upper_bound: None,
    };
    let explanation = Explanation {
        routes: vec![report],
        chosen: 0,
        numeric_class: format!(
            "blas({library}, {}).{}",
            operators.choice().form,
            T::ELEM.name()
        ),
        loader: format!("{library} from {}", info.path.display()),
        planning: None,
        policy: policy_text(options, RouteToken::Blas),
        repro: format!(
            "tdse run PACK --input random:1 --backend cpu_blas --blas {} --blas-form {} --dtype {}",
            info.path.display(),
            operators.choice().form,
            T::ELEM.name()
        ),
    };
    Ok(Built {
        decision: Decision {
            route: RouteToken::Blas,
            candidate: None,
            levels_tier: None,
            planning: None,
            explanation,
            code_sha256: None,
        },
        kernels: Vec::new(),
        source: Arc::new(Typed::new(operators)),
    })
}

/// The routes that are not in use, each with its best plan and what the cost model predicts.
pub(crate) fn alternatives(prepared: &Prepared, objective: Objective) -> Vec<RouteReport> {
    let shape = prepared.pack().shape();
    let sizes = (shape.np(), shape.nq(), shape.nh());
    let mut reports = Vec::new();
    let report = |route: RouteToken| RouteReport {
        route: route.to_string(),
        backend: route.backend().to_string(),
        family: String::new(),
        schedule: String::new(),
        level: prepared.level().to_string(),
        plan: None,
        accepted: true,
        chosen: false,
        reason: reason::not_asked(),
        predicted_ns: None,
        measured_ns: None,
        ratio_upper_bound: None,
    };
    for (route, best) in best_of_each_route(sizes, prepared.elem(), objective) {
        let route = RouteToken::from(route);
        if route == prepared.route() {
            continue;
        }
        let none = best.is_none();
        reports.push(RouteReport {
            plan: best.as_ref().map(|(plan, _)| plan.to_string()),
            predicted_ns: best.map(|(_, estimate)| estimate.mean_ns),
            accepted: !none,
            reason: if none {
                reason::no_plan()
            } else {
                reason::not_asked()
            },
            ..report(route)
        });
    }
    for route in [RouteToken::Generic, RouteToken::Blas] {
        if route != prepared.route() {
            reports.push(report(route));
        }
    }
    reports
}

/// The class of a plan: its levels, the rounding of products, the transforms' instructions.
fn plan_class(plan: &Plan, target: Target<'_>) -> String {
    let contraction = target.contraction.name();
    let spectral = plan.levels.iter().any(|l| l.domain == Domain::Spectrum);
    if !spectral {
        return format!("{plan}({contraction})");
    }
    let transform = TransformKind::of(target.level()).name();
    format!("{plan}({contraction}, transforms {transform})")
}

fn planning_text(report: &PlanReport, tier: Tier) -> String {
    let mut text = format!(
        "{}, levels by {tier} ({}; {} considered, {:.1} ms)",
        report.chosen,
        report.how,
        report.considered,
        report.planning_ns as f64 * 1e-6
    );
    for (plan, ns) in &report.measured {
        text += &format!("; {plan} {ns:.0} ns");
    }
    text
}

fn loader_text() -> String {
    match Loader::probe() {
        Ok(loader) => match loader.passed_over() {
            None => format!("code is mapped by {}", loader.method()),
            Some(refusal) => format!("code is mapped by {}; {refusal}", loader.method()),
        },
        Err(refusal) => refusal.to_string(),
    }
}

fn policy_text(options: &PrepareOptions, route: RouteToken) -> String {
    if options.route.is_some() || matches!(options.plan, PlanChoice::Pinned(_)) {
        return format!("route {route} was asked for; it runs or is an error");
    }
    match options.backend {
        BackendToken::Auto => "auto: no evidence was given, so the conservative backend \
                               cpu_pack_gemv runs, route generic"
            .into(),
        backend => format!("{backend} was asked for; it runs or is an error"),
    }
}

fn repro(
    options: &PrepareOptions,
    way: &Way,
    chosen: &Candidate,
    contraction: Contraction,
) -> String {
    let plan = match way.plan() {
        None => String::new(),
        Some(plan) => format!(" --plan {plan}"),
    };
    // With a plan the levels may have another code generator than the head; pinning would move them.
    let tier = match (options.tier, way.plan()) {
        (None, Some(_)) => String::new(),
        _ => format!(" --tier {}", chosen.tier),
    };
    format!(
        "tdse run PACK --input random:1 --backend cpu_pack_gemv --route {}{plan}{tier} --schedule {} --dtype {} --isa-cap {} --contraction {}",
        way.route,
        chosen.schedule,
        Elem::from(options.elem).name(),
        chosen.level,
        contraction.name()
    )
}
