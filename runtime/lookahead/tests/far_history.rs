//! Every plan gives what the definition says, at every lag, for odd sizes and at any time.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use tdse_compiler::{Maker, Tier};
use tdse_isa::Host;
use tdse_kir::Contraction;
use tdse_lookahead::{Code, FarHistory, Plan, Sample};
use tdse_pack::{Pack, PackParts, Shape};

const PLANS: [&str; 22] = [
    "temporal_block:burst:t2",
    "temporal_block:burst:t5",
    "temporal_block:burst:t8,t32",
    "temporal_block:spread:t4",
    "temporal_block:spread:t3,t15",
    "uniform_fft:burst:f2",
    "uniform_fft:burst:f7",
    "uniform_fft:burst:f16",
    "uniform_fft:burst:t4,f16",
    "uniform_fft:spread:f8",
    "uniform_fft:spread:f9",
    "uniform_fft:spread:t5,f15",
    "nonuniform_fft:burst:f4,f16",
    "nonuniform_fft:burst:t2,f8,f16,f32",
    "nonuniform_fft:spread:f4,f8,f16",
    "nonuniform_fft:spread:t3,f6,f30",
    "nonuniform_fft:spread:f8,f32",
    "relaxed_fft:burst:f8",
    "relaxed_fft:burst:f4,f16,f64",
    "relaxed_fft:burst:t4,f8,f64",
    "relaxed_fft:burst:f3,f15,f45",
    "relaxed_fft:burst:f8,f16,f32,f64",
];

fn pack(nh: usize, nq: usize, np: usize, tap: impl Fn(usize, usize, usize) -> f64) -> Pack {
    let mut taps = Vec::new();
    for k in 0..nh {
        for q in 0..nq {
            taps.extend((0..np).map(|p| tap(k, q, p)));
        }
    }
    Pack::from_parts(PackParts {
        shape: Shape::new(nh, nq, np).unwrap(),
        dt: 1.0,
        taps,
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: serde_json::json!({}),
    })
    .unwrap()
}

fn code(tier: Tier) -> Code {
    let host = Host::get();
    let level = host.best();
    let contraction = if level.has_fma() {
        Contraction::Fma
    } else {
        Contraction::Separate
    };
    Code::new(Maker::new(tier, host.prove(level).unwrap()), contraction)
}

/// Small integers, so that the definition is exact.
fn number(a: usize, b: usize) -> f64 {
    ((a * 31 + b * 17 + a * b) % 19) as f64 - 9.0
}

/// What the lags beyond the head contribute at step `t`, by the definition.
fn far(pack: &Pack, head: usize, t: usize, x: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let shape = pack.shape();
    (0..shape.nq())
        .map(|q| {
            let mut sum = 0.0;
            for k in head + 1..shape.nh().min(t + 1) {
                for p in 0..shape.np() {
                    sum += pack.tap(k)[q * shape.np() + p] * x(t - k, p);
                }
            }
            sum
        })
        .collect()
}

fn worst<T: Sample>(pack: &Pack, plan: &str, tier: Tier, steps: usize, idle: usize) -> f64 {
    let plan: Plan = plan.parse().unwrap();
    let far_history = Arc::new(FarHistory::<T>::build(pack, &plan, &code(tier)).unwrap());
    let mut state = far_history.state(0);
    let np = pack.shape().np();
    let mut worst = 0.0f64;
    for t in 0..steps {
        let want = far(pack, plan.head_taps(), t, number);
        for (got, want) in state.response().iter().zip(want) {
            worst = worst.max((got.to_f64() - want).abs());
        }
        let x: Vec<T> = (0..np).map(|p| T::rounded(number(t, p))).collect();
        state.commit(&x).unwrap();
        for _ in 0..(t * idle) % 5 {
            state.idle().unwrap();
        }
    }
    worst
}

#[test]
fn every_plan_is_the_definition() {
    for (nh, nq, np) in [(130, 1, 1), (131, 2, 3), (97, 5, 1), (150, 4, 4)] {
        let pack = pack(nh, nq, np, |k, q, p| number(k + 3 * q, p + 5 * q));
        for plan in PLANS {
            let error = worst::<f64>(&pack, plan, Tier::Cranelift, 3 * nh, 1);
            assert!(error < 1e-9, "{plan} {nh} {nq} {np}: {error:e}");
        }
    }
}

#[test]
fn every_plan_is_the_definition_in_f32_and_on_portable() {
    let pack = pack(100, 3, 2, |k, q, p| number(k + 3 * q, p + 5 * q));
    for plan in PLANS {
        let error = worst::<f32>(&pack, plan, Tier::Cranelift, 300, 0);
        assert!(error < 0.2, "{plan}: {error:e}");
        let error = worst::<f64>(&pack, plan, Tier::Portable, 300, 0);
        assert!(error < 1e-9, "{plan}: {error:e}");
    }
}

#[test]
fn an_impulse_at_every_tap_comes_out_there_and_nowhere_else() {
    let nh = 70;
    for plan in PLANS {
        let plan: Plan = plan.parse().unwrap();
        for hot in 1..nh {
            let pack = pack(nh, 2, 1, |k, q, _| f64::from(u8::from(k == hot && q == 1)));
            let history = FarHistory::<f64>::build(&pack, &plan, &code(Tier::Cranelift)).unwrap();
            let mut state = Arc::new(history).state(0);
            let from = hot % 11;
            for t in 0..2 * nh {
                let want = far(&pack, plan.head_taps(), t, |s, _| {
                    f64::from(u8::from(s == from))
                });
                for (q, (&got, want)) in state.response().iter().zip(want).enumerate() {
                    let exact = want == 0.0 && got.to_bits() == 0;
                    assert!(
                        exact || (got - want).abs() < 1e-15,
                        "{plan} {hot} {t} {q}: {got}"
                    );
                }
                state.commit(&[f64::from(u8::from(t == from))]).unwrap();
            }
        }
    }
}

#[test]
fn the_bits_are_the_same_with_idle_time_and_when_committed_again_from_the_middle() {
    let pack = pack(120, 2, 2, |k, q, p| number(k, q) / (1.0 + (k + p) as f64));
    for plan in PLANS {
        let plan: Plan = plan.parse().unwrap();
        let history = FarHistory::<f64>::build(&pack, &plan, &code(Tier::Cranelift)).unwrap();
        let history = Arc::new(history);
        let x = |t: usize| [number(t, 1) / 7.0, number(t, 2) / 3.0];
        let mut plain = history.state(0);
        let mut idle = history.state(0);
        let start = 331;
        let mut late = history.state(start as u64);
        for t in 0..900 {
            let bits = |r: &[f64]| r.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(plain.response()), bits(idle.response()), "{plan} {t}");
            if t > start + 500 {
                assert_eq!(bits(plain.response()), bits(late.response()), "{plan} {t}");
            }
            plain.commit(&x(t)).unwrap();
            idle.commit(&x(t)).unwrap();
            for _ in 0..t % 7 {
                idle.idle().unwrap();
            }
            if t >= start {
                late.commit(&x(t)).unwrap();
            }
            if t == 450 {
                let saved = idle.clone();
                for s in 0..100 {
                    idle.commit(&x(s)).unwrap();
                }
                idle = saved;
            }
        }
        plain.clear();
        let mut fresh = history.state(0);
        for t in 0..300 {
            assert_eq!(plain.response(), fresh.response(), "{plan} {t}");
            plain.commit(&x(t)).unwrap();
            fresh.commit(&x(t)).unwrap();
        }
    }
}

#[test]
fn separate_channels_and_silent_rows_are_evaluated_apart() {
    // Row 0 hears port 1, row 1 nothing, row 2 ports 0 and 3; port 2 is heard by none.
    let joined = [(0, 1), (2, 0), (2, 3)];
    let tap = |k: usize, q, p| {
        if joined.contains(&(q, p)) {
            number(k, q + p)
        } else {
            0.0
        }
    };
    let sparse = pack(100, 3, 4, tap);
    let full = pack(100, 3, 4, |k, q, p| number(k, q + p));
    for plan in PLANS {
        assert!(
            worst::<f64>(&sparse, plan, Tier::Cranelift, 300, 1) < 1e-9,
            "{plan}"
        );
        let bytes = |pack| {
            let plan = plan.parse().unwrap();
            let history = FarHistory::<f64>::build(pack, &plan, &code(Tier::Portable)).unwrap();
            history.bytes()
        };
        assert!(2 * bytes(&sparse) < bytes(&full), "{plan}");
    }
}

#[test]
fn a_plan_too_long_for_the_pack_is_refused() {
    let pack = pack(16, 1, 1, |k, _, _| k as f64);
    let plan: Plan = "uniform_fft:burst:f16".parse().unwrap();
    let error = FarHistory::<f64>::build(&pack, &plan, &code(Tier::Portable));
    assert_eq!(error.err().unwrap().code(), 8203);
}
