//! The planner against closed forms, by hand-worked counts, and against what must be refused.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::time::{Duration, Instant};

use tdse_compiler::Tier;
use tdse_isa::{Host, Level};
use tdse_kir::Elem;
use tdse_lookahead::{
    CostConstants, Domain, Envelope, Estimate, Form, LookaheadError, LookaheadRoute, MAX_PLANS,
    Objective, Plan, PlanCache, PlanKey, PlanShape, PlanWork, choose_estimated, choose_measured,
    enumerate, estimate, rank, window_range,
};

fn plan(text: &str) -> Plan {
    text.parse().unwrap()
}

fn shape(ports: usize, nh: usize) -> PlanShape {
    PlanShape {
        np: ports,
        nq: ports,
        nh,
        elem: Elem::F64,
    }
}

fn best(shape: &PlanShape, objective: Objective) -> (Plan, Estimate) {
    let constants = CostConstants::reference(shape.elem);
    rank(shape, objective, None, None, &constants).remove(0)
}

/// Flops of one real transform of `2B` points: `2.5 n log2 n`.
fn transform(block: f64) -> f64 {
    5.0 * block * (2.0 * block).log2()
}

fn assert_near(found: f64, meant: f64, part: f64, what: &str) {
    assert!(
        (found / meant - 1.0).abs() <= part,
        "{what}: {found}, not {meant}"
    );
}

#[test]
fn flops_are_those_of_the_closed_forms() {
    // Published sums in Mflop a step. The bins of a spectrum are B here and B + 1 there: the smaller
    // the block, the more that is.
    for (ports, nh, text, published, part) in [
        (1, 256, "uniform_fft:spread:f16", 0.000231, 0.05),
        (1, 4096, "uniform_fft:spread:f64", 0.000828, 0.015),
        (8, 1024, "uniform_fft:spread:f64", 0.0241, 0.015),
        (32, 4096, "uniform_fft:spread:f128", 0.772, 0.01),
        (128, 4096, "uniform_fft:spread:f128", 12.3, 0.01),
        (
            1,
            1024,
            "nonuniform_fft:spread:f32,f64,f128,f256",
            0.000491,
            0.02,
        ),
        (
            8,
            1024,
            "nonuniform_fft:spread:f8,f16,f32,f64,f128,f256",
            0.0114,
            0.06,
        ),
        (
            32,
            1024,
            "nonuniform_fft:spread:f8,f16,f32,f64,f128,f256",
            0.146,
            0.06,
        ),
        (
            32,
            4096,
            "nonuniform_fft:spread:f8,f16,f32,f64,f128,f256,f512,f1024",
            0.185,
            0.06,
        ),
    ] {
        let shape = shape(ports, nh);
        let plan = plan(text);
        plan.check_for(nh).unwrap();
        let flops = PlanWork::of(&plan, &shape).flops(&shape);
        assert_near(flops, published * 1e6, part, text);
    }
}

#[test]
fn relaxed_flops_are_those_of_the_closed_form_with_a_full_head() {
    // The published form evaluates half of the head's lags on average; here all of them are, at
    // every step: N M (B - 1) flops more.
    for (ports, nh, text, block, published) in [
        (
            1,
            4096,
            "relaxed_fft:burst:f64,f128,f256,f512,f1024,f2048,f4096",
            64,
            0.00051,
        ),
        (
            8,
            256,
            "relaxed_fft:burst:f8,f16,f32,f64,f128,f256",
            8,
            0.00422,
        ),
        (
            32,
            1024,
            "relaxed_fft:burst:f8,f16,f32,f64,f128,f256,f512,f1024",
            8,
            0.0564,
        ),
    ] {
        let shape = shape(ports, nh);
        let plan = plan(text);
        plan.check_for(nh).unwrap();
        let flops = PlanWork::of(&plan, &shape).flops(&shape);
        let head = (ports * ports * (block - 1)) as f64;
        assert_near(flops, published * 1e6 + head, 0.05, text);
    }
}

#[test]
fn partitions_are_counted_by_hand() {
    let shape = PlanShape {
        np: 3,
        nq: 2,
        nh: 100,
        elem: Elem::F64,
    };
    // Lags 1..7 direct, 8..31 in the time domain, then tiles: blocks of 32 within one of 64 steps are
    // 0 or 1 old, and ceil(99 / 64) = 2 blocks of 64 reach back.
    let work = PlanWork::of(&plan("relaxed_fft:burst:t8,f32,f64"), &shape);
    assert_eq!(work.head_taps, 7);
    assert_eq!((work.levels[0].lags, work.levels[0].partitions), (24, 0));
    let [_, tile, last] = &work.levels[..] else {
        panic!()
    };
    assert_eq!(
        (tile.partitions, tile.mean_partitions, tile.active),
        (1, 0.5, 0.5)
    );
    assert_eq!(
        (last.partitions, last.mean_partitions, last.active),
        (2, 2.0, 1.0)
    );
    let products = 8.0 * 6.0 * (0.5 * 32.0 / 32.0 + 2.0 * 64.0 / 64.0);
    let transforms = 5.0 * (0.5 * transform(32.0) / 32.0 + transform(64.0) / 64.0);
    let time = 2.0 * 6.0 * (7.0 + 24.0);
    assert_eq!(work.flops(&shape), time + products + transforms);
    assert_eq!(
        work.h_bytes(&shape),
        8.0 * 6.0 * (7.0 + 24.0 / 8.0 + 2.0 * (0.5 + 2.0))
    );

    // Spread: lags 1..15 direct, 16..63 in three partitions of 16, 64..99 in two of 32.
    let work = PlanWork::of(&plan("nonuniform_fft:spread:f8,f32"), &shape);
    assert_eq!(work.head_taps, 15);
    let partitions: Vec<usize> = work.levels.iter().map(|l| l.partitions).collect();
    assert_eq!(partitions, [6, 2]);

    // A head longer than the response ends with it.
    let short = PlanShape { nh: 9, ..shape };
    let work = PlanWork::of(&plan("temporal_block:burst:t8"), &short);
    assert_eq!((work.head_taps, work.levels[0].lags), (7, 1));
}

#[test]
fn an_estimate_adds_up_what_the_constants_say() {
    let mut constants = CostConstants::reference(Elem::F64);
    constants.call_ns = 100.0;
    constants.step_ns = 10.0;
    constants.element_ns = 0.0;
    constants.direct_row_ns = 0.0;
    constants.direct_ns = 1.0;
    constants.block_ns = 0.5;
    let shape = shape(4, 1000);
    // 16 multiply-adds a lag: 7 lags at 1 ns every step, 992 lags x 8 steps at half a ns every 8th.
    let burst = estimate(&plan("temporal_block:burst:t8"), &shape, &constants);
    let boundary = 16.0 * 992.0 * 8.0 * 0.5 + 100.0;
    assert_near(
        burst.mean_ns,
        10.0 + 100.0 + 112.0 + boundary / 8.0,
        1e-12,
        "mean",
    );
    assert_near(
        burst.worst_ns,
        10.0 + 100.0 + 112.0 + boundary,
        1e-12,
        "worst",
    );
    // Spread: 15 lags direct, 984 in 16 calls; the slowest step has one lag of 8 steps more.
    let spread = estimate(&plan("temporal_block:spread:t8"), &shape, &constants);
    let boundary = 16.0 * 984.0 * 8.0 * 0.5 + 1600.0;
    let mean = 10.0 + 100.0 + 240.0 + boundary / 8.0;
    assert_near(spread.mean_ns, mean, 1e-12, "mean");
    assert_near(spread.worst_ns, mean + boundary / 984.0, 1e-12, "worst");
    // All of H once, and rings of inputs and sums beside it.
    assert!(burst.bytes > 16 * 999 * 8 && burst.bytes < 16 * 999 * 8 * 2);
}

#[test]
fn only_one_relaxed_level_works_at_a_boundary() {
    let constants = CostConstants::reference(Elem::F64);
    let shape = shape(4, 4096);
    let of = |text: &str| estimate(&plan(text), &shape, &constants);
    let relaxed = of("relaxed_fft:burst:f32,f256,f2048");
    let last = of("relaxed_fft:burst:f2048");
    // The last level's own boundary, without what the two others would do there.
    assert!(
        relaxed.worst_ns < last.worst_ns * 1.02,
        "{relaxed:?} {last:?}"
    );
    let sliding = of("nonuniform_fft:burst:f32,f256,f2048");
    assert!(sliding.worst_ns > relaxed.mean_ns * 20.0, "{sliding:?}");
}

#[test]
fn far_memory_costs_more_than_near_memory() {
    let memory = CostConstants::reference(Elem::F64).memory;
    let mut before = 0.0;
    for distance in [1e3, 30e3, 1e5, 4e5, 1e6, 2e7, 1e8, 1e12] {
        let ns = memory.ns_per_byte(distance);
        assert!(ns >= before, "{distance}: {ns} after {before}");
        before = ns;
    }
    assert_eq!(memory.ns_per_byte(0.0), 1.0 / memory.caches[0].bytes_per_ns);
    assert_eq!(before, 1.0 / memory.bytes_per_ns);
}

#[test]
fn every_listed_plan_passes_its_check_once_and_in_a_fixed_order() {
    for (ports, nh) in [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 5),
        (3, 17),
        (2, 64),
        (4, 511),
        (8, 4096),
        (1, 65536),
        (1, 3_000_000),
    ] {
        let shape = shape(ports, nh);
        for objective in [Objective::Throughput, Objective::Deadline] {
            let plans = enumerate(&shape, objective, None, None);
            assert!(plans.len() < MAX_PLANS, "{nh}: {}", plans.len());
            assert_eq!(plans, enumerate(&shape, objective, None, None));
            let mut distinct = plans.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), plans.len(), "{nh}");
            for plan in &plans {
                plan.check_for(nh).unwrap();
                let spread = plan.form == Form::Spread;
                assert!(spread || objective == Objective::Throughput, "{plan}");
            }
            // Two taps have one lag, which is always the head's.
            let least = if objective == Objective::Throughput {
                3
            } else {
                5
            };
            assert_eq!(plans.is_empty(), nh < least, "{nh} {objective}");
        }
    }
}

#[test]
fn a_route_asked_for_is_the_only_one_listed() {
    let shape = shape(2, 64);
    for route in LookaheadRoute::ALL {
        let plans = enumerate(&shape, Objective::Throughput, Some(route), None);
        assert!(!plans.is_empty());
        assert!(plans.iter().all(|plan| plan.route == route));
    }
    // Short responses have no room for several levels; the route asked for still has a plan.
    let short = PlanShape { nh: 6, ..shape };
    let found = enumerate(
        &short,
        Objective::Throughput,
        Some(LookaheadRoute::RelaxedFft),
        None,
    );
    assert!(found.contains(&plan("relaxed_fft:burst:f4")), "{found:?}");
    let relaxed = Some(LookaheadRoute::RelaxedFft);
    assert!(enumerate(&shape, Objective::Deadline, relaxed, None).is_empty());
}

#[test]
fn ranking_is_by_the_objective_and_deterministic() {
    let shape = shape(4, 2000);
    let constants = CostConstants::reference(Elem::F64);
    let ranked = |objective| rank(&shape, objective, None, None, &constants);
    let throughput = ranked(Objective::Throughput);
    assert!(throughput.is_sorted_by(|a, b| a.1.mean_ns <= b.1.mean_ns));
    assert_eq!(throughput, ranked(Objective::Throughput));
    let deadline = ranked(Objective::Deadline);
    assert!(deadline.is_sorted_by(|a, b| a.1.worst_ns <= b.1.worst_ns));
    // With all times zero nothing but the order of plans is left.
    let free = CostConstants {
        direct_ns: 0.0,
        direct_row_ns: 0.0,
        block_ns: 0.0,
        spectral_ns: 0.0,
        call_ns: 0.0,
        step_ns: 0.0,
        element_ns: 0.0,
        transform: tdse_lookahead::TransformCost {
            fixed_ns: 0.0,
            linear_ns: 0.0,
            log_ns: 0.0,
        },
        memory: tdse_lookahead::MemoryCost {
            caches: Vec::new(),
            bytes_per_ns: f64::INFINITY,
        },
        ..constants
    };
    let tied = rank(&shape, Objective::Throughput, None, None, &free);
    assert!(tied.is_sorted_by(|a, b| a.0 < b.0));
}

#[test]
fn long_responses_get_partitions_that_grow() {
    let (fastest, estimate_of_it) = best(&shape(1, 65536), Objective::Throughput);
    let growing = [LookaheadRoute::NonuniformFft, LookaheadRoute::RelaxedFft];
    assert!(growing.contains(&fastest.route), "{fastest}");
    assert!(fastest.head_taps() < 512, "{fastest}");
    let constants = CostConstants::reference(Elem::F64);
    let uniform = rank(
        &shape(1, 65536),
        Objective::Throughput,
        Some(LookaheadRoute::UniformFft),
        None,
        &constants,
    );
    assert!(
        uniform[0].1.mean_ns > 1.5 * estimate_of_it.mean_ns,
        "{:?}",
        uniform[0]
    );

    let (even, of_even) = best(&shape(1, 65536), Objective::Deadline);
    assert_eq!(even.form, Form::Spread);
    assert!(of_even.worst_ns < estimate_of_it.worst_ns / 10.0, "{even}");
}

#[test]
fn more_ports_want_smaller_blocks() {
    let first = |ports| best(&shape(ports, 4096), Objective::Throughput).0.levels[0].block;
    assert!(first(32) < first(1), "{} {}", first(32), first(1));
    let (plan, e) = best(&shape(32, 4096), Objective::Throughput);
    let direct = 32.0 * 32.0 * 4095.0 * 8.0 / 11.0;
    assert!(
        e.mean_ns < direct / 10.0,
        "{plan}: {} against {direct}",
        e.mean_ns
    );
}

/// The same response on every row and input.
fn envelope(ports: usize, nh: usize, h: impl Fn(usize) -> f64) -> Envelope {
    Envelope::of(ports, ports, nh, |lag, _, _| h(lag))
}

#[test]
fn the_window_bound_is_the_one_stated() {
    for (block, elem, unit, bound) in [
        (32, Elem::F64, f64::EPSILON / 2.0, 1e-13),
        (4096, Elem::F64, f64::EPSILON / 2.0, 1e-13),
        (32, Elem::F32, f64::from(f32::EPSILON) / 2.0, 1e-5),
    ] {
        let error = unit * (2.0 * f64::from(block)).log2() * window_range(block, elem);
        assert_near(error, bound, 1e-12, "c u log2(2B) r");
    }
}

#[test]
fn the_gate_refuses_large_blocks_on_a_decay_and_none_on_a_flat_response() {
    let nh = 4096;
    let flat = envelope(2, nh, |_| 1.0);
    // Alternating signs and zeros of an oscillation are no decay.
    let ringing = envelope(2, nh, |lag| (lag as f64 * 0.7).sin());
    let decay = envelope(2, nh, |lag| (-(lag as f64) / 120.0).exp());
    for (text, flat_ok, decay_ok) in [
        ("uniform_fft:burst:f16", true, true),
        ("uniform_fft:burst:f256", true, true),
        ("uniform_fft:burst:f512", true, false),
        ("uniform_fft:spread:f1024", true, false),
        ("nonuniform_fft:spread:f32,f64,f128", true, true),
        ("nonuniform_fft:spread:f32,f256,f1024", true, false),
        ("relaxed_fft:burst:f16,f64,f256", true, true),
        ("relaxed_fft:burst:f16,f128,f1024", true, false),
        ("relaxed_fft:burst:f1024", true, false),
        ("temporal_block:burst:t8,t64", true, true),
        ("relaxed_fft:burst:t4,f16,f64", true, true),
    ] {
        let plan = plan(text);
        assert_eq!(flat.admits(&plan, Elem::F64), flat_ok, "flat: {text}");
        assert_eq!(ringing.admits(&plan, Elem::F64), flat_ok, "ringing: {text}");
        assert_eq!(decay.admits(&plan, Elem::F64), decay_ok, "decay: {text}");
    }
    // exp(2 B / 120) is 71 for B = 256, under 1e-13 / (u log2(512)) = 100; in f32 10 is the most.
    assert!(!decay.admits(&plan("uniform_fft:burst:f256"), Elem::F32));
    assert!(decay.admits(&plan("uniform_fft:burst:f64"), Elem::F32));

    let shape = shape(2, nh);
    for plan in enumerate(&shape, Objective::Throughput, None, Some(&decay)) {
        let spectral = plan.levels.iter().filter(|l| l.domain == Domain::Spectrum);
        assert!(
            spectral.map(|l| l.block).max().unwrap_or(0) <= 256,
            "{plan}"
        );
    }
    let all = enumerate(&shape, Objective::Throughput, None, None);
    assert_eq!(
        all,
        enumerate(&shape, Objective::Throughput, None, Some(&flat))
    );
}

#[test]
fn the_gate_looks_at_each_row_and_lets_only_the_time_domain_meet_zeros() {
    // One steep row behind a flat one.
    let steep = Envelope::of(2, 2, 2048, |lag, row, _| {
        if row == 0 {
            1.0
        } else {
            (-(lag as f64) / 20.0).exp()
        }
    });
    assert!(!steep.admits(&plan("uniform_fft:burst:f256"), Elem::F64));
    assert!(steep.admits(&plan("uniform_fft:burst:f16"), Elem::F64));

    // A delay of 1000 steps: windows that see both silence and response are refused.
    let late = envelope(1, 2048, |lag| if lag < 1000 { 0.0 } else { 1.0 });
    let plans = enumerate(&shape(1, 2048), Objective::Throughput, None, Some(&late));
    assert!(!plans.is_empty());
    assert!(
        plans
            .iter()
            .all(|p| p.route == LookaheadRoute::TemporalBlock
                || p.levels.iter().any(|l| l.domain == Domain::Time)),
        "{:?}",
        plans.last()
    );
    assert!(!late.admits(&plan("uniform_fft:burst:f64"), Elem::F64));

    // A response that ends early is one that is short; nothing at all is flat.
    let early = envelope(1, 2048, |lag| if lag < 1000 { 1.0 } else { 0.0 });
    assert!(early.admits(&plan("uniform_fft:burst:f64"), Elem::F64));
    assert!(envelope(1, 64, |_| 0.0).admits(&plan("uniform_fft:burst:f16"), Elem::F64));

    // What the head evaluates does not count: only the first taps are large.
    let spike = envelope(1, 2048, |lag| if lag < 4 { 1e9 } else { 1.0 });
    assert!(spike.admits(&plan("relaxed_fft:burst:f64,f256,f1024"), Elem::F64));
    assert!(spike.admits(&plan("uniform_fft:burst:f64"), Elem::F64));
    assert!(!spike.admits(&plan("relaxed_fft:burst:f4,f64,f256"), Elem::F64));
    // Values beyond the range of a ratio are no ratio of one.
    let extreme = envelope(1, 256, |lag| if lag < 128 { 1e300 } else { 1e-300 });
    assert!(!extreme.admits(&plan("uniform_fft:burst:f64"), Elem::F64));
}

fn ranked() -> Vec<(Plan, Estimate)> {
    let constants = CostConstants::reference(Elem::F64);
    rank(
        &shape(4, 2048),
        Objective::Throughput,
        None,
        None,
        &constants,
    )
}

#[test]
fn the_fastest_of_a_few_is_taken_and_every_route_gets_its_chance() {
    let ranked = ranked();
    let budget = Duration::from_secs(60);
    let report = choose_measured(&ranked, budget, |plan| {
        Ok(match plan.route {
            LookaheadRoute::TemporalBlock => 5.0,
            _ => 7.0,
        })
    })
    .unwrap();
    assert_eq!(report.chosen.route, LookaheadRoute::TemporalBlock);
    assert_eq!(
        (report.measured.len(), report.considered),
        (6, ranked.len())
    );
    assert_eq!(report.measured[0].0, ranked[0].0);
    for route in LookaheadRoute::ALL {
        assert!(report.measured.iter().any(|(plan, _)| plan.route == route));
    }
    assert!(report.how.starts_with("measured: 5 ns"), "{}", report.how);
    // Equal measurements leave the better estimate in front.
    let equal = choose_measured(&ranked, budget, |_| Ok(1.0)).unwrap();
    assert_eq!(equal.chosen, ranked[0].0);
}

#[test]
fn planning_stops_when_the_budget_is_spent() {
    let ranked = ranked();
    let nothing = choose_measured(&ranked, Duration::ZERO, |_| panic!("measured")).unwrap();
    assert_eq!((&nothing.chosen, nothing.measured.len()), (&ranked[0].0, 0));
    assert_eq!(nothing.how, "estimated: the budget allowed no measurement");

    let pause = Duration::from_millis(30);
    let report = choose_measured(&ranked, Duration::from_millis(70), |_| {
        std::thread::sleep(pause);
        Ok(1.0)
    })
    .unwrap();
    assert!((1..=2).contains(&report.measured.len()), "{report:?}");
    assert!(report.planning_ns >= 30_000_000 * report.measured.len() as u64);
}

#[test]
fn a_plan_that_cannot_be_measured_is_passed_over() {
    let ranked = ranked();
    let budget = Duration::from_secs(60);
    let refusal = || LookaheadError::Transform("avx".into());
    let none = choose_measured(&ranked, budget, |_| Err(refusal())).unwrap();
    assert_eq!((&none.chosen, none.measured.len()), (&ranked[0].0, 0));
    assert!(none.how.contains("no transform for avx"), "{}", none.how);
    let odd = choose_measured(&ranked, budget, |_| Ok(f64::NAN)).unwrap();
    assert_eq!((&odd.chosen, odd.measured.len()), (&ranked[0].0, 0));
    let mut calls = 0;
    let some = choose_measured(&ranked, budget, |_| {
        calls += 1;
        if calls == 1 {
            Err(refusal())
        } else {
            Ok(calls as f64)
        }
    })
    .unwrap();
    assert_eq!(
        (some.measured.len(), &some.chosen),
        (5, &some.measured[0].0)
    );

    let empty = choose_measured(&[], budget, |_| Ok(1.0)).unwrap_err();
    assert_eq!(empty.code(), 8202);
    let started = Instant::now();
    let estimated = choose_estimated(&ranked, started).unwrap();
    assert_eq!(
        (estimated.chosen, estimated.measured.len()),
        (ranked[0].0.clone(), 0)
    );
    assert_eq!(choose_estimated(&[], started).unwrap_err().code(), 8202);
}

fn key() -> PlanKey {
    PlanKey {
        pack: "0123456789abcdef".repeat(4),
        elem: Elem::F64,
        objective: Objective::Throughput,
        componentwise: false,
        level: Level::V3,
        tier: Tier::Cranelift,
        route: None,
    }
}

#[test]
fn a_remembered_plan_comes_back_for_its_key_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let cache = PlanCache::new(folder.path().join("new"));
    let kept = plan("relaxed_fft:burst:t8,f32,f128");
    assert!(
        cache
            .read(&key(), 4096, None)
            .unwrap_err()
            .0
            .contains("cannot be read")
    );
    cache
        .write(&key(), &plan("uniform_fft:burst:f64"), 2.0)
        .unwrap();
    cache.write(&key(), &kept, 1.5).unwrap();
    assert_eq!(cache.read(&key(), 4096, None), Ok(kept));
    assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 1);

    let others = [
        PlanKey {
            pack: "f".repeat(64),
            ..key()
        },
        PlanKey {
            elem: Elem::F32,
            ..key()
        },
        PlanKey {
            objective: Objective::Deadline,
            ..key()
        },
        PlanKey {
            componentwise: true,
            ..key()
        },
        PlanKey {
            level: Level::V2,
            ..key()
        },
        PlanKey {
            tier: Tier::Portable,
            ..key()
        },
        PlanKey {
            route: Some(LookaheadRoute::RelaxedFft),
            ..key()
        },
    ];
    for other in others {
        assert_ne!(cache.path(&other), cache.path(&key()));
        assert!(
            cache
                .read(&other, 4096, None)
                .unwrap_err()
                .0
                .contains("cannot be read")
        );
        // A file under another key's name is still not that key's.
        fs::copy(cache.path(&key()), cache.path(&other)).unwrap();
        let refused = cache.read(&other, 4096, None).unwrap_err();
        assert!(refused.0.contains("another key"), "{refused}");
    }
}

#[test]
fn a_file_in_doubt_counts_as_absent() {
    let folder = tempfile::tempdir().unwrap();
    let cache = PlanCache::new(folder.path());
    let kept = plan("relaxed_fft:burst:t8,f32,f128");
    cache.write(&key(), &kept, 1.5).unwrap();
    let path = cache.path(&key());
    let whole = fs::read_to_string(&path).unwrap();
    let replaced = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from} in {whole}");
        whole.replace(from, to)
    };
    for (content, reason) in [
        (String::new(), "no remembered plan"),
        (whole[..whole.len() / 2].into(), "no remembered plan"),
        (format!("{whole} "), ""),
        (format!("{whole}{whole}"), "no remembered plan"),
        (format!("{}{whole}", " ".repeat(20_000)), "longer than"),
        (replaced("\"format\":1", "\"format\":2"), "format 2"),
        (
            replaced("\"format\":1", "\"format\":1,\"more\":0"),
            "no remembered plan",
        ),
        (replaced("t8,f32", "f32,t8"), "cannot be"),
        (replaced("t8,f32,f128", "f8192,f16384"), "nothing to do"),
        (replaced("relaxed_fft", "direct"), "no lookahead route"),
    ] {
        fs::write(&path, &content).unwrap();
        match cache.read(&key(), 4096, None) {
            Ok(found) => assert_eq!((found, reason), (kept.clone(), "")),
            Err(refused) => {
                assert!(
                    !reason.is_empty() && refused.0.contains(reason),
                    "{refused}"
                );
            }
        }
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(
        cache
            .read(&key(), 4096, None)
            .unwrap_err()
            .0
            .contains("no file")
    );
}

#[test]
fn a_remembered_plan_must_suit_what_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let cache = PlanCache::new(folder.path());
    let refused = |key: &PlanKey, text: &str, envelope: Option<&Envelope>| {
        cache.write(key, &plan(text), 1.0).unwrap();
        cache.read(key, 4096, envelope).unwrap_err().0
    };
    let uniform = PlanKey {
        route: Some(LookaheadRoute::UniformFft),
        ..key()
    };
    assert!(refused(&uniform, "relaxed_fft:burst:f64", None).contains("another route"));
    let deadline = PlanKey {
        objective: Objective::Deadline,
        ..key()
    };
    assert!(refused(&deadline, "uniform_fft:burst:f64", None).contains("in bursts"));
    let gated = PlanKey {
        componentwise: true,
        ..key()
    };
    let steep = envelope(1, 4096, |lag| (-(lag as f64) / 20.0).exp());
    assert!(refused(&gated, "uniform_fft:burst:f512", Some(&steep)).contains("gate"));

    let outside = PlanKey {
        pack: "../../0123456789abcdef".into(),
        ..key()
    };
    assert!(
        cache
            .write(&outside, &plan("uniform_fft:burst:f64"), 1.0)
            .is_err()
    );
    assert!(cache.read(&outside, 4096, None).is_err());
    assert!(
        cache
            .write(&key(), &plan("uniform_fft:burst:f64"), f64::INFINITY)
            .is_err()
    );
}

#[test]
fn the_default_folder_is_the_first_variable_that_names_one() {
    let folder = |set: &[(&str, &str)]| {
        PlanCache::folder_of(|name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.into())
        })
        .map(|path| path.to_str().unwrap().to_owned())
    };
    let (cache, xdg, user) = (
        ("TDSE_CACHE_DIR", "/a"),
        ("XDG_CACHE_HOME", "/b"),
        ("HOME", "/c"),
    );
    assert_eq!(folder(&[cache, xdg, user]).unwrap(), "/a");
    assert_eq!(folder(&[xdg, user]).unwrap(), "/b/tdse");
    assert_eq!(
        folder(&[("XDG_CACHE_HOME", ""), user]).unwrap(),
        "/c/.cache/tdse"
    );
    assert_eq!(folder(&[("HOME", "relative")]), None);
    assert_eq!(folder(&[]), None);
}

#[test]
fn constants_are_measured_within_their_budget_and_survive_json() {
    for elem in [Elem::F64, Elem::F32] {
        let proof = *Host::get().levels().last().unwrap();
        let started = Instant::now();
        let found = CostConstants::measure(elem, Tier::Cranelift, proof, CostConstants::BUDGET);
        let took = started.elapsed();
        let Ok(found) = found else {
            println!("SKIP no machine code here");
            return;
        };
        println!("{elem:?} {took:?} {found:#?}");
        // A loaded machine may stop us anywhere; ten times the budget is a defect.
        assert!(took < 10 * CostConstants::BUDGET, "{took:?}");
        let caches = &found.memory.caches;
        assert!(!caches.is_empty() && caches.is_sorted_by(|a, b| a.bytes < b.bytes));
        for ns in [
            found.direct_ns,
            found.block_ns,
            found.spectral_ns,
            found.call_ns,
            found.transform.ns(64.0),
            found.memory.bytes_per_ns,
        ] {
            assert!(ns > 0.0 && ns.is_finite(), "{found:?}");
        }
        assert!(found.transform.ns(2048.0) > found.transform.ns(8.0));
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<CostConstants>(&text).unwrap(), found);
    }
}
