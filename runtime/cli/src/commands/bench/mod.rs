//! `tdse bench`: every route and every peer side by side, in one process and the same rounds.

mod synthetic;
mod table;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tdse_benches::peers::{Choice, ModelChoice, Rival, lineup};
use tdse_benches::{Budget, Measurement, Workload, measure};
use tdse_compiler::Tier;
use tdse_isa::Host;
use tdse_kir::Elem;
use tdse_pack::Pack;
use tdse_runtime::{BlasOptions, RouteToken};

use super::pack_file::open;
use crate::args::{BenchArgs, PeerName};
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;
use crate::random::SplitMix64;

/// Seed of the input.
const INPUT_SEED: u64 = 2;

/// Measures one table for each element type.
pub(crate) fn bench(args: &BenchArgs, console: &Console) -> Result<Outcome, Fault> {
    let pack = Arc::new(match (&args.pack, args.shape) {
        (Some(path), _) => open(path)?,
        (None, Some(shape)) => synthetic::pack(shape, args.taps)?,
        (None, None) => return Err(Fault::Value("give a pack or --shape".into())),
    });
    if pack.shape().nh() < 2 {
        return Err(Fault::Value(
            "the pack has one tap and so no history response; there is nothing to measure".into(),
        ));
    }
    let budget = Budget {
        rounds: args.rounds,
        time: Duration::from_secs_f64(args.seconds.0),
    };
    let (mut rows, mut skipped, mut tables) = (Vec::new(), Vec::new(), Vec::new());
    for &dtype in &args.dtype {
        let elem = Elem::from(dtype);
        let found = table_of(args, &pack, elem, budget, console);
        console.say(table::text(&pack, elem.name(), &found));
        tables.push(json!({
            "dtype": elem.name(),
            "clock_ns": found.clock_ns,
            "direct_bytes": found.direct_bytes,
            "roof_bytes_per_s": found.roof_bytes_per_s,
        }));
        rows.extend(to_values(&found.rows)?);
        skipped.extend(to_values(&found.skipped)?);
    }
    let host = Host::get();
    Ok(Outcome::ok(json!({
        "rows": rows,
        "skipped": skipped,
        "tables": tables,
        "np": pack.shape().np(),
        "nq": pack.shape().nq(),
        "nh": pack.shape().nh(),
        "taps": match args.pack {
            Some(_) => "pack",
            None => synthetic::name(args.taps),
        },
        "content_sha256": pack.identity().sha256_hex(),
        "rounds": args.rounds,
        "seconds": args.seconds.0,
        "level": host.best().to_string(),
        "cpus": std::thread::available_parallelism().map_or(1, usize::from),
    })))
}

fn table_of(
    args: &BenchArgs,
    pack: &Arc<Pack>,
    elem: Elem,
    budget: Budget,
    console: &Console,
) -> Measurement {
    let bar = console.bar(&format!("measuring {}", elem.name()));
    let mut random = SplitMix64::new(INPUT_SEED);
    let work = Workload::new(Arc::clone(pack), elem, args.input.into(), || {
        random.uniform()
    });
    let lineup = lineup(&work, &choice(args));
    measure(&work, lineup, budget, |share| bar.at(share))
}

fn choice(args: &BenchArgs) -> Choice {
    let rivals = match &args.peers {
        None => Rival::ALL.to_vec(),
        Some(names) => names
            .iter()
            .filter_map(|name| match name {
                PeerName::None => None,
                PeerName::Some(rival) => Some(*rival),
            })
            .collect(),
    };
    Choice {
        models: models(args),
        rivals,
        threads: args.threads.clone(),
        blas: args.blas.clone(),
    }
}

/// Every route with the code generators it is wanted on.
fn models(args: &BenchArgs) -> Vec<ModelChoice> {
    // `lookahead` is one of the others under another name. A model of `blas` holds its library to one
    // thread as long as it lives, and so would refuse rivals with more.
    let one_thread = args.threads.iter().all(|&threads| threads == 1);
    let all = || {
        RouteToken::ALL.into_iter().filter(|&route| match route {
            RouteToken::Lookahead => false,
            RouteToken::Blas => one_thread,
            _ => true,
        })
    };
    let routes = args.routes.clone().unwrap_or_else(|| all().collect());
    let mut models = Vec::new();
    for route in routes {
        let tiers: Vec<Option<Tier>> = match (&args.tier, route) {
            (_, RouteToken::Blas) => vec![None],
            (Some(tiers), _) => tiers.iter().copied().map(Some).collect(),
            (None, RouteToken::Generic) => Tier::ALL.map(Some).to_vec(),
            (None, _) => vec![None],
        };
        models.extend(tiers.into_iter().map(|tier| ModelChoice {
            route,
            tier,
            plan: args.plan.choice(args.plan_seconds),
            objective: args.objective.into(),
            blas: BlasOptions {
                path: args.blas.first().cloned(),
            },
        }));
    }
    models
}

fn to_values<T: serde::Serialize>(items: &[T]) -> Result<Vec<Value>, Fault> {
    let values = items.iter().map(serde_json::to_value);
    values
        .collect::<Result<_, _>>()
        .map_err(|error| Fault::Internal(error.to_string()))
}
