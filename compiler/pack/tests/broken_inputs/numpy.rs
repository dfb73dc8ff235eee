//! Broken `.npy` arrays and `.npz` archives.

use tdse_pack::npy::{pack_from_npy, pack_from_npz, write_npy};

use crate::specimen::{dict, floats, npy, npz};
use crate::{check, row};

#[test]
fn broken_numpy_arrays() {
    let read = |bytes: &[u8]| pack_from_npy(bytes, 1e-3);
    let twelve = floats(&[0.5; 12]);
    let shaped = |shape: &str| read(&npy(&dict("<f8", false, shape), &twelve));
    let typed =
        |descr: &str, bytes: usize| read(&npy(&dict(descr, false, "(1, 1, 1)"), &vec![0; bytes]));
    let texted = |text: &str| read(&npy(text, &twelve));
    let sound = write_npy(&[3, 2, 2], &[0.5; 12]);
    let with_byte = |at: usize, value: u8| {
        let mut bytes = sound.clone();
        bytes[at] = value;
        read(&bytes)
    };
    let mut claims = b"\x93NUMPY\x02\x00".to_vec();
    claims.extend_from_slice(&u32::MAX.to_le_bytes());
    let records = "{'descr': [('re', '<f8')], 'fortran_order': False, 'shape': (3, 2, 2), }";
    let odd = i64::MAX.to_le_bytes();
    check(&[
        row("no bytes", 4001, "not_npy", read(&[])),
        row("text", 4001, "not_npy", read(b"1.0, 2.0\n")),
        row("magic changed", 4001, "not_npy", with_byte(0, 0x92)),
        row("magic alone", 4002, "npy_header_size", read(b"\x93NUMPY")),
        row(
            "cut in the length",
            4002,
            "npy_header_size",
            read(&sound[..9]),
        ),
        row(
            "cut in the header",
            4002,
            "npy_header_size",
            read(&sound[..40]),
        ),
        row("header of 4 GiB", 4002, "npy_header_size", read(&claims)),
        row("version 9", 4003, "npy_bad_header", with_byte(6, 9)),
        row("version 1.1", 4003, "npy_bad_header", with_byte(7, 1)),
        row("no dictionary", 4003, "npy_bad_header", texted("(1, 2)")),
        row(
            "no shape",
            4003,
            "npy_bad_header",
            texted("{'descr': '<f8', 'fortran_order': False}"),
        ),
        row(
            "negative axis",
            4003,
            "npy_bad_header",
            shaped("(-3, 2, 2)"),
        ),
        row(
            "hexadecimal axis",
            4003,
            "npy_bad_header",
            shaped("(0xffffffffffff, 2, 2)"),
        ),
        row(
            "endless nesting",
            4003,
            "npy_bad_header",
            texted(&"(".repeat(60_000)),
        ),
        row("open quote", 4003, "npy_bad_header", texted("{'descr: ")),
        row("escape", 4003, "npy_bad_header", texted("{'de\\scr': 1}")),
        row("complex", 4004, "npy_wrong_type", typed("<c16", 16)),
        row("half float", 4004, "npy_wrong_type", typed("<f2", 2)),
        row("bool", 4004, "npy_wrong_type", typed("|b1", 1)),
        row("bytes", 4004, "npy_wrong_type", typed("|S8", 8)),
        row("objects", 4004, "npy_wrong_type", typed("|O", 8)),
        row("records", 4004, "npy_wrong_type", texted(records)),
        row(
            "axes overflow",
            4005,
            "npy_too_many_elements",
            shaped("(4294967296, 4294967296, 2)"),
        ),
        row(
            "axis of 30 digits",
            4005,
            "npy_too_many_elements",
            shaped("(100000000000000000000000000000,)"),
        ),
        row(
            "axes hidden by a 0",
            4005,
            "npy_too_many_elements",
            shaped("(0, 4294967296, 4294967296)"),
        ),
        row("data missing", 4006, "npy_wrong_size", shaped("(4, 2, 2)")),
        row("data too long", 4006, "npy_wrong_size", shaped("(2, 2, 2)")),
        row(
            "wide integer",
            4007,
            "npy_inexact_integer",
            read(&npy(&dict("<i8", false, "(1,)"), &odd)),
        ),
        row(
            "scalar",
            4008,
            "npy_wrong_axes",
            read(&npy(&dict("<f8", false, "()"), &twelve[..8])),
        ),
        row("two axes", 4008, "npy_wrong_axes", shaped("(6, 2)")),
        row("four axes", 4008, "npy_wrong_axes", shaped("(3, 2, 2, 1)")),
        row(
            "axis of 0",
            1201,
            "zero_size",
            read(&npy(&dict("<f8", false, "(0, 2, 2)"), &[])),
        ),
        row(
            "NaN",
            1205,
            "not_finite",
            read(&write_npy(&[2], &[0.0, f64::NAN])),
        ),
        row("dt 0", 1206, "bad_time_step", pack_from_npy(&sound, 0.0)),
    ]);
}

#[test]
fn broken_numpy_archives() {
    let taps = write_npy(&[2, 2, 1], &[1.0; 4]);
    let one = |value: f64| write_npy(&[], &[value]);
    let read = |entries: &[(&str, &[u8])]| pack_from_npz(&npz(entries), Some(1e-3));
    let sound = npz(&[("H.npy", &taps)]);
    // The same length of name lets one entry be renamed to the other by hand.
    let mut twice = npz(&[("H.npy", &taps), ("G.npy", &taps)]);
    for at in 0..twice.len() - 5 {
        if &twice[at..at + 5] == b"G.npy" {
            twice[at] = b'H';
        }
    }
    let mut damaged = sound.clone();
    damaged[45] ^= 0x55;
    // Place 24 of an entry in the directory is its size when inflated.
    let mut claims = sound.clone();
    let directory = claims.windows(4).position(|four| four == b"PK\x01\x02");
    let size_at = directory.unwrap() + 24;
    claims[size_at..size_at + 4].copy_from_slice(&0xffff_fff0u32.to_le_bytes());
    let many: Vec<String> = (0..5000).map(|i| format!("{i}.npy")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &[][..])).collect();
    let read_bytes = |bytes: &[u8]| pack_from_npz(bytes, Some(1e-3));
    check(&[
        row("no bytes", 4101, "npz_bad_archive", read_bytes(&[])),
        row(
            "magic alone",
            4101,
            "npz_bad_archive",
            read_bytes(b"PK\x03\x04"),
        ),
        row(
            "cut off",
            4101,
            "npz_bad_archive",
            read_bytes(&sound[..sound.len() - 30]),
        ),
        row(
            "data damaged",
            4101,
            "npz_bad_archive",
            read_bytes(&damaged),
        ),
        row("entry of 4 GiB", 4102, "npz_too_large", read_bytes(&claims)),
        row("5000 entries", 4102, "npz_too_large", read(&many)),
        row("H twice", 4103, "npz_duplicate_array", read_bytes(&twice)),
        row("no H", 4104, "npz_missing_taps", read(&[("h.npy", &taps)])),
        row(
            "H without suffix",
            4104,
            "npz_missing_taps",
            read(&[("H", &taps)]),
        ),
        row("H no array", 4001, "not_npy", read(&[("H.npy", b"hello")])),
        row(
            "fs of two",
            4105,
            "npz_bad_scalar",
            read(&[("H.npy", &taps), ("fs.npy", &write_npy(&[2], &[1.0, 2.0]))]),
        ),
        row(
            "fs 0",
            4105,
            "npz_bad_scalar",
            read(&[("H.npy", &taps), ("fs.npy", &one(0.0))]),
        ),
        row(
            "dt NaN",
            4105,
            "npz_bad_scalar",
            read(&[("H.npy", &taps), ("dt.npy", &one(f64::NAN))]),
        ),
        row(
            "dt and fs",
            4106,
            "npz_rate_conflict",
            read(&[
                ("H.npy", &taps),
                ("dt.npy", &one(0.001)),
                ("fs.npy", &one(999.0)),
            ]),
        ),
        row(
            "IR of another nq",
            4107,
            "npz_ir_shape",
            read(&[("H.npy", &taps), ("IR.npy", &write_npy(&[4, 1], &[0.0; 4]))]),
        ),
        row(
            "IR of one axis",
            4107,
            "npz_ir_shape",
            read(&[("H.npy", &taps), ("IR.npy", &write_npy(&[4], &[0.0; 4]))]),
        ),
        row(
            "IR empty",
            1204,
            "ir_length",
            read(&[("H.npy", &taps), ("IR.npy", &write_npy(&[0, 2], &[]))]),
        ),
        row(
            "no time step",
            1302,
            "missing_time_step",
            pack_from_npz(&sound, None),
        ),
        row(
            "other time step",
            1303,
            "time_step_conflict",
            read(&[("H.npy", &taps), ("dt.npy", &one(0.002))]),
        ),
    ]);
}
