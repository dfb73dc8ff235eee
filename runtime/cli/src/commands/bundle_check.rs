//! `tdse bundle check`: whether a bundle is whole, and whether it runs here.

use std::sync::Arc;

use serde_json::{Value, json};
use tdse_bundle::{Bundle, BundleRoute};
use tdse_kir::Elem;
use tdse_pack::Pack;
use tdse_runtime::{
    CodeOrigin, ElemChoice, PlanChoice, PrepareOptions, Prepared, RouteToken, RuntimeError,
};

use super::bundle_file::open_bundle;
use super::pack_file::open;
use super::run::hex;
use crate::args::BundleCheckArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;

/// Reads the bundle, which checks every digest in it; with a pack, prepares every route with its code.
pub(crate) fn bundle_check(args: &BundleCheckArgs, console: &Console) -> Result<Outcome, Fault> {
    let bundle = open_bundle(&args.bundle)?;
    console.say(format!(
        "{}: whole; {} kernels, code sha256 {}",
        args.bundle.display(),
        bundle.entries.len(),
        hex(&bundle.code_sha256())
    ));
    let mut rows: Vec<Value> = Vec::new();
    let mut failed = Vec::new();
    if let Some(path) = &args.pack {
        let pack = Arc::new(open(path)?);
        for route in &bundle.routes {
            let name = route.plan.as_ref().unwrap_or(&route.route);
            let outcome = prepare(&bundle, route, &pack);
            let text = match &outcome {
                Ok(prepared) => format!("runs here, class {}", prepared.numeric_class()),
                Err(refusal) => refusal.to_string(),
            };
            console.say(format!("{name}: {text}"));
            rows.push(json!({
                "route": route.route,
                "plan": route.plan,
                "runs": outcome.is_ok(),
                "prepare_ns": outcome.as_ref().ok().map(Prepared::prepare_ns),
                "reason": text,
            }));
            if outcome.is_err() {
                failed.push(format!("{name}: {text}"));
            }
        }
    }
    let data = json!({
        "whole": true,
        "code_sha256": hex(&bundle.code_sha256()),
        "routes": rows,
    });
    Ok(Outcome {
        data,
        failure: (!failed.is_empty()).then(|| Fault::BundleDoesNotRun(failed.join("; "))),
    })
}

fn prepare(
    bundle: &Arc<Bundle>,
    route: &BundleRoute,
    pack: &Arc<Pack>,
) -> Result<Prepared, RuntimeError> {
    let plan = match &route.plan {
        None => PlanChoice::Estimate,
        Some(plan) => PlanChoice::Pinned(plan.parse()?),
    };
    let options = PrepareOptions {
        route: Some(route.route.parse::<RouteToken>()?),
        // Names that are none of this build are refused as the runtime refuses them.
        tier: route.tier.parse().ok(),
        schedule: route.schedule.parse().ok(),
        plan,
        elem: match bundle.elem {
            Elem::F64 => ElemChoice::F64,
            Elem::F32 => ElemChoice::F32,
        },
        code: CodeOrigin::Bundle(Arc::clone(bundle)),
        ..PrepareOptions::default()
    };
    Prepared::new(Arc::clone(pack), &options)
}
