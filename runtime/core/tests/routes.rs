//! Routes that look ahead and the vendor's: values against the direct route, loops, trials, saved states.

#![allow(clippy::panic)]

use std::sync::Arc;

use serde_json::json;
use tdse_compiler::Tier;
use tdse_isa::Level;
use tdse_kir::Contraction;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{
    BackendToken, BlasOptions, ElemChoice, Form, Model, Objective, PlanChoice, PrepareOptions,
    Prepared, RouteToken, RuntimeError,
};

const DT: f64 = 1e-9;

const PLANS: [&str; 8] = [
    "temporal_block:burst:t8",
    "temporal_block:spread:t4,t16",
    "uniform_fft:burst:f16",
    "uniform_fft:spread:t4,f16",
    "nonuniform_fft:burst:f8,f32",
    "nonuniform_fft:spread:f4,f16",
    "relaxed_fft:burst:f8,f32",
    "relaxed_fft:burst:t4,f8,f16,f64",
];

/// A decaying response of a few coupled lines; the same every time.
fn pack(nh: usize, nq: usize, np: usize) -> Arc<Pack> {
    let taps = (0..nh * nq * np).map(|i| {
        let k = i / (nq * np);
        let noise = ((i * 7919 + 17) % 1009) as f64 / 504.5 - 1.0;
        // The sum of all magnitudes from one input is below one: no loop diverges.
        noise * (-(k as f64) / 40.0).exp() / (25 * nq) as f64
    });
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).expect("a shape"),
        dt: DT,
        taps: taps.collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).expect("a pack"))
}

fn planned(pack: &Arc<Pack>, plan: &str, elem: ElemChoice) -> Prepared {
    let options = PrepareOptions {
        plan: PlanChoice::Pinned(plan.parse().expect("a plan")),
        elem,
        ..PrepareOptions::default()
    };
    Prepared::new(Arc::clone(pack), &options).expect("prepares")
}

fn generic(pack: &Arc<Pack>) -> Prepared {
    Prepared::new(Arc::clone(pack), &PrepareOptions::default()).expect("prepares")
}

fn blas(pack: &Arc<Pack>) -> Option<Prepared> {
    let options = PrepareOptions {
        backend: BackendToken::CpuBlas,
        ..PrepareOptions::default()
    };
    let prepared = Prepared::new(Arc::clone(pack), &options);
    prepared
        .map_err(|refusal| println!("SKIP cpu_blas: {refusal}"))
        .ok()
}

/// Share of output `q` that its termination sends back into input `p`: most of its own, a little of every
/// other with the opposite sign. No row has more than 1 in all.
fn termination(p: usize, q: usize, nq: usize) -> f64 {
    match (p % nq == q, nq) {
        (true, 1) => 1.0,
        (true, _) => 0.75,
        (false, _) => -0.25 / (nq - 1) as f64,
    }
}

/// A host with a loop through its outputs: x[t] = G y[t] + s[t] with a full matrix G, solved by fixed-point
/// steps on a weak direct term.
struct Host {
    model: Model,
    op: Vec<f64>,
    n: u64,
}

impl Host {
    fn new(prepared: &Prepared) -> Self {
        let shape = prepared.pack().shape();
        let mut op = vec![0.0; shape.nq() * shape.np()];
        let model = prepared.model();
        model.op(&mut op).expect("op");
        Host { model, op, n: 0 }
    }

    /// One step with `gamma` times the terminations; returns y.
    fn step(&mut self, gamma: f64) -> Vec<f64> {
        let shape = self.model.prepared().pack().shape();
        let (np, nq) = (shape.np(), shape.nq());
        let mut hr = vec![0.0; nq];
        self.model.begin(self.n as f64 * DT, DT).expect("begins");
        self.model.hr(&mut hr).expect("hr");
        // A trial that is dropped leaves no trace.
        if self.n % 5 == 3 {
            self.model
                .begin(self.n as f64 * DT, DT)
                .expect("begins again");
            let mut again = vec![0.0; nq];
            self.model.hr(&mut again).expect("hr");
            assert_eq!(again, hr);
        }
        let source =
            |port: usize| (((self.n as usize * 31 + port * 17) % 101) as f64 - 50.0) / 50.0;
        let mut x: Vec<f64> = (0..np).map(source).collect();
        let mut y = hr.clone();
        for _ in 0..60 {
            for (q, y) in y.iter_mut().enumerate() {
                let direct: f64 = (0..np).map(|p| self.op[q * np + p] * x[p]).sum();
                *y = hr[q] + direct;
            }
            for (port, x) in x.iter_mut().enumerate() {
                let back: f64 = (0..nq).map(|q| termination(port, q, nq) * y[q]).sum();
                *x = gamma * back + source(port);
            }
        }
        self.model.commit(&x).expect("commits");
        self.n += 1;
        y
    }
}

fn relative(found: &[f64], wanted: &[f64]) -> f64 {
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
    let difference = norm(&mut found.iter().zip(wanted).map(|(a, b)| a - b));
    difference / norm(&mut wanted.iter().copied())
}

#[test]
fn a_closed_loop_of_a_hundred_thousand_steps_agrees_with_the_direct_route() {
    let pack = pack(150, 2, 2);
    let steps = 100_000;
    let outputs = |prepared: &Prepared, steps: usize| {
        let mut host = Host::new(prepared);
        (0..steps)
            .flat_map(|_| host.step(-0.8))
            .collect::<Vec<f64>>()
    };
    let direct = outputs(&generic(&pack), steps);
    for plan in PLANS {
        let found = outputs(&planned(&pack, plan, ElemChoice::F64), steps);
        let error = relative(&found, &direct);
        assert!(error <= 1e-14, "{plan}: {error:e}");
        let steps = 3000;
        let found = outputs(&planned(&pack, plan, ElemChoice::F32), steps);
        let error = relative(&found, &direct[..2 * steps]);
        assert!(error <= 1e-5, "{plan}: {error:e}");
    }
    if let Some(prepared) = blas(&pack) {
        let error = relative(&outputs(&prepared, 3000), &direct[..6000]);
        assert!(error <= 1e-14, "blas: {error:e}");
    }
}

#[test]
fn a_route_goes_on_from_its_own_state_to_the_bit_and_from_another_within_its_bounds() {
    let pack = pack(90, 3, 2);
    let mut ways: Vec<Prepared> = PLANS
        .iter()
        .map(|plan| planned(&pack, plan, ElemChoice::F64))
        .collect();
    ways.push(generic(&pack));
    ways.extend(blas(&pack));
    for from in &ways {
        let mut host = Host::new(from);
        for _ in 0..213 {
            host.step(0.5);
        }
        let saved = host.model.save();
        assert_eq!(saved.committed_steps(), 213);
        let at = host.n;
        let mut wanted: Vec<f64> = Vec::new();
        for _ in 0..300 {
            wanted.extend(host.step(0.5));
            host.model.idle().expect("idles");
        }
        for to in &ways {
            let mut other = Host::new(to);
            for _ in 0..37 {
                other.step(0.1);
            }
            other.model.restore(&saved).expect("restores");
            assert_eq!(other.model.committed_steps(), 213);
            other.n = at;
            let found: Vec<f64> = (0..300).flat_map(|_| other.step(0.5)).collect();
            let (from_class, to_class) = (from.numeric_class(), to.numeric_class());
            if from_class == to_class {
                let error = relative(&found, &wanted);
                assert!(error <= 1e-14, "{from_class}: {error:e}");
            }
            let error = relative(&found, &wanted);
            assert!(error <= 2e-14, "{from_class} to {to_class}: {error:e}");
        }
        host.model.restore(&saved).expect("restores");
        host.n = at;
        let again: Vec<f64> = (0..300).flat_map(|_| host.step(0.5)).collect();
        let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&again), bits(&wanted), "{}", from.numeric_class());
    }
}

#[test]
fn a_state_of_another_pack_is_refused_and_nothing_changes() {
    let (one, other) = (pack(40, 1, 1), pack(41, 1, 1));
    let saved = generic(&one).model().save();
    let mut host = Host::new(&planned(&other, "uniform_fft:burst:f8", ElemChoice::F64));
    let mut twin = Host::new(&planned(&other, "uniform_fft:burst:f8", ElemChoice::F64));
    for _ in 0..50 {
        host.step(0.3);
        twin.step(0.3);
    }
    assert_eq!(host.model.restore(&saved), Err(RuntimeError::OtherPack));
    assert_eq!(host.model.committed_steps(), 50);
    for _ in 0..50 {
        assert_eq!(host.step(0.3), twin.step(0.3));
    }
}

#[test]
fn a_state_crosses_element_types_where_its_inputs_do() {
    let pack = pack(90, 2, 2);
    let plan = "relaxed_fft:burst:f8,f32";
    let (wide, narrow) = (
        planned(&pack, plan, ElemChoice::F64),
        planned(&pack, plan, ElemChoice::F32),
    );
    let mut host = Host::new(&wide);
    for _ in 0..150 {
        host.step(0.5);
    }
    let saved = host.model.save();
    let mut other = Host::new(&narrow);
    other.model.restore(&saved).expect("restores");
    other.n = host.n;
    let wanted: Vec<f64> = (0..100).flat_map(|_| host.step(0.5)).collect();
    let found: Vec<f64> = (0..100).flat_map(|_| other.step(0.5)).collect();
    let error = relative(&found, &wanted);
    assert!(error <= 1e-5, "{error:e}");
    // An input that f32 does not hold: refused, and the model goes on as if nothing had been.
    host.model.begin(host.n as f64 * DT, DT).expect("begins");
    host.model.commit(&[1e300, 0.0]).expect("commits");
    let mut twin = Host::new(&narrow);
    twin.model.restore(&other.model.save()).expect("restores");
    twin.n = other.n;
    let refusal = other.model.restore(&host.model.save());
    assert_eq!(
        refusal.map_err(|e| e.name()),
        Err("not_representable_in_f32")
    );
    for _ in 0..50 {
        assert_eq!(other.step(0.5), twin.step(0.5));
    }
}

#[test]
fn reset_is_the_beginning() {
    let pack = pack(70, 2, 3);
    for plan in PLANS {
        let prepared = planned(&pack, plan, ElemChoice::F64);
        let mut host = Host::new(&prepared);
        let first: Vec<f64> = (0..150).flat_map(|_| host.step(0.4)).collect();
        // An open trial goes with the rest.
        host.model.begin(host.n as f64 * DT, DT).expect("begins");
        host.model.reset();
        host.n = 0;
        let second: Vec<f64> = (0..150).flat_map(|_| host.step(0.4)).collect();
        assert_eq!(first, second, "{plan}");
    }
}

#[test]
fn the_planner_serves_every_route_and_objective() {
    let pack = pack(300, 3, 3);
    let choices = [
        PlanChoice::Estimate,
        PlanChoice::Measure {
            budget: std::time::Duration::from_millis(300),
            cache: None,
        },
    ];
    for route in RouteToken::ALL {
        if matches!(route, RouteToken::Generic | RouteToken::Blas) {
            continue;
        }
        for objective in [Objective::Throughput, Objective::Deadline] {
            for plan in &choices {
                let options = PrepareOptions {
                    route: Some(route),
                    plan: plan.clone(),
                    objective,
                    ..PrepareOptions::default()
                };
                let prepared = Prepared::new(Arc::clone(&pack), &options);
                if route == RouteToken::RelaxedFft && objective == Objective::Deadline {
                    let refusal = prepared.err().expect("a burst route has no deadline plan");
                    assert_eq!(refusal.name(), "no_plan");
                    continue;
                }
                let prepared = prepared.expect("prepares");
                let chosen = prepared.plan().expect("a plan");
                if route != RouteToken::Lookahead {
                    assert_eq!(prepared.route(), route);
                }
                assert_eq!(RouteToken::from(chosen.route), prepared.route());
                if objective == Objective::Deadline {
                    assert_eq!(chosen.form, Form::Spread);
                }
                let repro = &prepared.explanation().repro;
                assert!(repro.contains(&format!("--plan {chosen}")), "{repro}");
            }
        }
    }
}

#[test]
fn a_measured_plan_is_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = pack(200, 2, 2);
    let options = PrepareOptions {
        route: Some(RouteToken::Lookahead),
        plan: PlanChoice::Measure {
            budget: std::time::Duration::from_millis(400),
            cache: Some(folder.path().into()),
        },
        ..PrepareOptions::default()
    };
    let first = Prepared::new(Arc::clone(&pack), &options).expect("prepares");
    let second = Prepared::new(Arc::clone(&pack), &options).expect("prepares");
    let how = |prepared: &Prepared| prepared.planning().expect("a plan").how.clone();
    assert!(how(&first).starts_with("measured"), "{}", how(&first));
    assert_eq!(how(&second), "remembered");
    assert_eq!(first.plan(), second.plan());
}

#[test]
fn what_is_pinned_runs_or_is_refused() {
    let pack = pack(30, 1, 1);
    let plan = |text: &str| PlanChoice::Pinned(text.parse().expect("a plan"));
    let prepare = |options: PrepareOptions| Prepared::new(Arc::clone(&pack), &options);
    let refused = |options: PrepareOptions| prepare(options).err().expect("refused");
    let error = refused(PrepareOptions {
        plan: plan("uniform_fft:burst:f32"),
        ..PrepareOptions::default()
    });
    assert_eq!((error.code(), error.name()), (8203, "plan_length"));
    let error = refused(PrepareOptions {
        plan: plan("uniform_fft:burst:f8"),
        route: Some(RouteToken::RelaxedFft),
        ..PrepareOptions::default()
    });
    assert_eq!((error.code(), error.name()), (8017, "contradiction"));
    let error = refused(PrepareOptions {
        backend: BackendToken::CpuBlas,
        route: Some(RouteToken::Generic),
        ..PrepareOptions::default()
    });
    assert_eq!(error.code(), 8017);
    let blas_with = |options: PrepareOptions| {
        refused(PrepareOptions {
            backend: BackendToken::CpuBlas,
            ..options
        })
        .code()
    };
    let none = PrepareOptions::default;
    let pinned = [
        PrepareOptions {
            tier: Some(Tier::Portable),
            ..none()
        },
        PrepareOptions {
            schedule: "taps.r1.u1".parse().ok(),
            ..none()
        },
        PrepareOptions {
            isa_cap: Some(Level::Baseline),
            ..none()
        },
        PrepareOptions {
            contraction: Some(Contraction::Separate),
            ..none()
        },
    ];
    assert_eq!(pinned.map(blas_with), [8017; 4]);
    let error = refused(PrepareOptions {
        backend: BackendToken::CpuBlas,
        blas: BlasOptions {
            path: Some("/no/such/library.so".into()),
        },
        ..PrepareOptions::default()
    });
    assert!((8300..8400).contains(&error.code()), "{error}");
    let portable = prepare(PrepareOptions {
        plan: plan("relaxed_fft:burst:f8"),
        tier: Some(Tier::Portable),
        ..PrepareOptions::default()
    })
    .expect("prepares");
    assert_eq!(portable.tier(), Some(Tier::Portable));
    assert_eq!(portable.code_sha256(), None);
    assert_eq!(portable.route(), RouteToken::RelaxedFft);
}
