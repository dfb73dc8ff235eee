//! Every golden pack of ../shared/oracle through `pack build` and `run`: y and y_history as summed
//! in 80-bit arithmetic, to 1e-14 relative L2 in f64 and 1e-6 in f32, on every code generator.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::io::Read;
use std::path::{Path, PathBuf};

use program::{distance, read_array, shared, tdse_json, write_array};
use serde_json::Value;

struct Array {
    shape: Vec<usize>,
    data: Vec<f64>,
}

struct Golden {
    name: String,
    taps: Array,
    x: Array,
    y: Array,
    history: Array,
}

/// A JSON array of arrays of numbers, row by row. serde_json may parse a number one unit off in the
/// last place, far below the limits here.
fn json_array(value: &Value) -> Array {
    let mut shape = Vec::new();
    let mut level = value;
    while let Value::Array(items) = level {
        shape.push(items.len());
        level = &items[0];
    }
    let mut data = Vec::new();
    fn leaves(value: &Value, data: &mut Vec<f64>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| leaves(item, data)),
            number => data.push(number.as_f64().unwrap()),
        }
    }
    leaves(value, &mut data);
    Array { shape, data }
}

fn from_json(path: &Path, name: String) -> Golden {
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let array = |key: &str| json_array(&document[key]);
    Golden {
        name,
        taps: array("H"),
        x: array("x"),
        y: array("y"),
        history: array("y_history"),
    }
}

fn from_npz(path: &Path, name: String) -> Golden {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut array = |key: &str| {
        let mut bytes = Vec::new();
        archive
            .by_name(&format!("{key}.npy"))
            .unwrap()
            .read_to_end(&mut bytes)
            .unwrap();
        let array = tdse_pack::npy::read_npy(&bytes).unwrap();
        Array {
            shape: array.shape,
            data: array.data,
        }
    };
    Golden {
        name,
        taps: array("H"),
        x: array("x"),
        y: array("y"),
        history: array("y_history"),
    }
}

fn goldens() -> Vec<Golden> {
    let Some(folder) = shared("oracle") else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".oracle.json") {
            found.push(from_json(&file, name));
        } else if name.ends_with(".oracle.npz") {
            found.push(from_npz(&file, name));
        }
    }
    assert!(found.len() >= 6, "golden packs are missing");
    found
}

#[test]
fn every_golden_pack_is_reproduced() {
    for golden in goldens() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        write_array(at("h.npy").as_ref(), &golden.taps.shape, &golden.taps.data);
        write_array(at("x.npy").as_ref(), &golden.x.shape, &golden.x.data);
        let (code, built) = tdse_json([
            "pack",
            "build",
            &at("h.npy"),
            "-o",
            &at("p.tdse"),
            "--dt",
            "1e-12",
        ]);
        assert_eq!(code, 0, "{}: {built}", golden.name);
        for (dtype, limit) in [("f64", 1e-14), ("f32", 1e-6)] {
            for tier in ["cranelift", "portable"] {
                let (code, run) = tdse_json([
                    "run",
                    &at("p.tdse"),
                    "--input",
                    &at("x.npy"),
                    "-o",
                    &at("y.npy"),
                    "--history-out",
                    &at("hr.npy"),
                    "--dtype",
                    dtype,
                    "--tier",
                    tier,
                ]);
                assert_eq!(code, 0, "{}: {run}", golden.name);
                let error = |file: &str, wanted: &Array| {
                    let (shape, data) = read_array(at(file).as_ref());
                    assert_eq!(shape, wanted.shape, "{} {file}", golden.name);
                    distance(&data, &wanted.data)
                };
                let (y, history) = (error("y.npy", &golden.y), error("hr.npy", &golden.history));
                println!(
                    "{} {dtype} {tier}: y {y:.1e}, y_history {history:.1e}",
                    golden.name
                );
                assert!(
                    y <= limit && history <= limit,
                    "{} {dtype} {tier}: {y:e} {history:e}",
                    golden.name
                );
            }
        }
    }
}
