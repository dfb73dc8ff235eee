//! Shared network data and the packs an independent builder made of them.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test binary uses its own part

use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;
use tdse_pack::sparams::SParameters;
use tdse_pack::touchstone;

/// A file of the shared folder, or `None` with a printed reason.
pub fn shared(path: &str) -> Option<PathBuf> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(path);
    if file.exists() {
        return Some(file);
    }
    println!("SKIP shared/{path} is absent");
    None
}

/// S-parameters of a Touchstone file in the shared data.
pub fn network(name: &str) -> Option<SParameters> {
    let bytes = std::fs::read(shared(&format!("data/touchstone/{name}"))?).unwrap();
    Some(touchstone::parse(&bytes, name).unwrap().to_s().unwrap())
}

/// A golden pack: taps `[k][q][p]` and the figures of its making.
pub struct Golden {
    pub taps: Vec<f64>,
    pub meta: Value,
}

/// Reads a golden pack, JSON or NPZ.
pub fn golden(name: &str) -> Option<Golden> {
    let path = shared(&format!("oracle/{name}"))?;
    if !name.ends_with(".npz") {
        let all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let mut taps = Vec::new();
        flatten(&all["H"], &mut taps);
        return Some(Golden {
            taps,
            meta: all["meta"].clone(),
        });
    }
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut member = |name: &str| {
        let mut bytes = Vec::new();
        archive
            .by_name(name)
            .unwrap()
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    };
    let taps = tdse_pack::npy::read_npy(&member("H.npy")).unwrap().data;
    // A NumPy string: UTF-32 behind a header whose length stands at byte 8.
    let text = member("meta.npy");
    let start = 10 + usize::from(u16::from_le_bytes([text[8], text[9]]));
    let meta: String = text[start..]
        .chunks_exact(4)
        .map(|c| char::from_u32(u32::from_le_bytes([c[0], c[1], c[2], c[3]])).unwrap())
        .filter(|c| *c != '\0')
        .collect();
    Some(Golden {
        taps,
        meta: serde_json::from_str(&meta).unwrap(),
    })
}

fn flatten(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| flatten(v, out)),
        other => out.push(other.as_f64().unwrap()),
    }
}
