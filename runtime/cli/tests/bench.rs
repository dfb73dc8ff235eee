//! `tdse bench`: the fields that scripts rely on, values that can be, and no claim about time.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::{small_pack, tdse, tdse_json};
use serde_json::Value;

/// A short measurement.
fn bench(line: &str) -> Value {
    let args = format!("bench --seconds 0.05 --rounds 3 {line}");
    let (code, envelope) = tdse_json(args.split_whitespace());
    assert_eq!(code, 0, "{envelope}");
    assert_eq!(envelope["schema"], "tdse.bench/1");
    envelope["data"].clone()
}

fn rows(data: &Value) -> &Vec<Value> {
    data["rows"].as_array().unwrap()
}

fn check_row(row: &Value) {
    let number = |path: &str| row.pointer(path).and_then(Value::as_f64);
    for path in ["/np", "/nq", "/nh", "/threads", "/bytes", "/setup_ns"] {
        assert!(number(path).unwrap() > 0.0, "{path}: {row}");
    }
    for path in ["/ns/median", "/mean_ns", "/bytes_per_s", "/roof_share"] {
        assert!(number(path).unwrap() > 0.0, "{path}: {row}");
    }
    let [p99, p999, max] = ["/ns/p99", "/ns/p999", "/ns/max"].map(|path| number(path).unwrap());
    assert!(p99 <= p999 && p999 <= max && max > 0.0, "{row}");
    for field in ["route", "backend", "dtype", "input"] {
        assert!(!row[field].as_str().unwrap().is_empty(), "{field}: {row}");
    }
    assert!(row["peer"].is_boolean(), "{row}");
    for field in ["version", "plan", "note", "cold", "ratio_to_openblas_gemv"] {
        assert!(row.get(field).is_some(), "{field}: {row}");
    }
    let limit = match row["dtype"].as_str().unwrap() {
        "f64" => 1e-14,
        _ => 1e-6,
    };
    assert!(number("/rel_l2").unwrap() <= limit, "{row}");
}

#[test]
fn rows_have_their_fields_and_small_errors() {
    let data = bench("--shape 2,3,70 --dtype f64,f32 --threads 1");
    for row in rows(&data) {
        check_row(row);
    }
    for dtype in ["f64", "f32"] {
        for backend in ["cranelift", "portable"] {
            let wanted = |row: &&Value| {
                row["route"] == "generic" && row["backend"] == backend && row["dtype"] == dtype
            };
            let found = rows(&data).iter().find(wanted);
            let skipped = data["skipped"].as_array().unwrap();
            let missing = skipped.iter().any(|s| s["route"] == "generic on cranelift");
            assert!(found.is_some() || missing, "{backend} {dtype}: {data}");
        }
    }
    // One input, one output: the crate has no row here, and says why.
    let skipped = data["skipped"].as_array().unwrap();
    let reason = skipped.iter().find(|s| s["route"] == "fft_convolver");
    let reason = &reason.unwrap()["reason"];
    assert_eq!(reason["code"], 8401);
    assert!(reason["text"].as_str().unwrap().contains("one input"));
}

#[test]
fn the_ratio_is_that_of_the_best_gemv() {
    let data = bench("--shape 2,2,40 --routes generic --peers blas_gemv");
    let gemv: Vec<&Value> = rows(&data)
        .iter()
        .filter(|row| row["route"] == "openblas_gemv")
        .collect();
    if gemv.is_empty() {
        println!("SKIP no OpenBLAS: {}", data["skipped"]);
        assert!(!data["skipped"].as_array().unwrap().is_empty());
        assert!(
            rows(&data)
                .iter()
                .all(|r| r["ratio_to_openblas_gemv"].is_null())
        );
        return;
    }
    let median = |row: &Value| row["ns"]["median"].as_f64().unwrap();
    let best = gemv
        .iter()
        .map(|row| median(row))
        .fold(f64::INFINITY, f64::min);
    for row in rows(&data) {
        let ratio = row["ratio_to_openblas_gemv"].as_f64().unwrap();
        assert!((ratio * median(row) / best - 1.0).abs() < 1e-12, "{row}");
    }
}

#[test]
fn one_input_and_output_has_the_convolver() {
    let data = bench("--shape 1,1,300 --routes generic --peers fft_convolver");
    let convolvers = rows(&data).iter().filter(|row| row["peer"] == true);
    assert_eq!(
        convolvers.inspect(|row| check_row(row)).count(),
        2,
        "{data}"
    );
}

#[test]
fn zita_runs_or_says_why_not() {
    let data = bench("--shape 2,3,200 --dtype f64,f32 --routes generic --peers zita --threads 1,2");
    let found = |row: &&Value| row["route"] == "zita_convolver";
    let rows: Vec<&Value> = rows(&data).iter().filter(found).collect();
    for row in &rows {
        check_row(row);
        assert_eq!(
            (row["dtype"].as_str(), row["delay"].as_u64()),
            (Some("f32"), Some(63))
        );
        assert!(row["note"].as_str().unwrap().contains("blocks of 64"));
    }
    let skipped = data["skipped"].as_array().unwrap();
    let reasons: Vec<u64> = skipped
        .iter()
        .map(|s| s["reason"]["code"].as_u64().unwrap())
        .collect();
    if rows.is_empty() {
        println!("SKIP zita-convolver: {skipped:?}");
        assert!(reasons.contains(&8402), "{skipped:?}");
    }
    // f64 is refused, whatever is installed.
    assert!(reasons.contains(&8401), "{skipped:?}");
}

#[test]
fn routes_that_look_ahead_have_plans() {
    let data = bench("--shape 2,2,130 --peers none --plan relaxed_fft:burst:f8,f32");
    let relaxed = rows(&data).iter().find(|r| r["route"] == "relaxed_fft");
    assert_eq!(relaxed.unwrap()["plan"], "relaxed_fft:burst:f8,f32");
    for route in ["temporal_block", "uniform_fft", "nonuniform_fft"] {
        let row = rows(&data).iter().find(|r| r["route"] == route).unwrap();
        check_row(row);
        assert!(row["plan"].as_str().unwrap().starts_with(route), "{row}");
    }
    assert!(rows(&data).iter().all(|row| row["peer"] == false));
}

#[test]
fn a_pack_decaying_input_and_text() {
    let (_folder, pack) = small_pack();
    let pack = pack.to_str().unwrap();
    let data = bench(&format!(
        "{pack} --input decay --routes generic --peers none"
    ));
    assert_eq!(data["nh"], 3);
    assert!(rows(&data).iter().all(|row| row["input"] == "decay"));
    let line = "bench --shape 1,1,9 --taps decay --seconds 0.02 --rounds 2 --peers zita";
    let output = tdse(line.split_whitespace());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(
        text.contains("ns/step") && text.contains("generic"),
        "{text}"
    );
    assert!(text.contains("SKIP zita_convolver: "), "{text}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let usage = [
        "",
        "--shape 2,2",
        "--shape 0,1,9",
        "x.tdse --shape 2,2,9",
        "--shape 2,2,9 --routes nosuch",
        "--shape 2,2,9 --peers nosuch",
        "--shape 2,2,9 --seconds 0",
        "--shape 2,2,9 --plan relaxed_fft:burst",
    ];
    for line in usage {
        let line = format!("bench {line}");
        let (code, envelope) = tdse_json(line.split_whitespace());
        assert_eq!(
            (code, &envelope["error"]["code"]),
            (2, &9000.into()),
            "{line}"
        );
    }
    let (code, envelope) = tdse_json(["bench", "missing.tdse"]);
    assert_eq!(code, 3, "{envelope}");
    let (code, envelope) = tdse_json(["bench", "--shape", "2,2,1"]);
    assert_eq!((code, &envelope["error"]["code"]), (3, &9006.into()));
}
