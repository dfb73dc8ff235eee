//! Measured choice of a plan within its budget, and measured constants.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::{Duration, Instant};

use tdse_compiler::Tier;
use tdse_isa::Host;
use tdse_kir::Elem;
use tdse_lookahead::{
    CostConstants, Estimate, LookaheadError, LookaheadRoute, Objective, Plan, PlanShape,
    choose_estimated, choose_measured, rank,
};

fn shape(ports: usize, nh: usize) -> PlanShape {
    PlanShape {
        np: ports,
        nq: ports,
        nh,
        elem: Elem::F64,
    }
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
        (10, ranked.len())
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
        (9, &some.measured[0].0)
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
