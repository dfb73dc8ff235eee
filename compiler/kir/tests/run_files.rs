//! The interpreter gives the hand-computed bits of every run file, and every run file prints and
//! parses back.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use tdse_kir::{parse, runfile, verify};

/// Every run file of the workspace.
fn run_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/kir/run");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 20, "only {} run files", files.len());
    files
}

#[test]
fn every_run_gives_its_bits() {
    let mut broken = Vec::new();
    for path in run_files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let file = runfile::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!file.runs.is_empty(), "{name} runs nothing");
        let kernel = verify(file.kernel).unwrap_or_else(|e| panic!("{name}: {e}"));
        for run in &file.runs {
            let found = run.interpret(&kernel).unwrap();
            if let Err(error) = run.check(&kernel, &found) {
                broken.push(format!("{name}: {error}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_run_file_round_trips() {
    for path in run_files() {
        let text = fs::read_to_string(&path).unwrap();
        let kernel = parse(&text).unwrap();
        let printed = kernel.to_string();
        assert!(
            text.contains(&printed),
            "{} is not in the printed form:\n{printed}",
            path.display()
        );
        let again = parse(&printed).unwrap();
        assert_eq!(again.to_string(), printed);
        if !printed.contains("nan") {
            assert_eq!(again, kernel);
        }
    }
}

#[test]
fn a_wrong_number_is_reported_where_it_stands() {
    let text = "kernel k { class elementwise(separate)
        param x : f32[3] readonly  param y : f32[3] writeonly
        a = load f32x4 x[0] lanes 3  b = neg a  store y[0], b lanes 3 }
        // run: x = [1, 0, 3] => y = [-1, 0, -3]";
    let file = runfile::parse(text).unwrap();
    let kernel = verify(file.kernel).unwrap();
    let found = file.runs[0].interpret(&kernel).unwrap();
    let error = file.runs[0].check(&kernel, &found).unwrap_err();
    assert_eq!(error.name(), "run_mismatch");
    let text = error.to_string();
    assert!(
        text.contains("line 4") && text.contains("y[1]") && text.contains("-0x0p+0"),
        "{text}"
    );
}

#[test]
fn wrong_run_lines_are_refused() {
    let head = "kernel k { class elementwise(separate)
        param x : f32[3] readonly  param y : f32[3] writeonly  param n : index 0..=1
        a = load f32x4 x[0] lanes 3  store y[0], a lanes 3 }\n// run: ";
    for line in [
        "",
        "x = [1, 2, 3]",
        "n = 1",
        "x = [1, 2] n = 0",
        "x = [1, 2, 3, 4] n = 0",
        "x = [1, 2, 3 n = 0",
        "x = [1, 2, three] n = 0",
        "x = [1, 2 x, 3] n = 0",
        "x = [1 y 3] n = 0",
        "x = [, 1, 2] n = 0",
        "x = [1 x 18446744073709551615, 1 x 4] n = 0",
        "x = [0x1.0000001p+0 x 3] n = 0",
        "x = 1 n = 0",
        "x = [1 x 3] n = [0]",
        "x = [1 x 3] n = 0.5",
        "x = [1 x 3] x = [1 x 3] n = 0",
        "x = random n = 0",
        "x = [1 x 3] n = 0 z = [1]",
        "x = [1 x 3] n = 0 => z = [1]",
        "x = [1 x 3] n = 0 => y = [1]",
        "x = [1 x 3] n = 0 => y",
    ] {
        let error = runfile::parse(&format!("{head}{line}")).unwrap_err();
        assert_eq!(error.code(), 6305, "{line}: {error}");
        assert!(error.to_string().starts_with("line 4:"), "{error}");
    }
}
