//! Every option of the builder has an effect and appears in the report.
#![allow(clippy::unwrap_used)]

mod synthetic;

use std::f64::consts::TAU;

use synthetic::{C64, grid, line, thru, two_port};
use tdse_pack::sparams::{
    BuildOptions, DcRule, Interpolation, TargetParameter, Transform, Window, build,
};

#[test]
fn a_perfect_through_is_exactly_one_tap() {
    // Odd and even numbers of points, with and without 0 Hz, on a grid and between its points.
    let uneven = vec![1e9, 4e9, 10e9, 11e9, 20e9];
    for f in [
        grid(0, 10, 1e9),
        grid(0, 11, 1e9),
        grid(1, 10, 1e9),
        grid(3, 40, 1e9),
        uneven,
    ] {
        for transform in [Transform::Odd, Transform::Even] {
            let options = BuildOptions {
                transform,
                nh: Some(6),
                ..BuildOptions::default()
            };
            let (pack, report) = build(&thru(&f), &options).unwrap();
            assert_eq!(
                pack.tap(0),
                [0.0, 1.0, 1.0, 0.0],
                "{} points, {transform}",
                f.len()
            );
            assert!(
                pack.taps()[4..].iter().all(|v| *v == 0.0),
                "{} points, {transform}",
                f.len()
            );
            assert_eq!(
                (report.negative_time_energy, report.dc_sum_error),
                (0.0, 0.0)
            );
            let short = build(
                &thru(&f),
                &BuildOptions {
                    transform,
                    ..BuildOptions::default()
                },
            )
            .unwrap()
            .1;
            assert_eq!(short.nh, 1);
        }
    }
}

#[test]
fn a_delay_of_d_steps_peaks_at_tap_d() {
    for transform in [Transform::Odd, Transform::Even] {
        for m in [24, 25] {
            for delay in [0, 1, 2, 7, 19] {
                let nt = if transform == Transform::Even {
                    2 * (m - 1)
                } else {
                    2 * m - 1
                };
                let df = 1e8;
                let dt = 1.0 / (nt as f64 * df);
                let s = two_port(&grid(0, m - 1, df), |f, q, p| {
                    if q == p {
                        C64::default()
                    } else {
                        C64::cis(-TAU * f * delay as f64 * dt)
                    }
                });
                let (pack, report) = build(
                    &s,
                    &BuildOptions {
                        transform,
                        ..BuildOptions::default()
                    },
                )
                .unwrap();
                assert_eq!((report.nt, report.m), (nt, m));
                assert!((pack.dt() / dt - 1.0).abs() < 1e-14);
                for (k, tap) in pack.taps().chunks_exact(4).enumerate() {
                    let want = f64::from(u8::from(k == delay));
                    assert!(
                        (tap[1] - want).abs() < 1e-13,
                        "{transform} m {m} delay {delay} tap {k}: {}",
                        tap[1]
                    );
                }
                assert_eq!(report.nh, delay + 1);
                assert!(report.negative_time_energy < 1e-25);
            }
        }
    }
}

#[test]
fn each_rule_for_zero_hertz_changes_the_first_point_and_is_reported() {
    let s = line(&grid(1, 40, 2.5e8), 1e-9);
    let mut sums: Vec<f64> = Vec::new();
    for text in [
        "linear",
        "real",
        "identity",
        "thru",
        "0",
        "0.25",
        "matrix:0.1,0.8;0.8,0.1",
    ] {
        let options = BuildOptions {
            dc: text.parse().unwrap(),
            nh: Some(usize::MAX),
            ..BuildOptions::default()
        };
        let (pack, report) = build(&s, &options).unwrap();
        assert_eq!(report.options.dc.to_string(), text);
        assert!(report.dc.ends_with(&format!(":{text}")), "{}", report.dc);
        assert_eq!(pack.made_by()["build"]["dc"], report.dc.as_str());
        let sum: f64 = pack
            .taps()
            .chunks_exact(4)
            .map(|tap| tap[0] + 3.7 * tap[1])
            .sum();
        assert!(
            sums.iter().all(|other| (other - sum).abs() > 1e-6),
            "{text} has no effect of its own"
        );
        sums.push(sum);
    }
}

#[test]
fn a_given_matrix_replaces_a_measured_zero_hertz_point() {
    let s = line(&grid(0, 40, 2.5e8), 1e-9);
    let first = |dc: &str| {
        let options = BuildOptions {
            dc: dc.parse().unwrap(),
            ..BuildOptions::default()
        };
        let (pack, report) = build(&s, &options).unwrap();
        (pack.tap(0).to_vec(), report.dc)
    };
    let measured = first("linear");
    assert_eq!(measured.1, "measured (imag dropped)");
    assert_eq!(first("real").0, measured.0);
    let given = first("thru");
    assert_ne!(given.0, measured.0);
    assert_eq!(given.1, "given:thru (a measured value was replaced)");
}

#[test]
fn every_option_changes_what_is_built() {
    let s = line(
        &[1e9, 2e9, 3e9, 4.5e9, 6e9, 8e9, 10e9, 13e9, 16e9, 20e9],
        2e-10,
    );
    let base = BuildOptions::default();
    let (plain, report) = build(&s, &base).unwrap();
    assert!(
        report.notes.iter().any(|n| n.contains("resampled")),
        "{:?}",
        report.notes
    );
    let options: [(&str, BuildOptions); 15] = [
        (
            "hamming",
            BuildOptions {
                window: Window::Hamming,
                ..base.clone()
            },
        ),
        (
            "hann",
            BuildOptions {
                window: Window::Hann,
                ..base.clone()
            },
        ),
        (
            "kaiser",
            BuildOptions {
                window: Window::Kaiser { beta: 6.0 },
                ..base.clone()
            },
        ),
        (
            "beta",
            BuildOptions {
                window: Window::Kaiser { beta: 3.0 },
                ..base.clone()
            },
        ),
        (
            "dc",
            BuildOptions {
                dc: DcRule::Identity,
                ..base.clone()
            },
        ),
        (
            "interpolation",
            BuildOptions {
                interpolation: Interpolation::Linear,
                ..base.clone()
            },
        ),
        (
            "df",
            BuildOptions {
                df: Some(2.5e8),
                ..base.clone()
            },
        ),
        (
            "fmax",
            BuildOptions {
                fmax: Some(1.5e10),
                ..base.clone()
            },
        ),
        (
            "nh",
            BuildOptions {
                nh: Some(5),
                ..base.clone()
            },
        ),
        (
            "energy",
            BuildOptions {
                energy: 1e-3,
                ..base.clone()
            },
        ),
        (
            "target y",
            BuildOptions {
                target: TargetParameter::Y,
                ..base.clone()
            },
        ),
        (
            "target z",
            BuildOptions {
                target: TargetParameter::Z,
                ..base.clone()
            },
        ),
        (
            "transform",
            BuildOptions {
                transform: Transform::Even,
                ..base.clone()
            },
        ),
        (
            "taper",
            BuildOptions {
                taper: Some(20.0),
                ..base.clone()
            },
        ),
        (
            "cap",
            BuildOptions {
                cap_points: 10,
                ..base.clone()
            },
        ),
    ];
    let mut seen = vec![plain.identity().sha256];
    for (what, options) in options {
        let (pack, report) = build(&s, &options).unwrap();
        assert!(
            !seen.contains(&pack.identity().sha256),
            "{what} changes nothing"
        );
        seen.push(pack.identity().sha256);
        assert_eq!(report.options, options);
        let said: BuildOptions =
            serde_json::from_value(pack.made_by()["build"]["options"].clone()).unwrap();
        assert_eq!(said, options, "{what}");
        assert_eq!(
            report.passivity_max_sv_fir.is_some(),
            options.target == TargetParameter::S
        );
    }
}

#[test]
fn a_taper_fades_only_the_end() {
    let s = line(&grid(0, 50, 4e8), 5e-10);
    let options = BuildOptions {
        nh: Some(40),
        ..BuildOptions::default()
    };
    let cut = build(&s, &options).unwrap().0;
    let faded = build(
        &s,
        &BuildOptions {
            taper: Some(10.0),
            ..options
        },
    )
    .unwrap()
    .0;
    assert_eq!(cut.taps()[..36 * 4], faded.taps()[..36 * 4]);
    for k in 36..40 {
        let ratio = faded.tap(k)[1] / cut.tap(k)[1];
        let want = 0.5 + 0.5 * (std::f64::consts::PI * (k - 35) as f64 / 5.0).cos();
        assert!((ratio - want).abs() < 1e-12, "{k}: {ratio} {want}");
    }
}

#[test]
fn a_long_line_without_low_points_keeps_its_phase() {
    // The lowest point is ten steps up and the delay 0.4 / df: eight half turns are missing.
    let df = 1e8;
    let s = two_port(&grid(10, 200, df), |f, q, p| {
        if q == p {
            C64::default()
        } else {
            C64::from_polar(0.95, -TAU * f * 0.4 / df)
        }
    });
    let (pack, report) = build(&s, &BuildOptions::default()).unwrap();
    assert_eq!(
        (report.filled_low_points, report.interp.as_str()),
        (9, "none")
    );
    let (peak, value) = pack
        .taps()
        .chunks_exact(4)
        .map(|tap| tap[1])
        .enumerate()
        .fold((0, 0.0), |best, (k, v)| {
            if v.abs() > f64::abs(best.1) {
                (k, v)
            } else {
                best
            }
        });
    assert_eq!(peak, (0.4 * report.nt as f64).round() as usize);
    assert!(value > 0.6, "{value}");
}

#[test]
fn order_and_repeats_are_repaired_and_said() {
    let ordered = line(&grid(0, 12, 1e9), 1e-10);
    let mut mixed = ordered.clone();
    mixed.frequencies.swap(3, 7);
    for e in 0..4 {
        mixed.data.swap(3 * 4 + e, 7 * 4 + e);
    }
    mixed.frequencies.push(5e9);
    mixed.data.extend([C64::new(9.0, 9.0); 4]);
    let (a, b) = (
        build(&ordered, &BuildOptions::default()).unwrap(),
        build(&mixed, &BuildOptions::default()).unwrap(),
    );
    assert_eq!(a.0.identity(), b.0.identity());
    assert_eq!(b.1.notes.len(), 2, "{:?}", b.1.notes);
}
