//! Broken containers: header, tensors, data.

use serde_json::json;
use tdse_pack::{Pack, PackError};

use crate::specimen::{self, container, data, header, record};
use crate::{check, remove, row, with_header, with_text};

#[test]
fn broken_headers() {
    let sound = pack_bytes();
    let with_length = |length: u64| {
        let mut bytes = sound.clone();
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        Pack::from_bytes(&bytes)
    };
    let text = |header: &str| Pack::from_bytes(&container(header, &data()));
    let deep = format!("{{\"H\":{}", "[".repeat(100_000));
    check(&[
        row("no bytes", 1101, "header_cut_off", Pack::from_bytes(&[])),
        row(
            "7 bytes",
            1101,
            "header_cut_off",
            Pack::from_bytes(&sound[..7]),
        ),
        row(
            "cut in the header",
            1101,
            "header_cut_off",
            Pack::from_bytes(&sound[..90]),
        ),
        row(
            "length of 1 GiB",
            1102,
            "header_too_large",
            with_length(1 << 30),
        ),
        row(
            "length of 2^64 - 1",
            1102,
            "header_too_large",
            with_length(u64::MAX),
        ),
        row(
            "length just past the file",
            1101,
            "header_cut_off",
            with_length(sound.len() as u64),
        ),
        row("length 0", 1103, "bad_header", with_length(0)),
        row("length one short", 1103, "bad_header", with_length(100)),
        row(
            "another format",
            1102,
            "header_too_large",
            Pack::from_bytes(b"# HZ S RI R 50\n1 2 3\n"),
        ),
        row(
            "blank first",
            1103,
            "bad_header",
            text(&format!(" {}", header(&record()))),
        ),
        row("an array", 1103, "bad_header", text("[1,2]")),
        row(
            "not UTF-8",
            1103,
            "bad_header",
            Pack::from_bytes(&[2, 0, 0, 0, 0, 0, 0, 0, b'{', 0xff]),
        ),
        row("endless nesting", 1103, "bad_header", text(&deep)),
        row(
            "text after the object",
            1103,
            "bad_header",
            text(&format!("{} x", header(&record()))),
        ),
        row(
            "a number beyond f64",
            1103,
            "bad_header",
            with_text("[3,2,2]", "[3,2,1e999]"),
        ),
    ]);
}

#[test]
fn broken_tensors() {
    let big = json!([0x4000_0000_0000_0000u64, 2, 2]);
    let sound = pack_bytes();
    let longer = [sound.as_slice(), &[0]].concat();
    check(&[
        row(
            "H twice",
            1104,
            "duplicate_key",
            with_text("\"IR\":", "\"H\":"),
        ),
        row(
            "dtype twice",
            1104,
            "duplicate_key",
            with_text("\"shape\":[3", "\"dtype\":\"F64\",\"shape\":[3"),
        ),
        row(
            "no H",
            1108,
            "missing_taps",
            with_header(|h| remove(h, "H")),
        ),
        row(
            "another tensor",
            1109,
            "unknown_tensor",
            with_text("\"IR\":", "\"ir\":"),
        ),
        row(
            "F32",
            1110,
            "wrong_type",
            with_header(|h| h["H"]["dtype"] = json!("F32")),
        ),
        row(
            "I64 IR",
            1110,
            "wrong_type",
            with_header(|h| h["IR"]["dtype"] = json!("I64")),
        ),
        row(
            "H of two axes",
            1111,
            "wrong_shape",
            with_header(|h| h["H"]["shape"] = json!([3, 4])),
        ),
        row(
            "H of four axes",
            1111,
            "wrong_shape",
            with_header(|h| h["H"]["shape"] = json!([3, 2, 2, 1])),
        ),
        row(
            "IR of three axes",
            1111,
            "wrong_shape",
            with_header(|h| h["IR"]["shape"] = json!([2, 2, 1])),
        ),
        row(
            "IR of another nq",
            1111,
            "wrong_shape",
            with_header(|h| h["IR"]["shape"] = json!([4, 1])),
        ),
        row(
            "shape larger than data",
            1112,
            "wrong_size",
            with_header(|h| h["H"]["shape"] = json!([4, 2, 2])),
        ),
        row(
            "shape overflows",
            1112,
            "wrong_size",
            with_header(|h| h["H"]["shape"] = big),
        ),
        row(
            "negative axis",
            1103,
            "bad_header",
            with_header(|h| h["H"]["shape"] = json!([-3, 2, 2])),
        ),
        row(
            "fractional axis",
            1103,
            "bad_header",
            with_header(|h| h["H"]["shape"] = json!([3.0, 2, 2])),
        ),
        row(
            "entry with more",
            1103,
            "bad_header",
            with_header(|h| h["H"]["strides"] = json!([1])),
        ),
        row(
            "entry without dtype",
            1103,
            "bad_header",
            with_text("\"dtype\":\"F64\",", ""),
        ),
        row(
            "three offsets",
            1103,
            "bad_header",
            with_header(|h| h["H"]["data_offsets"] = json!([0, 96, 96])),
        ),
        row(
            "gap",
            1105,
            "bad_layout",
            with_header(|h| h["IR"]["data_offsets"] = json!([104, 136])),
        ),
        row(
            "overlap",
            1105,
            "bad_layout",
            with_header(|h| h["IR"]["data_offsets"] = json!([0, 32])),
        ),
        row(
            "end before begin",
            1105,
            "bad_layout",
            with_header(|h| h["IR"]["data_offsets"] = json!([96, 64])),
        ),
        row(
            "first tensor not at 0",
            1105,
            "bad_layout",
            with_header(|h| {
                h["H"]["data_offsets"] = json!([8, 104]);
                h["IR"]["data_offsets"] = json!([104, 136]);
            }),
        ),
        row(
            "cut in the data",
            1106,
            "data_cut_off",
            Pack::from_bytes(&sound[..sound.len() - 1]),
        ),
        row(
            "trailing byte",
            1107,
            "trailing_bytes",
            Pack::from_bytes(&longer),
        ),
        row("nh 0", 1201, "zero_size", empty([0, 2, 2])),
        row("nq 0", 1201, "zero_size", empty([3, 0, 2])),
        row("np 0", 1201, "zero_size", empty([3, 2, 0])),
        row("IR of no step", 1204, "ir_length", empty_ir()),
        row("NaN in H", 1205, "not_finite", with_value(7, f64::NAN)),
        row(
            "infinity in H",
            1205,
            "not_finite",
            with_value(0, f64::INFINITY),
        ),
        row(
            "-infinity in IR",
            1205,
            "not_finite",
            with_value(15, f64::NEG_INFINITY),
        ),
    ]);
}

/// A pack of no taps whose sizes agree with its empty data.
fn empty(shape: [u64; 3]) -> Result<Pack, PackError> {
    let header = json!({
        "__metadata__": {"tdse": record().to_string()},
        "H": {"dtype": "F64", "shape": shape, "data_offsets": [0, 0]},
    });
    Pack::from_bytes(&container(&header.to_string(), &[]))
}

/// The specimen with one double replaced, counted over both tensors.
fn with_value(index: usize, value: f64) -> Result<Pack, PackError> {
    let mut bytes = pack_bytes();
    let at = bytes.len() - 128 + 8 * index;
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    Pack::from_bytes(&bytes)
}

fn pack_bytes() -> Vec<u8> {
    specimen::pack().to_bytes().unwrap()
}

/// The specimen with an IR of no step, and no bytes for it.
fn empty_ir() -> Result<Pack, PackError> {
    let mut header = header(&record());
    header["IR"] = json!({"dtype": "F64", "shape": [0, 2], "data_offsets": [96, 96]});
    Pack::from_bytes(&container(&header.to_string(), &data()[..96]))
}
