//! Small sound files of each format, to be checked as they are or broken on purpose.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test binary uses its own part

use std::io::{Cursor, Write};
use std::path::PathBuf;

use serde_json::{Value, json};
use tdse_pack::{Pack, PackParts, Shape};

/// Shared data of the project, or `None` with a printed reason.
pub fn shared(path: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let file = root.join(path);
    if file.exists() {
        return Some(file);
    }
    println!("SKIP shared/{path} is absent");
    None
}

/// nh 3, nq 2, np 2, an IR of 2 steps, names, a remark.
pub fn parts() -> PackParts {
    let taps = (0..12).map(|i| 0.5 - 0.1 * f64::from(i)).collect();
    PackParts {
        shape: Shape::new(3, 2, 2).unwrap(),
        dt: 1.0 / 44100.0,
        taps,
        ir: Some(vec![1.0, -2.0, 0.25, -0.0]),
        inputs: vec!["left".into(), "right".into()],
        outputs: vec!["near".into(), "far".into()],
        made_by: json!({"importer": "specimen"}),
    }
}

/// The specimen as a pack.
pub fn pack() -> Pack {
    Pack::from_parts(parts()).unwrap()
}

/// The specimen's record.
pub fn record() -> Value {
    let parts = parts();
    json!({
        "schema": "tdse.pack/1",
        "dt": parts.dt,
        "dt_bits": format!("{:016x}", parts.dt.to_bits()),
        "inputs": parts.inputs,
        "outputs": parts.outputs,
        "made_by": parts.made_by,
    })
}

/// The specimen's header; `H` at 0..96, `IR` at 96..128.
pub fn header(record: &Value) -> Value {
    json!({
        "__metadata__": {"tdse": record.to_string()},
        "H": {"dtype": "F64", "shape": [3, 2, 2], "data_offsets": [0, 96]},
        "IR": {"dtype": "F64", "shape": [2, 2], "data_offsets": [96, 128]},
    })
}

/// The specimen's tensors, in the order of [`header`].
pub fn data() -> Vec<u8> {
    let parts = parts();
    floats(&[parts.taps, parts.ir.unwrap()].concat())
}

/// A container from the text of its header and its data.
pub fn container(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// Little-endian bytes of doubles.
pub fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A `.npy` file of version 1.0 with this header text.
pub fn npy(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(dict.len() as u16).to_le_bytes());
    bytes.extend_from_slice(dict.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// The header text of a `.npy` file.
pub fn dict(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

/// A `.npz` archive of these entries (full file names).
pub fn npz(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A RIFF file of these chunks, each with its pad byte.
pub fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WAVE".to_vec();
    for (name, bytes) in chunks {
        body.extend_from_slice(*name);
        body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        body.extend_from_slice(bytes);
        body.resize(body.len().next_multiple_of(2), 0);
    }
    let mut file = b"RIFF".to_vec();
    file.extend_from_slice(&(body.len() as u32).to_le_bytes());
    file.extend_from_slice(&body);
    file
}

/// The body of a `fmt ` chunk: tag, channels, rate, bytes of a sample's container, bits.
pub fn fmt(tag: u16, channels: u16, rate: u32, bytes: u16, bits: u16) -> Vec<u8> {
    let block = channels * bytes;
    let mut body = Vec::new();
    body.extend_from_slice(&tag.to_le_bytes());
    body.extend_from_slice(&channels.to_le_bytes());
    body.extend_from_slice(&rate.to_le_bytes());
    body.extend_from_slice(&rate.wrapping_mul(u32::from(block)).to_le_bytes());
    body.extend_from_slice(&block.to_le_bytes());
    body.extend_from_slice(&bits.to_le_bytes());
    body
}
