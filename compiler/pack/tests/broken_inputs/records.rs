//! Broken metadata records, and parts that make no pack.

use serde_json::{Value, json};
use tdse_pack::{Pack, PackParts};

use crate::specimen::{parts, record};
use crate::{check, remove, row, with_header, with_record, with_text};

#[test]
fn broken_metadata() {
    let set = |key: &'static str, value: Value| with_record(move |record| record[key] = value);
    let without = |key: &str| with_record(|record| remove(record, key));
    let step = |dt: f64| {
        with_record(|record| {
            record["dt"] = json!(dt);
            record["dt_bits"] = json!(format!("{:016x}", dt.to_bits()));
        })
    };
    let long = "x".repeat(257);
    check(&[
        row(
            "no metadata",
            1113,
            "missing_record",
            with_header(|h| remove(h, "__metadata__")),
        ),
        row(
            "no record",
            1113,
            "missing_record",
            with_header(|h| h["__metadata__"] = json!({})),
        ),
        row(
            "metadata no object",
            1103,
            "bad_header",
            with_header(|h| h["__metadata__"] = json!("tdse")),
        ),
        row(
            "another metadata key",
            1114,
            "unknown_metadata",
            with_header(|h| h["__metadata__"]["format"] = json!("pt")),
        ),
        row(
            "record twice",
            1104,
            "duplicate_key",
            with_text("{\"tdse\":", "{\"tdse\":\"\",\"tdse\":"),
        ),
        row(
            "record no string",
            1103,
            "bad_header",
            with_header(|h| h["__metadata__"]["tdse"] = record()),
        ),
        row(
            "record no JSON",
            1115,
            "bad_record",
            with_header(|h| h["__metadata__"]["tdse"] = json!("{")),
        ),
        row(
            "record no object",
            1115,
            "bad_record",
            with_header(|h| h["__metadata__"]["tdse"] = json!("[]")),
        ),
        row(
            "next schema",
            1116,
            "unknown_schema",
            set("schema", json!("tdse.pack/2")),
        ),
        row("no schema", 1115, "bad_record", without("schema")),
        row(
            "another field",
            1117,
            "unknown_field",
            set("license", json!("none")),
        ),
        row(
            "field twice",
            1104,
            "duplicate_key",
            with_text("\\\"dt\\\":", "\\\"dt\\\":1,\\\"dt\\\":"),
        ),
        row(
            "key of made_by twice",
            1104,
            "duplicate_key",
            with_text(
                "{\\\"importer\\\":",
                "{\\\"importer\\\":1,\\\"importer\\\":",
            ),
        ),
        row("no dt", 1115, "bad_record", without("dt")),
        row("dt a string", 1115, "bad_record", set("dt", json!("1"))),
        row("no dt_bits", 1115, "bad_record", without("dt_bits")),
        row(
            "dt rounded",
            1118,
            "time_step_mismatch",
            set("dt", json!(2.2675737e-5)),
        ),
        row(
            "dt_bits edited",
            1118,
            "time_step_mismatch",
            set("dt_bits", json!("3ff0000000000000")),
        ),
        row("dt 0", 1206, "bad_time_step", step(0.0)),
        row("dt negative", 1206, "bad_time_step", step(-1e-12)),
        row(
            "inputs a string",
            1115,
            "bad_record",
            set("inputs", json!("left")),
        ),
        row(
            "inputs of numbers",
            1115,
            "bad_record",
            set("inputs", json!([1, 2])),
        ),
        row(
            "one input name",
            1207,
            "name_count",
            set("inputs", json!(["left"])),
        ),
        row(
            "three output names",
            1207,
            "name_count",
            set("outputs", json!(["a", "b", "c"])),
        ),
        row(
            "empty name",
            1208,
            "bad_name",
            set("inputs", json!(["", "b"])),
        ),
        row(
            "line end in a name",
            1208,
            "bad_name",
            set("inputs", json!(["a\n", "b"])),
        ),
        row(
            "long name",
            1208,
            "bad_name",
            set("outputs", json!([long, "b"])),
        ),
        row(
            "equal names",
            1209,
            "duplicate_name",
            set("outputs", json!(["a", "a"])),
        ),
        row(
            "made_by a list",
            1210,
            "made_by_not_object",
            set("made_by", json!([])),
        ),
        row(
            "made_by of 5 MiB",
            1211,
            "made_by_too_large",
            set("made_by", json!({"x": "x".repeat(5 << 20)})),
        ),
    ]);
}

#[test]
fn broken_parts() {
    let build = |change: fn(&mut PackParts)| {
        let mut parts = parts();
        change(&mut parts);
        Pack::from_parts(parts)
    };
    check(&[
        row(
            "taps missing",
            1203,
            "tap_count_mismatch",
            build(|p| p.taps.truncate(11)),
        ),
        row(
            "taps too many",
            1203,
            "tap_count_mismatch",
            build(|p| p.taps.push(0.0)),
        ),
        row(
            "IR of half a step",
            1204,
            "ir_length",
            build(|p| p.ir = Some(vec![0.0; 3])),
        ),
        row(
            "IR empty",
            1204,
            "ir_length",
            build(|p| p.ir = Some(vec![])),
        ),
        row("dt NaN", 1206, "bad_time_step", build(|p| p.dt = f64::NAN)),
        row(
            "dt infinite",
            1206,
            "bad_time_step",
            build(|p| p.dt = f64::INFINITY),
        ),
        row(
            "no story",
            1210,
            "made_by_not_object",
            build(|p| p.made_by = Value::Null),
        ),
    ]);
}
