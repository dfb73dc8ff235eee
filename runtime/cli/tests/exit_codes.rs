//! Every way to end has its exit code, its named error, and an envelope that says so.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::{pack_of, small_pack, tdse, tdse_json, write_array};

#[test]
fn usage_errors_end_with_2() {
    for line in [
        "",
        "nonsense",
        "pack",
        "run",
        "run x.tdse",
        "explain x.tdse --tier nosuch",
        "quickstart extra",
    ] {
        let output = tdse(line.split_whitespace());
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(output.stdout.is_empty(), "{line:?}");
        assert!(!output.stderr.is_empty(), "{line:?}");
    }
    let (code, envelope) = tdse_json(["run", "x.tdse"]);
    assert_eq!(
        (code, envelope["error"]["name"].as_str()),
        (2, Some("usage"))
    );
}

#[test]
fn help_and_version_end_with_0() {
    for line in ["--help", "--version", "pack build --help", "help run"] {
        let output = tdse(line.split_whitespace());
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert!(
            output.stderr.is_empty() && !output.stdout.is_empty(),
            "{line}"
        );
    }
    let version = String::from_utf8(tdse(["--version"]).stdout).unwrap();
    let words: Vec<&str> = version.split_whitespace().collect();
    assert!(
        matches!(words.as_slice(), ["tdse", number, _commit] if *number == env!("CARGO_PKG_VERSION")),
        "{version}"
    );
}

/// Command line, with PACK for the small pack and DIR for its folder; exit code; error name.
const REFUSED: &[(&str, i32, &str)] = &[
    ("pack check DIR/missing.tdse", 3, "file_not_readable"),
    ("pack inspect DIR/missing.s2p", 3, "file_not_readable"),
    ("pack build DIR/h.npy -o DIR/o.tdse", 3, "missing_time_step"),
    (
        "pack build DIR/h.npy -o DIR/no/such/o.tdse --dt 1",
        6,
        "output_unwritable",
    ),
    ("pack check DIR/h.npy", 3, "header_too_large"),
    ("run PACK --input DIR/missing.npy", 3, "input_unreadable"),
    ("run PACK --input DIR/wide.npy", 3, "array_shape"),
    ("run PACK --input DIR/x.npy --steps 5", 3, "input_too_short"),
    ("run PACK --input DIR/nan.npy", 3, "value_not_possible"),
    ("run PACK --input impulse:3", 3, "value_not_possible"),
    (
        "run PACK --input random:1 --steps 0",
        3,
        "value_not_possible",
    ),
    (
        "run PACK --input random:1 --steps 999999999999",
        3,
        "value_not_possible",
    ),
    (
        "run PACK --input impulse --terminate DIR/x.npy",
        3,
        "array_shape",
    ),
    (
        "run PACK --input impulse --terminate DIR/singular.npy",
        4,
        "loop_ill_conditioned",
    ),
    (
        "run PACK --input impulse --tier portable --schedule taps.r8.u7",
        5,
        "pinned_route_refused",
    ),
    (
        "run PACK --input impulse -o DIR/no/such/y.npy",
        6,
        "output_unwritable",
    ),
    (
        "run PACK --input impulse --history-out DIR/no/such/y.npy",
        6,
        "output_unwritable",
    ),
    ("quickstart --out DIR/h.npy/report", 6, "output_unwritable"),
];

#[test]
fn refusals_have_their_code_and_name() {
    let (folder, pack) = small_pack();
    let at = |name: &str| folder.path().join(name);
    write_array(&at("x.npy"), &[4, 2], &[0.5; 8]);
    write_array(&at("wide.npy"), &[4, 3], &[0.5; 12]);
    write_array(&at("nan.npy"), &[1, 2], &[1.0, f64::NAN]);
    // G = H[0]^-1 makes I - G H[0] zero. H[0] = [[0.1, 0.2], [0.05, -0.1]], determinant -0.02.
    write_array(&at("singular.npy"), &[2, 2], &[5.0, 10.0, 2.5, -5.0]);
    for (line, code, name) in REFUSED {
        let words: Vec<String> = line
            .split_whitespace()
            .map(|word| {
                word.replace("PACK", pack.to_str().unwrap())
                    .replace("DIR", folder.path().to_str().unwrap())
            })
            .collect();
        let (found, envelope) = tdse_json(&words);
        assert_eq!(found, *code, "{line}: {envelope}");
        assert_eq!(envelope["status"], "error", "{line}");
        let error = envelope["error"]["name"].as_str().unwrap();
        assert!(name.is_empty() || error == *name, "{line}: {error}");
    }
}

#[test]
fn unwritable_envelope_ends_with_6() {
    let (folder, pack) = small_pack();
    let target = folder.path().join("no/such/out.json");
    let output = tdse([
        "run".as_ref(),
        pack.as_os_str(),
        "--input".as_ref(),
        "impulse".as_ref(),
        "--json-out".as_ref(),
        target.as_os_str(),
    ]);
    assert_eq!(output.status.code(), Some(6));
}

#[test]
fn unstable_pack_ends_with_4_and_names_what_it_saw() {
    // One tap of 1.1 one step back: the loop with open ends grows by 1.1 a step.
    let (_folder, pack) = pack_of(&[2, 1, 1], &[0.0, 1.1]);
    let pack = pack.to_str().unwrap();
    let (code, envelope) = tdse_json(["pack", "check", pack, "--steps", "1000"]);
    assert_eq!(code, 4, "{envelope}");
    assert_eq!(envelope["error"]["name"], "pack_unstable");
    let data = &envelope["data"];
    assert_eq!(data["verdict"], "unstable");
    assert!((data["fir_max_singular_value"].as_f64().unwrap() - 1.1).abs() < 1e-9);
    let open = data["loops"]
        .as_array()
        .unwrap()
        .iter()
        .find(|l| l["termination"] == "open")
        .unwrap();
    let step = open["diverged_at"].as_u64().unwrap();
    // 1.1^n passes the bound of 1e6 near n = 145.
    assert!((100..200).contains(&step), "{step}");
    let message = envelope["error"]["message"].as_str().unwrap();
    for part in ["1.1000", "Hz", "step "] {
        assert!(message.contains(part), "{message}");
    }
    let (code, envelope) = tdse_json([
        "pack",
        "check",
        pack,
        "--steps",
        "1000",
        "--declared-active",
    ]);
    assert_eq!(
        (code, envelope["data"]["verdict"].as_str()),
        (0, Some("not_applicable"))
    );
}

#[test]
fn diverging_run_ends_with_4() {
    let (_folder, pack) = pack_of(&[2, 1, 1], &[0.0, 1e9]);
    let (code, envelope) = tdse_json([
        "run",
        pack.to_str().unwrap(),
        "--input",
        "impulse",
        "--terminate",
        "open",
        "--steps",
        "100",
    ]);
    assert_eq!(
        (code, envelope["error"]["name"].as_str()),
        (4, Some("loop_diverged")),
        "{envelope}"
    );
}
