//! The step protocol: values, order, time, refusals.

#![allow(clippy::panic)]

use std::sync::Arc;

use serde_json::json;
use tdse_compiler::Tier;
use tdse_isa::Level;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{ElemChoice, Model, PrepareOptions, Prepared, RuntimeError};

const DT: f64 = 1e-11;

fn pack(nh: usize, nq: usize, np: usize, ir: Option<Vec<f64>>) -> Arc<Pack> {
    // Small integers: every sum is exact, so values can be compared with ==.
    let taps = (0..nh * nq * np)
        .map(|i| (i * 7 % 31) as f64 - 15.0)
        .collect();
    let shape = Shape::new(nh, nq, np).expect("a shape");
    let parts = PackParts {
        shape,
        dt: DT,
        taps,
        ir,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).expect("a pack"))
}

fn model(pack: &Arc<Pack>, options: &PrepareOptions) -> Model {
    Prepared::new(Arc::clone(pack), options)
        .expect("prepares")
        .model()
}

fn tiers() -> impl Iterator<Item = PrepareOptions> {
    Tier::ALL.into_iter().flat_map(|tier| {
        [ElemChoice::F64, ElemChoice::F32].map(|elem| PrepareOptions {
            tier: Some(tier),
            elem,
            ..PrepareOptions::default()
        })
    })
}

/// Commits `x` at step `n` and returns (hr, dr).
fn step(model: &mut Model, n: u64, x: &[f64], nq: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut hr, mut dr) = (vec![f64::NAN; nq], vec![f64::NAN; nq]);
    model.begin(n as f64 * DT, DT).expect("begins");
    model.hr(&mut hr).expect("hr");
    model.commit(x).expect("commits");
    model.dr(&mut dr).expect("dr");
    (hr, dr)
}

#[test]
fn an_impulse_at_every_input_comes_out_at_every_tap() {
    for (nh, nq, np) in [
        (1, 2, 3),
        (2, 1, 1),
        (9, 3, 2),
        (10, 1, 7),
        (33, 5, 4),
        (70, 9, 3),
    ] {
        let pack = pack(nh, nq, np, None);
        for options in tiers() {
            for p in 0..np {
                let mut model = model(&pack, &options);
                let mut x = vec![0.0; np];
                for k in 0..nh + 3 {
                    x.fill(0.0);
                    if k == 0 {
                        x[p] = 1.0;
                    }
                    let (hr, dr) = step(&mut model, k as u64, &x, nq);
                    for q in 0..nq {
                        let tap = if k < nh { pack.tap(k)[q * np + p] } else { 0.0 };
                        let (in_hr, in_dr) = if k == 0 { (0.0, tap) } else { (tap, 0.0) };
                        assert_eq!(hr[q], in_hr, "hr {nh}x{nq}x{np} k{k} q{q} p{p} {options:?}");
                        assert_eq!(dr[q], in_dr, "dr {nh}x{nq}x{np} k{k} q{q} p{p} {options:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn history_is_the_sum_over_committed_inputs_only() {
    let (nh, nq, np) = (12, 3, 2);
    let pack = pack(nh, nq, np, None);
    for options in tiers() {
        let mut model = model(&pack, &options);
        let inputs: Vec<[f64; 2]> = (0..40)
            .map(|t| [(t % 5) as f64, 3.0 - (t % 7) as f64])
            .collect();
        for t in 0..inputs.len() {
            let time = t as f64 * DT;
            // A rejected trial, twice asked, leaves no trace.
            let mut rejected = [0.0; 3];
            model.begin(time, DT).expect("begins");
            model.hr(&mut rejected).expect("hr");
            model.abort();
            let (hr, dr) = step(&mut model, t as u64, &inputs[t], nq);
            assert_eq!(hr, rejected);
            for q in 0..nq {
                let tap = |k: usize| {
                    let row = &pack.tap(k)[q * np..(q + 1) * np];
                    row[0] * inputs[t - k][0] + row[1] * inputs[t - k][1]
                };
                assert_eq!(hr[q], (1..nh.min(t + 1)).map(tap).sum::<f64>());
                assert_eq!(dr[q], tap(0));
            }
        }
    }
}

#[test]
fn reset_gives_a_new_model_and_models_share_nothing_that_changes() {
    let pack = pack(6, 2, 2, None);
    let prepared = Prepared::new(pack, &PrepareOptions::default()).expect("prepares");
    let (mut a, mut b) = (prepared.model(), prepared.model());
    for n in 0..9 {
        step(&mut a, n, &[1.0, n as f64], 2);
    }
    a.reset();
    assert_eq!(a.committed_steps(), 0);
    for n in 0..9 {
        let x = [n as f64, -1.0];
        assert_eq!(step(&mut a, n, &x, 2), step(&mut b, n, &x, 2));
    }
}

#[test]
fn the_operator_is_the_first_tap() {
    let pack = pack(3, 2, 4, None);
    let mut out = vec![0.0; 8];
    model(&pack, &PrepareOptions::default())
        .op(&mut out)
        .expect("op");
    assert_eq!(out, pack.tap(0));
}

#[test]
fn calls_out_of_order_are_refused_and_change_nothing() {
    let pack = pack(4, 2, 2, None);
    let mut model = model(&pack, &PrepareOptions::default());
    let mut two = [0.0; 2];
    assert_eq!(model.hr(&mut two), Err(RuntimeError::NoTrial("hr")));
    assert_eq!(model.ir(&mut two), Err(RuntimeError::NoTrial("ir")));
    assert_eq!(model.commit(&two), Err(RuntimeError::NoTrial("commit")));
    assert_eq!(model.dr(&mut two), Err(RuntimeError::NothingAccepted));
    model.begin(0.0, DT).expect("begins");
    assert_eq!(model.dr(&mut two), Err(RuntimeError::InTrial("dr")));
    assert_eq!(model.ir(&mut two), Err(RuntimeError::NoIr));
    let length = RuntimeError::Length {
        call: "commit",
        expected: 2,
        found: 3,
    };
    assert_eq!(model.commit(&[0.0; 3]), Err(length));
    let length = RuntimeError::Length {
        call: "hr",
        expected: 2,
        found: 1,
    };
    assert_eq!(model.hr(&mut two[..1]), Err(length));
    model.commit(&[1.0, 0.0]).expect("the trial is still open");
    model.begin(DT, DT).expect("begins");
    model.hr(&mut two).expect("hr");
    assert_eq!(two, [pack.tap(1)[0], pack.tap(1)[2]]);
}

#[test]
fn non_finite_inputs_are_refused_and_the_history_is_unchanged() {
    let pack = pack(5, 1, 2, None);
    for options in tiers() {
        let mut model = model(&pack, &options);
        step(&mut model, 0, &[2.0, 3.0], 1);
        model.begin(DT, DT).expect("begins");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let refusal = model.commit(&[1.0, bad]).expect_err("refuses");
            assert_eq!((refusal.code(), refusal.name()), (8011, "non_finite_input"));
        }
        if options.elem == ElemChoice::F32 {
            let refusal = model.commit(&[1e39, 0.0]).expect_err("too large for f32");
            assert_eq!(
                refusal,
                RuntimeError::NonFinite {
                    port: 0,
                    value: 1e39
                }
            );
        }
        let mut hr = [0.0];
        model.hr(&mut hr).expect("the trial is still open");
        assert_eq!(hr[0], 2.0 * pack.tap(1)[0] + 3.0 * pack.tap(1)[1]);
        assert_eq!(model.committed_steps(), 1);
    }
}

#[test]
fn time_is_uniform_at_the_step_of_the_pack() {
    let pack = pack(3, 1, 1, None);
    let mut model = model(&pack, &PrepareOptions::default());
    let wrong = model.begin(0.0, 1.01e-11).expect_err("another step");
    assert_eq!((wrong.code(), wrong.name()), (8009, "step_size"));
    assert_eq!(model.begin(f64::NAN, DT).expect_err("no time").code(), 8010);
    // The first step may be anywhere; times may be multiplied or added up.
    let mut sum = 0.5;
    for n in 0..10_000 {
        model
            .begin(0.5 + f64::from(n) * DT, DT)
            .expect("multiplied");
        model.commit(&[0.0]).expect("commits");
    }
    model.reset();
    for _ in 0..10_000 {
        model.begin(sum, DT).expect("added up");
        model.commit(&[0.0]).expect("commits");
        sum += DT;
    }
    for skipped in [sum + DT, sum - DT, 0.0] {
        assert_eq!(
            model.begin(skipped, DT).expect_err("not the next").name(),
            "time"
        );
    }
    model
        .begin(sum, DT)
        .expect("the next step is still possible");
}

#[test]
fn the_independent_response_follows_time_and_ends_in_an_error() {
    let ir: Vec<f64> = (0..6).map(f64::from).collect();
    let pack = pack(2, 2, 1, Some(ir));
    let options = PrepareOptions {
        start_time: DT,
        ..PrepareOptions::default()
    };
    let mut model = model(&pack, &options);
    let mut out = [0.0; 2];
    // The prime step, one before the start time.
    model.begin(0.0, DT).expect("begins");
    let early = RuntimeError::IrStepOutOfRange { step: -1, last: 2 };
    assert_eq!(model.ir(&mut out), Err(early));
    model.commit(&[0.0]).expect("commits");
    for n in 0..3 {
        model.begin(f64::from(n + 1) * DT, DT).expect("begins");
        model.ir(&mut out).expect("inside the horizon");
        assert_eq!(out, [f64::from(2 * n), f64::from(2 * n + 1)]);
        model.commit(&[0.0]).expect("commits");
    }
    model.begin(4.0 * DT, DT).expect("begins");
    let late = RuntimeError::IrStepOutOfRange { step: 3, last: 2 };
    assert_eq!(model.ir(&mut out), Err(late));
}

#[test]
fn a_pinned_candidate_runs_or_is_an_error() {
    let pack = pack(20, 3, 3, None);
    for tier in Tier::ALL {
        let options = PrepareOptions {
            tier: Some(tier),
            ..PrepareOptions::default()
        };
        let prepared = Prepared::new(Arc::clone(&pack), &options).expect("prepares");
        assert_eq!(prepared.tier(), Some(tier));
        let routes = &prepared.explanation().routes;
        assert_eq!(routes.iter().filter(|r| r.chosen).count(), 1);
        assert_eq!(routes[prepared.explanation().chosen].reason.name, "pinned");
        for route in routes.iter().filter(|r| r.backend != tier.to_string()) {
            assert_eq!((route.accepted, route.reason.code), (false, 8104));
        }
    }
    // A fused class below x86-64-v3: Cranelift would need a library call, so it refuses.
    let fused = PrepareOptions {
        tier: Some(Tier::Cranelift),
        isa_cap: Some(Level::V2),
        contraction: Some(tdse_kir::Contraction::Fma),
        ..PrepareOptions::default()
    };
    if cfg!(target_arch = "x86_64") {
        let Err(refusal) = Prepared::new(Arc::clone(&pack), &fused) else {
            panic!("ran a pinned candidate that cannot run");
        };
        assert_eq!(
            (refusal.code(), refusal.name()),
            (8002, "pinned_route_refused")
        );
        let unpinned = PrepareOptions {
            tier: None,
            ..fused
        };
        let prepared = Prepared::new(pack, &unpinned).expect("portable takes over");
        assert_eq!(prepared.tier(), Some(Tier::Portable));
        let first = &prepared.explanation().routes[0];
        assert_eq!(
            (first.accepted, first.reason.name.as_str()),
            (false, "no_fma")
        );
    }
}

#[test]
fn taps_beyond_f32_are_refused_there() {
    let parts = PackParts {
        shape: Shape::new(2, 1, 1).expect("a shape"),
        dt: 1.0,
        taps: vec![1.0, 1e300],
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    let pack = Arc::new(Pack::from_parts(parts).expect("a pack"));
    let options = PrepareOptions {
        elem: ElemChoice::F32,
        ..PrepareOptions::default()
    };
    let Err(refusal) = Prepared::new(Arc::clone(&pack), &options) else {
        panic!("took a tap that f32 cannot hold");
    };
    let place = "tap H[1][0][0]".to_owned();
    assert_eq!(
        refusal,
        RuntimeError::NotRepresentable {
            place,
            value: 1e300
        }
    );
    Prepared::new(pack, &PrepareOptions::default()).expect("f64 holds it");
}

#[test]
fn an_independent_response_beyond_f32_and_a_start_that_is_no_time_are_refused() {
    let pack = pack(2, 2, 1, Some(vec![0.0, 1.0, 2.0, -1e39]));
    let f32s = PrepareOptions {
        elem: ElemChoice::F32,
        ..PrepareOptions::default()
    };
    let Err(refusal) = Prepared::new(Arc::clone(&pack), &f32s) else {
        panic!("took a response that f32 cannot hold");
    };
    let place = "independent response IR[1][1]".to_owned();
    assert_eq!(
        refusal,
        RuntimeError::NotRepresentable {
            place,
            value: -1e39
        }
    );
    let never = PrepareOptions {
        start_time: f64::NAN,
        ..PrepareOptions::default()
    };
    let Err(refusal) = Prepared::new(pack, &never) else {
        panic!("took NaN for a time");
    };
    assert_eq!((refusal.code(), refusal.name()), (8015, "start_time"));
}

#[test]
fn models_move_between_threads() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    is_send::<Model>();
    is_shared::<Prepared>();
}
