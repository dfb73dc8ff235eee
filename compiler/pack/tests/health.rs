//! The health check on packs whose behaviour in a loop is known.
#![allow(clippy::unwrap_used)]

mod reference;

use reference::{network, shared};
use serde_json::json;
use tdse_pack::admittance;
use tdse_pack::health::{HealthOptions, HealthReport, Verdict, check};
use tdse_pack::sparams::{BuildOptions, TargetParameter, build};
use tdse_pack::{Pack, PackParts, Shape};

fn pack(nh: usize, nq: usize, np: usize, taps: Vec<f64>, made_by: serde_json::Value) -> Pack {
    let shape = Shape::new(nh, nq, np).unwrap();
    Pack::from_parts(PackParts {
        shape,
        dt: 1e-9,
        taps,
        ir: None,
        inputs: vec![],
        outputs: vec![],
        made_by,
    })
    .unwrap()
}

fn examine(pack: &Pack, options: &HealthOptions) -> HealthReport {
    let mut last = 0.0;
    let report = check(pack, options, &mut |done| {
        assert!(
            (last..=1.0).contains(&done),
            "progress went from {last} to {done}"
        );
        last = done;
    })
    .unwrap();
    assert_eq!(last, 1.0);
    report
}

fn steps(steps: usize) -> HealthOptions {
    HealthOptions {
        steps,
        ..HealthOptions::default()
    }
}

fn built(file: &str, window: &str) -> Option<Pack> {
    let options = BuildOptions {
        window: window.parse().unwrap(),
        ..BuildOptions::default()
    };
    Some(build(&network(file)?, &options).unwrap().0)
}

#[test]
fn passive_bond_wires_diverge_as_taps() {
    for (window, norm) in [("boxcar", 1.4897), ("kaiser:6", 1.106232)] {
        let Some(pack) = built("sigint__WireBond3Pairs.s12p", window) else {
            return;
        };
        let report = examine(&pack, &steps(1_000));
        println!("{window}: {}", report.message);
        assert!(
            (report.fir_max_singular_value - norm).abs() < 5e-5,
            "{}",
            report.fir_max_singular_value
        );
        assert_eq!(report.verdict, Verdict::Unstable);
        assert!(!report.small_gain_certificate && report.fir_bound > norm);
        let first = report
            .loops
            .iter()
            .filter_map(|l| l.diverged_at)
            .min()
            .unwrap();
        for part in [
            format!("{:.6}", report.fir_max_singular_value),
            "Hz, and the loop with".to_owned(),
            format!("step {first}"),
        ] {
            assert!(
                report.message.contains(&part),
                "{part} in: {}",
                report.message
            );
        }
        assert!(
            report
                .loops
                .iter()
                .all(|l| l.algebraic_condition.is_finite())
        );
        let active = examine(
            &pack,
            &HealthOptions {
                declared_active: true,
                ..steps(1_000)
            },
        );
        assert_eq!(active.verdict, Verdict::NotApplicable);
        assert_eq!(active.loops, report.loops);
    }
}

#[test]
fn a_splitter_below_one_is_certified() {
    let Some(pack) = built("skrf__EP2C+_Plus25DegC_Unit1.S3P", "kaiser:6") else {
        return;
    };
    let report = examine(&pack, &steps(1_500));
    println!("{}", report.message);
    assert!(
        (report.fir_max_singular_value - 0.984).abs() < 5e-4,
        "{}",
        report.fir_max_singular_value
    );
    assert_eq!(report.verdict, Verdict::Stable);
    assert!(report.small_gain_certificate && report.fir_bound < 1.0);
    assert!(report.loops.iter().all(|l| l.diverged_at.is_none()));
    assert!(report.negative_time_energy.is_some() && report.tail_energy.is_some());
    assert_eq!(report.f_lo_over_f_hi, Some(0.0005));
    assert!(report.fir_curve.len() <= 1024 && report.fir_curve.windows(2).all(|w| w[0].0 < w[1].0));
}

#[test]
fn a_lossless_delay_is_neither_proven_nor_refuted() {
    let mut taps = vec![0.0; 6 * 4];
    taps[5 * 4 + 1] = 1.0;
    taps[5 * 4 + 2] = 1.0;
    let report = examine(&pack(6, 2, 2, taps, json!({})), &steps(2_000));
    assert_eq!(report.verdict, Verdict::NotRefuted);
    assert!((report.fir_max_singular_value - 1.0).abs() < 1e-14);
    // The burst is longer than the loop, so up to thirteen of its values meet.
    assert!(
        report
            .loops
            .iter()
            .all(|l| l.max_abs < 13.0 && l.algebraic_condition == 1.0)
    );
    assert_eq!(
        report.loops.iter().map(|l| l.steps).collect::<Vec<_>>()[..3],
        [2_000; 3]
    );
    assert!(
        report.loops[3].died_out_at.is_some_and(|t| t < 80),
        "matched ends silence it"
    );
}

#[test]
fn a_growing_delay_is_caught_at_the_predicted_step() {
    // One round through the loop takes 10 steps and doubles: 1e6 is passed after about 20 rounds.
    let mut taps = vec![0.0; 11];
    taps[10] = 2.0;
    let report = examine(&pack(11, 1, 1, taps, json!({})), &steps(2_000));
    let open = &report.loops[0];
    assert_eq!(
        (open.termination.as_str(), report.verdict),
        ("open", Verdict::Unstable)
    );
    assert!(
        (190..=270).contains(&open.diverged_at.unwrap()),
        "{:?}",
        open.diverged_at
    );
    assert!(report.loops[1].diverged_at.is_some(), "short");
    assert!(report.loops[3].diverged_at.is_none(), "matched");
}

#[test]
fn packs_that_are_no_ports_are_not_judged() {
    let tall = examine(&pack(2, 2, 1, vec![3.0; 4], json!({})), &steps(10));
    assert_eq!(
        (tall.verdict, tall.loops.len()),
        (Verdict::NotApplicable, 0)
    );
    assert!(
        tall.loops_skipped
            .unwrap()
            .contains("1 inputs and 2 outputs")
    );
    assert!((tall.fir_max_singular_value - 6.0 * 2f64.sqrt()).abs() < 1e-12);
    let sound = examine(
        &pack(2, 1, 1, vec![3.0; 2], json!({"importer": "wav"})),
        &steps(10),
    );
    assert_eq!(sound.verdict, Verdict::NotApplicable);
}

#[test]
fn admittances_are_judged_by_their_real_part() {
    let y = |taps: Vec<f64>| pack(taps.len(), 1, 1, taps, json!({"parameter": "y"}));
    let proven = examine(&y(vec![1.0, 0.2]), &steps(10));
    assert_eq!(proven.verdict, Verdict::Stable, "{}", proven.message);
    // Touches 0, which no finite grid can prove.
    let passive = examine(&y(vec![0.5, 0.5]), &steps(10));
    assert_eq!(passive.verdict, Verdict::NotRefuted, "{}", passive.message);
    assert!(passive.min_hermitian_eigenvalue.unwrap().0.abs() < 1e-15);
    let active = examine(&y(vec![0.4, 0.6]), &steps(10));
    assert_eq!(active.verdict, Verdict::NotPassive);
    let (least, hz) = active.min_hermitian_eigenvalue.unwrap();
    assert!(
        (least + 0.2).abs() < 1e-12 && (hz - 0.5e9).abs() < 1.0,
        "{least} at {hz}"
    );
}

#[test]
fn taps_whose_transform_overflows_end_the_check_without_a_proof() {
    // Eigenvalue iterations never end on matrices that are not finite.
    for parameter in ["s", "y"] {
        let taps = (0..7 * 9).map(|i| if i % 2 == 0 { 1.7e308 } else { -1.7e308 });
        let report = examine(
            &pack(7, 3, 3, taps.collect(), json!({"parameter": parameter})),
            &steps(10),
        );
        assert!(!report.small_gain_certificate);
        assert_ne!(report.verdict, Verdict::Stable, "{}", report.message);
    }
}

#[test]
fn a_gain_without_a_loop_is_no_divergence() {
    // b = 1e9 a at once: with open ends a = s / (1 - 1e9), and matched ends close no loop.
    let report = examine(&pack(1, 1, 1, vec![1e9], json!({})), &steps(100));
    assert_eq!(report.verdict, Verdict::NotRefuted, "{}", report.message);
    assert!(report.loops[3].max_abs > 1e6 && report.loops[3].diverged_at.is_none());
    assert!(
        report.message.contains("does not say"),
        "{}",
        report.message
    );
}

#[test]
fn verdicts_name_what_happened() {
    let open = examine(
        &pack(1, 1, 1, vec![1.0], json!({"parameter": "s"})),
        &steps(100),
    );
    assert!(open.message.contains("has no solution"), "{}", open.message);
    assert!(open.message.contains("at 0 Hz"), "{}", open.message);
    // Grows by 1.003 a step: 1.349 a quarter, far from the bound.
    let slow = examine(
        &pack(2, 1, 1, vec![0.0, 1.003], json!({"parameter": "s"})),
        &steps(400),
    );
    assert_eq!(slow.verdict, Verdict::NotRefuted);
    assert!(
        slow.message.contains("still grew 1.349"),
        "{}",
        slow.message
    );
}

#[test]
fn options_out_of_range_are_refused() {
    let one = pack(1, 1, 1, vec![0.5], json!({}));
    for options in [
        HealthOptions {
            grid_factor: 3,
            ..HealthOptions::default()
        },
        HealthOptions {
            bound: f64::NAN,
            ..HealthOptions::default()
        },
        HealthOptions {
            bound: 1.0,
            ..HealthOptions::default()
        },
        HealthOptions {
            steps: 0,
            ..HealthOptions::default()
        },
    ] {
        assert_eq!(
            check(&one, &options, &mut |_| {}).unwrap_err().name(),
            "health_option"
        );
    }
}

#[test]
fn a_claimed_grid_size_does_not_cost_memory() {
    let report = examine(
        &pack(
            1,
            1,
            1,
            vec![0.5],
            json!({"build": {"m": u64::MAX, "truncated_energy": "x"}}),
        ),
        &steps(10),
    );
    assert_eq!(
        (report.verdict, report.tail_energy),
        (Verdict::Stable, None)
    );
}

#[test]
fn the_network_equivalent_has_its_known_numbers() {
    let Some(path) = shared("data/emt/fdne_6x6_admittance.txt.gz") else {
        return;
    };
    let table = admittance::parse(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!((table.conductors, table.frequencies.len()), (6, 300));
    assert!(
        (table.frequencies[0] - 10.0).abs() < 1e-9 && (table.frequencies[299] - 1e5).abs() < 1e-5
    );
    let mut least = f64::INFINITY;
    for y in table.data.chunks_exact(36) {
        let real =
            nalgebra::DMatrix::from_fn(6, 6, |i, j| 0.5 * (y[i * 6 + j].re + y[j * 6 + i].re));
        least = least.min(real.symmetric_eigenvalues().min());
        for i in 0..6 {
            for j in 0..i {
                assert!((y[i * 6 + j] - y[j * 6 + i]).norm() < 1e-12, "symmetric");
            }
        }
    }
    assert!((least - 5.0e-6).abs() < 5e-8, "{least:e}");
    let s = table.to_s(50.0).unwrap();
    let (pack, report) = build(&s, &BuildOptions::default()).unwrap();
    assert!(
        report.passivity_max_sv_input <= 1.0,
        "{}",
        report.passivity_max_sv_input
    );
    assert!(
        report.interp.starts_with("cubic"),
        "10 Hz is no multiple of the step"
    );
    println!("{}", examine(&pack, &steps(500)).message);
    let y = BuildOptions {
        target: TargetParameter::Y,
        ..BuildOptions::default()
    };
    let (pack, _) = build(&s, &y).unwrap();
    assert!(
        examine(&pack, &steps(10))
            .min_hermitian_eigenvalue
            .is_some()
    );
}
