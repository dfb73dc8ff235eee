//! Levels, caps, preferences and proofs.

use tdse_isa::{Cap, CapOutcome, Feature, Features, Host, Level, Preference};

#[test]
fn psabi_lists() {
    // The lists of the x86-64 psABI, without OSFXSR, which CPUID does not show.
    let rows = [
        (Level::Baseline, "fpu cx8 cmov mmx fxsr sse sse2 sce"),
        (Level::V2, "cx16 lahf popcnt sse3 ssse3 sse4.1 sse4.2"),
        (Level::V3, "osxsave avx avx2 bmi1 bmi2 f16c fma lzcnt movbe"),
        (Level::V4, "avx512f avx512bw avx512cd avx512dq avx512vl"),
    ];
    let mut below = Features::NONE;
    for (level, adds) in rows {
        assert_eq!(level.requires().minus(below).to_string(), adds, "{level}");
        assert!(level.requires().superset(below));
        below = level.requires();
    }
}

#[test]
fn sets() {
    let set = Features::of(&[Feature::Avx, Feature::Fma]);
    assert!(set.superset(Features::NONE) && set.superset(set));
    assert!(!set.superset(set.with(Feature::Avx2)));
    assert_eq!(set.with(Feature::Avx2).without(Feature::Avx2), set);
    assert_eq!(format!("{set:?}"), "Features(avx fma)");
    assert_eq!(set.minus(set), Features::NONE);
}

#[test]
fn names_round_trip_and_unknown_ones_list_all() {
    for level in Level::ALL {
        assert_eq!(level.to_string().parse(), Ok(level));
    }
    let error = "avx2".parse::<Level>().expect_err("no level");
    assert_eq!(
        error.to_string(),
        "\"avx2\" is no instruction-set level; use one of x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, scalar"
    );
    assert_eq!((error.code(), error.name()), (6501, "unknown_level"));
    for preference in [
        Preference::Widest,
        Preference::Bits128,
        Preference::Bits256,
        Preference::Bits512,
    ] {
        assert_eq!(preference.to_string().parse(), Ok(preference));
    }
    let error = "1024".parse::<Preference>().expect_err("no preference");
    assert!(
        error
            .to_string()
            .ends_with("use one of widest, 128, 256, 512"),
        "{error}"
    );
    assert_eq!((error.code(), error.name()), (6502, "unknown_preference"));
}

#[test]
fn inclusion() {
    use Level::{Baseline, Neon, Scalar, V2, V3, V4};
    let chain = [Baseline, V2, V3, V4];
    for (i, &machine) in chain.iter().enumerate() {
        for (j, &code) in chain.iter().enumerate() {
            assert_eq!(machine.includes(code), i >= j, "{machine} runs {code}");
        }
        for other in [Neon, Scalar] {
            assert!(!machine.includes(other) && !other.includes(machine));
        }
    }
    assert!(Neon.includes(Neon) && Scalar.includes(Scalar) && !Neon.includes(Scalar));
}

#[test]
fn fma_levels() {
    for level in Level::ALL {
        let expected = level == Level::Neon || level.requires().has(Feature::Fma);
        assert_eq!(level.has_fma(), expected, "{level}");
    }
}

#[test]
fn a_cap_lowers_and_never_raises() {
    use CapOutcome::{AboveMachine, Equal, Lowered, NotAsked, OtherArchitecture};
    use Level::{Baseline, Neon, Scalar, V2, V3, V4};
    let rows = [
        (
            V3,
            None,
            V3,
            NotAsked,
            "x86-64-v3, the best of this machine",
        ),
        (
            V3,
            Some(V3),
            V3,
            Equal,
            "x86-64-v3, the cap and the best of this machine",
        ),
        (
            V4,
            Some(V2),
            V2,
            Lowered { from: V4 },
            "x86-64-v2 by the cap; this machine has x86-64-v4",
        ),
        (
            V3,
            Some(Baseline),
            Baseline,
            Lowered { from: V3 },
            "x86-64 by the cap; this machine has x86-64-v3",
        ),
        (
            V2,
            Some(V4),
            V2,
            AboveMachine { asked: V4 },
            "x86-64-v2, the best of this machine; the cap x86-64-v4 is above it and raises nothing",
        ),
        (
            V3,
            Some(Neon),
            V3,
            OtherArchitecture { asked: Neon },
            "x86-64-v3, the best of this machine; the cap aarch64 is of another architecture and was not applied",
        ),
        (
            Neon,
            Some(Scalar),
            Neon,
            OtherArchitecture { asked: Scalar },
            "aarch64, the best of this machine; the cap scalar is of another architecture and was not applied",
        ),
    ];
    for (best, cap, level, outcome, text) in rows {
        let applied = Cap::apply(best, cap);
        assert_eq!(applied, Cap { level, outcome });
        assert_eq!(applied.to_string(), text);
    }
}

#[test]
fn the_host_proves_exactly_what_it_has() {
    let host = Host::get();
    for level in Level::ALL {
        let proof = host.prove(level);
        assert_eq!(proof.is_some(), host.best().includes(level), "{level}");
        assert!(proof.is_none_or(|p| p.level() == level));
        assert!(
            host.prove(host.capped(Some(level))).is_some(),
            "a capped level can be proved"
        );
    }
    let levels: Vec<Level> = host.levels().iter().map(|p| p.level()).collect();
    assert_eq!(levels.last(), Some(&host.best()));
    assert_eq!(host.capped(None), host.best());
    if cfg!(target_arch = "x86_64") {
        assert_eq!(levels[0], Level::Baseline);
        assert_eq!(host.best(), Level::highest(host.features()));
    }
    println!("host: {} ({})", host.best(), host.features());
}
