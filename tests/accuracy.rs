//! Every route against sums in twice the working precision, on made and on real packs.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tdse_benches::reference::Reference;
use tdse_pack::import::{ImportOptions, import};
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{
    Domain, ElemChoice, LookaheadRoute, Objective, Plan, PlanChoice, PrepareOptions, Prepared,
    RouteToken,
};
use tdse_tests::random::Random;
use tdse_tests::shared;

fn pack(nh: usize, nq: usize, np: usize, mut tap: impl FnMut(usize, usize) -> f64) -> Arc<Pack> {
    let pairs = nq * np;
    let taps = (0..nh * pairs).map(|i| tap(i / pairs, i % pairs));
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).unwrap(),
        dt: 1.0,
        taps: taps.collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).unwrap())
}

fn white(nh: usize, nq: usize, np: usize) -> Arc<Pack> {
    let mut random = Random::new(7);
    pack(nh, nq, np, |_, _| random.uniform())
}

fn decaying(nh: usize, nq: usize, np: usize) -> Arc<Pack> {
    let mut random = Random::new(8);
    pack(nh, nq, np, |k, _| {
        random.uniform() * (-(k as f64) / 120.0).exp()
    })
}

/// Every pair begins after a delay of its own.
fn delayed(nh: usize, nq: usize, np: usize) -> Arc<Pack> {
    let mut random = Random::new(9);
    pack(nh, nq, np, |k, pair| {
        let value = random.uniform();
        if k < 100 + 37 * pair { 0.0 } else { value }
    })
}

fn file(path: &str) -> Option<Arc<Pack>> {
    let path = shared(path)?;
    Some(Arc::new(imported(&path)))
}

fn imported(path: &Path) -> Pack {
    import(path, &ImportOptions::default()).unwrap().pack
}

/// Name and pack; real files where they are at hand.
fn packs() -> Vec<(&'static str, Arc<Pack>)> {
    let mut packs = vec![
        ("white 1x1x2048", white(2048, 1, 1)),
        ("white 4x4x700", white(700, 4, 4)),
        ("white 16x16x300", white(300, 16, 16)),
        ("decaying 2x3x1024", decaying(1024, 2, 3)),
        ("delayed 3x2x900", delayed(900, 3, 2)),
    ];
    packs.extend(real_packs());
    packs
}

/// Measured responses: bond wires, a splitter with a delay, ears.
fn real_packs() -> Vec<(&'static str, Arc<Pack>)> {
    let files = [
        (
            "WireBond3Pairs",
            "data/touchstone/sigint__WireBond3Pairs.s12p",
        ),
        ("EP2C+", "data/touchstone/skrf__EP2C+_Plus25DegC_Unit1.S3P"),
        ("KEMAR", "data/wav/mit_kemar_H_512x2x12_f64.npz"),
    ];
    let found = files
        .into_iter()
        .map(|(name, path)| file(path).map(|pack| (name, pack)));
    found.flatten().collect()
}

/// Every way to evaluate a pack: direct, the planner's choice of every route and objective, pinned blocks.
fn ways(nh: usize) -> Vec<(String, PrepareOptions)> {
    let mut ways = vec![("generic".to_owned(), PrepareOptions::default())];
    for route in LookaheadRoute::ALL {
        for objective in [Objective::Throughput, Objective::Deadline] {
            if route == LookaheadRoute::RelaxedFft && objective == Objective::Deadline {
                continue;
            }
            let options = PrepareOptions {
                route: Some(RouteToken::from(route)),
                objective,
                ..PrepareOptions::default()
            };
            ways.push((format!("{route} for {objective}"), options));
        }
    }
    for plan in [
        "temporal_block:burst:t7",
        "uniform_fft:spread:f5",
        "nonuniform_fft:spread:t3,f9,f27",
        "relaxed_fft:burst:f8,f16,f32,f64",
    ] {
        let plan: Plan = plan.parse().unwrap();
        if plan.check_for(nh).is_ok() {
            let options = PrepareOptions {
                plan: PlanChoice::Pinned(plan.clone()),
                ..PrepareOptions::default()
            };
            ways.push((plan.to_string(), options));
        }
    }
    ways
}

/// History responses at `steps` (ascending) for the inputs `x`, `[step][np]`.
fn responses(prepared: &Prepared, x: &[f64], steps: &[usize]) -> Vec<f64> {
    let shape = prepared.pack().shape();
    let dt = prepared.pack().dt();
    let mut model = prepared.model();
    let mut hr = vec![0.0; shape.nq()];
    let mut found = Vec::new();
    for (n, x) in x.chunks_exact(shape.np()).enumerate() {
        model.begin(n as f64 * dt, dt).unwrap();
        if steps.contains(&n) {
            model.hr(&mut hr).unwrap();
            found.extend_from_slice(&hr);
        }
        model.commit(x).unwrap();
    }
    found
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn every_route_is_accurate_in_norm() {
    for (name, pack) in packs() {
        let shape = pack.shape();
        let (np, nh) = (shape.np(), shape.nh());
        let mut random = Random::new(11);
        let count = 3 * nh + 50;
        let x: Vec<f64> = (0..count * np).map(|_| random.uniform()).collect();
        let steps: Vec<usize> = (0..40)
            .map(|i| (i * 7919 + 13) % count)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let wanted = Reference::new(&pack, &x, steps.clone());
        let wanted: Vec<f64> = (0..steps.len())
            .flat_map(|n| wanted.row(n).to_vec())
            .collect();
        for (elem, bound) in [(ElemChoice::F64, 1e-14), (ElemChoice::F32, 1e-6)] {
            for (way, options) in ways(nh) {
                let options = PrepareOptions { elem, ..options };
                let Ok(prepared) = Prepared::new(Arc::clone(&pack), &options) else {
                    // Shorter than the least block of the route, which only the planner may say.
                    assert!(nh < 20, "{name} {way}");
                    continue;
                };
                let found = responses(&prepared, &x, &steps);
                let difference = norm(found.iter().zip(&wanted).map(|(a, b)| a - b));
                let error = difference / norm(wanted.iter().copied());
                assert!(error <= bound, "{name} {way} {elem:?}: {error:e}");
            }
        }
    }
}

#[test]
fn with_the_gate_on_every_output_is_accurate_beside_its_own_terms() {
    for (name, pack) in [
        ("white 4x4x700", white(700, 4, 4)),
        ("decaying 1x1x4096", decaying(4096, 1, 1)),
        ("decaying 2x3x1024", decaying(1024, 2, 3)),
    ] {
        for plan in hold_componentwise(name, &pack) {
            let spectral = plan.levels.iter().any(|l| l.domain == Domain::Spectrum);
            assert!(spectral, "{name}: the gate leaves transforms to {plan}");
        }
    }
}

#[test]
fn with_the_gate_on_real_packs_are_accurate_beside_their_own_terms() {
    for (name, pack) in real_packs() {
        let plans = hold_componentwise(name, &pack);
        // Which blocks the gate leaves depends on the data; that it leaves a plan does not.
        assert!(!plans.is_empty(), "{name}");
        for plan in plans {
            println!("{name}: {plan}");
        }
    }
}

/// Holds every plan that the planner finds under the gate, for steady inputs and for a burst, to 1e-13
/// of `sum |h||x|` at every output; the plans.
fn hold_componentwise(name: &str, pack: &Arc<Pack>) -> Vec<Plan> {
    let shape = pack.shape();
    let (np, nq, nh) = (shape.np(), shape.nq(), shape.nh());
    let magnitudes = self::pack(nh, nq, np, |k, pair| pack.tap(k)[pair].abs());
    let count = nh + 600;
    let steps: Vec<usize> = (0..120).map(|i| i * (count - 1) / 119).collect();
    let mut plans = Vec::new();
    for burst in [64, usize::MAX] {
        let mut random = Random::new(12);
        let x: Vec<f64> = (0..count * np)
            .map(|i| {
                if i / np < burst {
                    random.uniform()
                } else {
                    0.0
                }
            })
            .collect();
        let wanted = Reference::new(pack, &x, steps.clone());
        let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
        let terms = Reference::new(&magnitudes, &sizes, steps.clone());
        for options in gated() {
            let prepared = match Prepared::new(Arc::clone(pack), &options) {
                Ok(prepared) => prepared,
                // A route by its name may have no plan whose blocks the gate admits.
                Err(refusal) => {
                    assert_eq!(refusal.name(), "no_plan", "{name}: {refusal}");
                    assert_ne!(options.route, Some(RouteToken::Lookahead), "{name}");
                    continue;
                }
            };
            let plan = prepared.plan().unwrap();
            let found = responses(&prepared, &x, &steps);
            for (n, found) in found.chunks_exact(nq).enumerate() {
                for (q, found) in found.iter().enumerate() {
                    let error = (found - wanted.row(n)[q]).abs();
                    let bound = 1e-13 * terms.row(n)[q];
                    assert!(
                        error <= bound,
                        "{name} {plan} burst {burst} step {}: {error:e} > {bound:e}",
                        steps[n]
                    );
                }
            }
            if !plans.contains(plan) {
                plans.push(plan.clone());
            }
        }
    }
    plans
}

/// The planner's choice of any route for both objectives, and of each spectral route, under the gate.
fn gated() -> Vec<PrepareOptions> {
    let free = [Objective::Throughput, Objective::Deadline];
    let free = free.map(|objective| (RouteToken::Lookahead, objective));
    let named = [
        RouteToken::UniformFft,
        RouteToken::NonuniformFft,
        RouteToken::RelaxedFft,
    ];
    let named = named.map(|route| (route, Objective::Throughput));
    free.into_iter()
        .chain(named)
        .map(|(route, objective)| PrepareOptions {
            route: Some(route),
            objective,
            componentwise: true,
            ..PrepareOptions::default()
        })
        .collect()
}

#[test]
fn a_delay_is_silent_until_its_input_arrives_and_after_it_has_passed() {
    let (nh, delay) = (600, 431);
    let one = pack(nh, 1, 1, |k, _| f64::from(u8::from(k == delay)));
    let x: Vec<f64> = (0..3 * nh)
        .map(|n| if n % 700 == 3 { 0.7 } else { 0.0 })
        .collect();
    let steps: Vec<usize> = (0..x.len()).collect();
    for (way, options) in ways(nh) {
        let prepared = Prepared::new(Arc::clone(&one), &options).unwrap();
        for (n, y) in responses(&prepared, &x, &steps).into_iter().enumerate() {
            let wanted = n.checked_sub(delay).map_or(0.0, |n| x[n]);
            if wanted == 0.0 {
                assert_eq!(y.to_bits(), 0, "{way} {n}: {y:e}");
            } else {
                assert!((y - wanted).abs() <= 1e-15, "{way} {n}: {y:e}");
            }
        }
    }
}
