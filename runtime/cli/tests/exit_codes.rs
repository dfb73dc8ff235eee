//! Every way to end has its exit code, its named error, and an envelope that says so.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::process::{Command, Stdio};

use program::{pack_of, read_array, small_pack, tdse, tdse_json, write_array};

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
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            line.is_empty() || line == "pack" || text.starts_with("error 9000 usage: "),
            "{line:?}: {text}"
        );
        assert!(!text.is_empty(), "{line:?}");
    }
    let (code, envelope) = tdse_json(["run", "x.tdse"]);
    assert_eq!(
        (code, envelope["error"]["name"].as_str()),
        (2, Some("usage"))
    );
    let message = envelope["error"]["message"].as_str().unwrap();
    assert!(message.contains("--input"), "{message}");
}

#[test]
fn closed_stderr_changes_no_exit_code() {
    for (line, wanted) in [("nonsense", 2), ("pack check missing.tdse", 3)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tdse"))
            .args(line.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::from(
                std::fs::OpenOptions::new()
                    .write(true)
                    .open("/dev/full")
                    .unwrap(),
            ))
            .spawn()
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(wanted), "{line}");
    }
}

#[test]
fn no_destination_destroys_an_input_or_another_output() {
    let (folder, pack) = small_pack();
    let at = |name: &str| folder.path().join(name);
    write_array(&at("x.npy"), &[2, 2], &[0.1, 0.2, 0.0, 0.1]);
    std::os::unix::fs::symlink(&pack, at("link")).unwrap();
    let files = [pack.clone(), at("x.npy"), at("h.npy")];
    let read = || files.clone().map(|path| std::fs::read(path).unwrap());
    let before = read();
    for line in [
        "pack build DIR/h.npy -o DIR/h.npy --dt 1",
        "run PACK --input impulse -o PACK",
        "run PACK --input impulse -o DIR/link",
        "run PACK --input impulse --history-out DIR/../DIRNAME/pair.tdse",
        "run PACK --input DIR/x.npy -o DIR/x.npy",
        "run PACK --input impulse --terminate DIR/x.npy -o DIR/x.npy",
        "run PACK --input impulse -o DIR/new --history-out DIR/new",
        "run PACK --input impulse -o DIR/new --json-out DIR/new",
        "run PACK --input impulse --json-out PACK",
        "pack check PACK --json-out PACK",
        "explain PACK --json-out DIR/link",
        "run PACK --input impulse -o -",
    ] {
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        let line = line
            .replace("PACK", pack.to_str().unwrap())
            .replace("DIRNAME", name)
            .replace("DIR", folder.path().to_str().unwrap());
        let output = tdse(line.split_whitespace());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{line}: {text}");
        assert!(
            text.starts_with("error 9006 value_not_possible: --"),
            "{line}: {text}"
        );
    }
    assert_eq!(read(), before);
    let twice = "run PACK --input impulse -o /dev/null --history-out /dev/null";
    let line = twice.replace("PACK", pack.to_str().unwrap());
    assert_eq!(tdse(line.split_whitespace()).status.code(), Some(0));
}

#[test]
fn output_behind_a_link_keeps_the_link() {
    let (folder, pack) = small_pack();
    let (target, link) = (folder.path().join("y.npy"), folder.path().join("link.npy"));
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let line = format!(
        "run {} --input impulse --steps 4 -o {}",
        pack.display(),
        link.display()
    );
    assert_eq!(tdse(line.split_whitespace()).status.code(), Some(0));
    assert!(link.is_symlink());
    assert_eq!(read_array(&target).0, [4, 2]);
}

#[test]
fn refusals_say_what_to_do() {
    let (folder, pack) = small_pack();
    for (line, hint) in [
        ("pack check DIR/h.npy", "tdse pack build DIR/h.npy -o OUT"),
        (
            "run PACK --input impulse --schedule taps.r8.u7",
            "tdse explain PACK",
        ),
        (
            "run PACK --input impulse -o DIR/no/such",
            "check the folder",
        ),
        (
            "pack build DIR/h.npy -o DIR/o --dt -1",
            "finite and positive",
        ),
        ("pack check PACK --bound -1", "above 1"),
    ] {
        let fill = |text: &str| text.replace("DIR", folder.path().to_str().unwrap());
        let line = fill(line).replace("PACK", pack.to_str().unwrap());
        let output = tdse(line.split_whitespace());
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(&fill(hint)), "{line}: {text}");
    }
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

#[test]
fn tap_beyond_f32_is_a_refused_input() {
    let (_folder, pack) = pack_of(&[2, 1, 1], &[0.0, 1e300]);
    let line = format!("run {} --input impulse --dtype f32", pack.display());
    let (code, envelope) = tdse_json(line.split_whitespace());
    assert_eq!(
        (code, envelope["error"]["name"].as_str()),
        (3, Some("not_representable_in_f32"))
    );
}
