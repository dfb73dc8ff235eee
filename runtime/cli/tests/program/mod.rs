//! The built program, its envelopes, and arrays in files, for the tests of this folder.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `tdse` and waits.
pub(crate) fn tdse<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tdse"))
        .args(args)
        .output()
        .unwrap()
}

/// Runs `tdse ... --json-out -`; the exit code and the envelope, which is checked for its form.
pub(crate) fn tdse_json<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> (i32, Value) {
    let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
    let output = tdse(args.chain(["--json-out".into(), "-".into()]));
    let text = String::from_utf8(output.stdout).unwrap();
    // One document and nothing else: from_str refuses anything after it.
    let envelope: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    check_envelope(&envelope);
    (output.status.code().unwrap(), envelope)
}

fn check_envelope(envelope: &Value) {
    let fields = envelope.as_object().unwrap();
    let known = ["schema", "tdse", "status", "error", "data"];
    assert!(
        fields.keys().all(|key| known.contains(&key.as_str())),
        "{envelope}"
    );
    let schema = envelope["schema"].as_str().unwrap();
    assert!(
        schema.starts_with("tdse.") && schema.ends_with("/1"),
        "{schema}"
    );
    let version = envelope["tdse"].as_str().unwrap();
    assert!(
        version.starts_with(concat!(env!("CARGO_PKG_VERSION"), " ")),
        "{version}"
    );
    assert!(envelope["data"].is_object(), "{envelope}");
    match envelope["status"].as_str().unwrap() {
        "ok" => assert!(envelope.get("error").is_none(), "{envelope}"),
        "error" => {
            assert!(envelope["error"]["code"].as_u64().unwrap() > 0);
            assert!(!envelope["error"]["name"].as_str().unwrap().is_empty());
            assert!(!envelope["error"]["message"].as_str().unwrap().is_empty());
        }
        other => panic!("status {other}"),
    }
}

/// The project's root folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A path in the shared test data, or `None` after printing why the test is skipped.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let wanted = root().join("../shared").join(path);
    if wanted.exists() {
        return Some(wanted);
    }
    println!("SKIP ../shared/{path} is not there");
    None
}

/// Writes an array.
pub(crate) fn write_array(path: &Path, shape: &[usize], data: &[f64]) {
    std::fs::write(path, tdse_pack::npy::write_npy(shape, data)).unwrap();
}

/// Reads an array: shape and values.
pub(crate) fn read_array(path: &Path) -> (Vec<usize>, Vec<f64>) {
    let array = tdse_pack::npy::read_npy(&std::fs::read(path).unwrap()).unwrap();
    (array.shape, array.data)
}

/// A folder with a small pack: `pair.tdse`, 2 outputs x 2 inputs x 3 taps, stable.
pub(crate) fn small_pack() -> (tempfile::TempDir, PathBuf) {
    let taps = [
        0.1, 0.2, 0.05, -0.1, 0.3, 0.1, -0.2, 0.1, 0.05, 0.02, 0.01, -0.04,
    ];
    pack_of(&[3, 2, 2], &taps)
}

/// A folder with a pack of these taps, `[nh, nq, np]`.
pub(crate) fn pack_of(shape: &[usize], taps: &[f64]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (array, pack) = (folder.path().join("h.npy"), folder.path().join("pair.tdse"));
    write_array(&array, shape, taps);
    let output = tdse([
        OsStr::new("pack"),
        "build".as_ref(),
        array.as_ref(),
        "-o".as_ref(),
        pack.as_ref(),
        "--dt".as_ref(),
        "1e-9".as_ref(),
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (folder, pack)
}

/// Relative L2 distance.
pub(crate) fn distance(found: &[f64], wanted: &[f64]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let norm = square(&mut wanted.iter().copied());
    let difference = square(&mut found.iter().zip(wanted).map(|(a, b)| a - b));
    if norm == 0.0 {
        difference
    } else {
        difference / norm
    }
}
