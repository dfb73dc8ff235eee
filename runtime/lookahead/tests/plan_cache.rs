//! Remembered plans: what comes back, and everything that must not.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;

use tdse_compiler::Tier;
use tdse_isa::Level;
use tdse_kir::Elem;
use tdse_lookahead::{Envelope, LookaheadRoute, Objective, Plan, PlanCache, PlanKey};

fn plan(text: &str) -> Plan {
    text.parse().unwrap()
}

/// The same response on every row and input.
fn envelope(ports: usize, nh: usize, h: impl Fn(usize) -> f64) -> Envelope {
    Envelope::of(ports, ports, nh, |lag, _, _| h(lag))
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
