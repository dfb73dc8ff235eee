//! The level under emulated processors is what each of them has, and the bits are those of this
//! machine at that level.
//!
//! ```text
//! qemu-x86_64 -cpu MODEL this-test   what the standard library finds there: the expected level
//! qemu-x86_64 -cpu MODEL tdse run    the level that is picked, and the digest of the outputs
//! tdse run --isa-cap LEVEL           the digest here
//! ```
//!
//! An emulator may offer less than the model it is named after, never more. Every run executes code
//! of the level picked, so one that is too high would end in SIGILL.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tdse_isa::{Host, Level};
use tdse_pack::{Pack, PackParts, Shape};
use tdse_tests::program;
use tdse_tests::random::Random;

const QEMU: &str = "qemu-x86_64";
const CHILD: &str = "TDSE_EMULATED_CHILD";

/// Processors, and the level of the real ones.
const MODELS: [(&str, Level); 4] = [
    ("Nehalem", Level::V2),
    ("Haswell", Level::V3),
    ("Skylake-Server", Level::V4),
    ("EPYC", Level::V3),
];

/// Options of the runs that are compared.
const WAYS: [&[&str]; 2] = [
    &["--dtype", "f64", "--route", "generic"],
    &["--dtype", "f32", "--plan", "nonuniform_fft:burst:t4,f8,f32"],
];

#[test]
fn the_level_is_what_the_model_has_and_the_bits_are_those_of_this_machine() {
    let Ok(version) = Command::new(QEMU).arg("--version").output() else {
        println!("SKIP emulated processors: no {QEMU}");
        return;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    println!("{}", version.lines().next().unwrap_or_default());
    let tdse = program().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("short.tdse");
    short_pack().write(&pack).unwrap();
    for (model, real) in MODELS {
        let offered = offered(model);
        println!("{model}: {offered}");
        assert!(real.includes(offered), "{model} has {real}, not {offered}");
        // No cap, one below every level found here, and one above.
        for cap in [None, Some(Level::Baseline), Some(Level::V4)] {
            for way in WAYS {
                let found = run(&tdse, &pack, Some(model), cap, way);
                let picked = match cap {
                    Some(cap) if offered.includes(cap) => cap,
                    _ => offered,
                };
                let level = found["level"].as_str().unwrap();
                assert_eq!(level, picked.name(), "{model} {cap:?} {way:?}");
                if !Host::get().best().includes(picked) {
                    println!("SKIP digest for {model}: this machine has no {picked}");
                    continue;
                }
                let here = run(&tdse, &pack, None, Some(picked), way);
                for field in ["level", "output_sha256", "numeric_class", "code_sha256"] {
                    assert!(!here[field].is_null(), "{field}: {here}");
                    assert_eq!(found[field], here[field], "{model} {cap:?} {way:?} {field}");
                }
            }
        }
    }
}

/// The level that the standard library finds under the model, and nothing of this project.
fn offered(model: &str) -> Level {
    let output = Command::new(QEMU)
        .args(["-cpu", model])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "emulated_child",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = text_of(&output);
    let found = text.lines().find_map(|line| line.strip_prefix("child: "));
    found
        .unwrap_or_else(|| unreachable!("{output:?}"))
        .parse()
        .unwrap()
}

/// The body of the emulated child; without the variable there is nothing to do.
#[test]
fn emulated_child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    macro_rules! all {
        ($($name:tt)*) => { true $(&& is_x86_feature_detected!($name))* };
    }
    // The standard library does not know LAHF, which 64-bit processors have had since before SSSE3.
    let v2 = all!("cmpxchg16b" "popcnt" "sse3" "ssse3" "sse4.1" "sse4.2");
    let v3 = all!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe");
    let v4 = all!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
    let level = match (v2, v3, v4) {
        (true, true, true) => Level::V4,
        (true, true, false) => Level::V3,
        (true, false, _) => Level::V2,
        (false, ..) => Level::Baseline,
    };
    println!("\nchild: {level}");
}

/// The data of a run's envelope.
fn run(tdse: &Path, pack: &Path, model: Option<&str>, cap: Option<Level>, way: &[&str]) -> Value {
    let mut command = match model {
        Some(model) => {
            let mut command = Command::new(QEMU);
            command.args(["-cpu", model]).arg(tdse);
            command
        }
        None => Command::new(tdse),
    };
    command.arg("run").arg(pack);
    command.args(["--input", "random:1", "--steps", "200"]);
    command.args(["--json-out", "-"]).args(way);
    if let Some(cap) = cap {
        command.args(["--isa-cap", cap.name()]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    let envelope: Value = serde_json::from_str(&text_of(&output)).unwrap();
    envelope["data"].clone()
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn short_pack() -> Pack {
    let mut random = Random::new(21);
    let (nh, nq, np) = (100, 3, 5);
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).unwrap(),
        dt: 1e-9,
        taps: (0..nh * nq * np).map(|_| random.uniform()).collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Pack::from_parts(parts).unwrap()
}
