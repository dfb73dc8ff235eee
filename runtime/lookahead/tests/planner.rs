//! Counts, estimates, lists and orders of plans against closed forms and hand-worked sums.
#![allow(clippy::unwrap_used, clippy::panic)]

use tdse_kir::Elem;
use tdse_lookahead::{
    CostConstants, Estimate, Form, LookaheadRoute, MAX_PLANS, Objective, Plan, PlanShape, PlanWork,
    TransformCost, enumerate, estimate, rank,
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
    // Fast enough that nothing waits for it.
    let bytes_per_ns = 1000.0;
    for cache in &mut constants.memory.caches {
        cache.bytes_per_ns = bytes_per_ns;
    }
    constants.memory.bytes_per_ns = bytes_per_ns;
    let shape = shape(4, 1000);
    // Four rows of eight outputs: two operands and a sum of 8 bytes each.
    let added = 3.0 * 4.0 * 8.0 * 8.0 / bytes_per_ns;
    // 16 multiply-adds a lag: 7 lags at 1 ns every step, 992 lags x 8 steps at half a ns every 8th,
    // in 8 calls of no more than 128 lags, which are 512 terms.
    let burst = estimate(&plan("temporal_block:burst:t8"), &shape, &constants);
    let boundary = 16.0 * 992.0 * 8.0 * 0.5 + 8.0 * (100.0 + added) + added;
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
    // Spread: 15 lags direct, 984 in 17 calls of no more than 61 lags, half a step's share; the slowest
    // step has one lag of 8 steps more.
    let spread = estimate(&plan("temporal_block:spread:t8"), &shape, &constants);
    let boundary = 16.0 * 984.0 * 8.0 * 0.5 + 17.0 * (100.0 + added) + added;
    let mean = 10.0 + 100.0 + 240.0 + boundary / 8.0;
    assert_near(spread.mean_ns, mean, 1e-12, "mean");
    assert_near(spread.worst_ns, mean + boundary / 984.0, 1e-12, "worst");
    // All of H once, and rings of inputs and sums beside it.
    assert!(burst.bytes > 16 * 999 * 8 && burst.bytes < 16 * 999 * 8 * 2);
}

#[test]
fn calls_are_those_of_the_levels() {
    // Calls alone cost anything: 1 ns each.
    let mut constants = CostConstants::reference(Elem::F64);
    constants.call_ns = 1.0;
    constants.step_ns = 0.0;
    constants.element_ns = 0.0;
    constants.direct_ns = 0.0;
    constants.direct_row_ns = 0.0;
    constants.block_ns = 0.0;
    constants.spectral_ns = 0.0;
    constants.transform = TransformCost {
        fixed_ns: 0.0,
        linear_ns: 0.0,
        log_ns: 0.0,
    };
    for cache in &mut constants.memory.caches {
        cache.bytes_per_ns = f64::INFINITY;
    }
    constants.memory.bytes_per_ns = f64::INFINITY;
    // ports, nh, plan, calls of the level in one of its periods
    for (ports, nh, text, block, calls) in [
        (1, 1000, "temporal_block:burst:t8", 8.0, 2.0),
        (32, 512, "temporal_block:burst:t4", 4.0, 32.0),
        // Half a step's share is 8 of 64 lags, and less than that would be 256 multiply-adds: 64 lags.
        (32, 72, "temporal_block:spread:t4", 4.0, 8.0),
        (1, 100, "temporal_block:spread:t4", 4.0, 2.0),
        (4, 1024, "uniform_fft:burst:f64", 64.0, 15.0),
        // 16 groups of 4 bins, 256 multiply-adds in each: 2 are half a step's share.
        (4, 1024, "uniform_fft:spread:f64", 64.0, 14.0 * 8.0),
    ] {
        let found = estimate(&plan(text), &shape(ports, nh), &constants).mean_ns;
        assert_near(found, 1.0 + calls / block, 1e-12, text);
    }
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
        transform: TransformCost {
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
