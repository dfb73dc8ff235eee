//! What the builder refuses, by which name, and with which advice.
#![allow(clippy::unwrap_used, clippy::panic)]

mod synthetic;

use synthetic::{C64, grid, line, two_port};
use tdse_pack::PackError;
use tdse_pack::sparams::{
    BuildFault, BuildOptions, BuildReport, DcRule, SParameters, TargetParameter, Window, build,
};

fn fault(result: Result<(tdse_pack::Pack, BuildReport), PackError>) -> BuildFault {
    match result.map(|_| ()).unwrap_err() {
        PackError::Build(fault) => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn data_far_from_zero_hertz_are_refused_with_the_flag_that_overrides() {
    let s = line(&grid(6, 10, 1e9), 1e-10);
    let refused = fault(build(&s, &BuildOptions::default()));
    let text = refused.to_string();
    assert_eq!((refused.code(), refused.name()), (3006, "extrapolated"));
    for part in ["0.600", "6 grid points", "to 5 GHz", "--allow-extrapolated"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
    let allowed = BuildOptions {
        allow_extrapolated: true,
        ..BuildOptions::default()
    };
    let report = build(&s, &allowed).unwrap().1;
    assert!(
        report.warnings.iter().any(|w| w.contains("guessed")),
        "{:?}",
        report.warnings
    );
    let doubtful = build(&line(&grid(2, 10, 1e9), 1e-10), &BuildOptions::default())
        .unwrap()
        .1;
    assert!(doubtful.warnings.iter().any(|w| w.contains("guessed")));
    let fine = build(&line(&grid(1, 10, 1e9), 1e-10), &BuildOptions::default())
        .unwrap()
        .1;
    assert!(fine.warnings.iter().all(|w| !w.contains("guessed")));
}

#[test]
fn unusable_data_and_options_are_named() {
    let good = line(&grid(0, 12, 1e9), 1e-10);
    let with = |change: &dyn Fn(&mut SParameters)| {
        let mut s = good.clone();
        change(&mut s);
        fault(build(&s, &BuildOptions::default())).name()
    };
    assert_eq!(with(&|s| s.frequencies.clear()), "no_data");
    assert_eq!(
        with(&|s| {
            s.frequencies.truncate(1);
            s.data.truncate(4)
        }),
        "no_step"
    );
    assert_eq!(with(&|s| s.data[5].im = f64::NAN), "not_finite");
    assert_eq!(with(&|s| s.frequencies[2] = f64::INFINITY), "not_finite");
    assert_eq!(with(&|s| s.frequencies[2] = -1.0), "negative_frequency");
    assert_eq!(with(&|s| s.data.truncate(51)), "data_shape");
    assert_eq!(with(&|s| s.reference.clear()), "data_shape");
    assert_eq!(with(&|s| s.ports = usize::MAX), "data_shape");
    assert_eq!(
        with(&|s| s.data.iter_mut().for_each(|v| *v = C64::new(1e200, 0.5))),
        "overflow"
    );

    let d = BuildOptions::default;
    for (options, name) in [
        (
            BuildOptions {
                df: Some(0.0),
                ..d()
            },
            "bad_option",
        ),
        (
            BuildOptions {
                fmax: Some(f64::NAN),
                ..d()
            },
            "bad_option",
        ),
        (BuildOptions { nh: Some(0), ..d() }, "bad_option"),
        (BuildOptions { energy: 1.0, ..d() }, "bad_option"),
        (
            BuildOptions {
                taper: Some(101.0),
                ..d()
            },
            "bad_option",
        ),
        (
            BuildOptions {
                cap_points: 0,
                ..d()
            },
            "bad_option",
        ),
        (
            BuildOptions {
                window: Window::Kaiser { beta: f64::NAN },
                ..d()
            },
            "bad_option",
        ),
        (
            BuildOptions {
                df: Some(1e-3),
                ..d()
            },
            "too_many_points",
        ),
        (
            BuildOptions {
                df: Some(1e12),
                ..d()
            },
            "grid_too_short",
        ),
        (
            BuildOptions {
                dc: DcRule::Matrix(vec![1.0]),
                ..d()
            },
            "dc_matrix",
        ),
    ] {
        assert_eq!(fault(build(&good, &options)).name(), name, "{options:?}");
    }
    let open = two_port(&grid(0, 4, 1e9), |_, q, p| {
        C64::new(f64::from(u8::from(q == p)), 0.0)
    });
    assert_eq!(
        fault(build(
            &open,
            &BuildOptions {
                target: TargetParameter::Z,
                ..d()
            }
        ))
        .name(),
        "singular"
    );
    let one = SParameters {
        ports: 1,
        reference: vec![C64::new(50.0, 0.0)],
        data: good.data[..13].to_vec(),
        ..good
    };
    assert_eq!(
        fault(build(
            &one,
            &BuildOptions {
                dc: DcRule::Thru,
                ..d()
            }
        ))
        .name(),
        "dc_thru"
    );
}

#[test]
fn codes_are_unique_and_in_their_area() {
    let mut codes: Vec<u32> = BuildFault::ALL.iter().map(|(code, _)| *code).collect();
    codes.dedup();
    assert_eq!(codes.len(), BuildFault::ALL.len());
    assert!(
        codes.windows(2).all(|w| w[0] < w[1]) && codes.iter().all(|c| (3001..4000).contains(c))
    );
}
