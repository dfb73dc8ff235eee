//! Envelopes hold the fields that scripts rely on, and text stays out of their way.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::{read_array, small_pack, tdse, tdse_json, write_array};
use serde_json::Value;

fn has(data: &Value, fields: &[&str]) {
    let object = data.as_object().unwrap();
    for field in fields {
        assert!(object.contains_key(*field), "{field} is missing in {data}");
    }
}

#[test]
fn pack_commands() {
    let (folder, pack) = small_pack();
    let (pack, array) = (pack.to_str().unwrap(), folder.path().join("h.npy"));
    let out = folder.path().join("again.tdse");
    let (code, built) = tdse_json([
        "pack",
        "build",
        array.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--dt",
        "1e-9",
    ]);
    assert_eq!(
        (code, built["schema"].as_str()),
        (0, Some("tdse.pack.build/1"))
    );
    let facts = [
        "np",
        "nq",
        "nh",
        "dt",
        "content_sha256",
        "content_blake3",
        "made_by",
    ];
    has(&built["data"], &facts);
    has(&built["data"], &["report", "output", "bytes"]);

    let (code, inspected) = tdse_json(["pack", "inspect", pack]);
    assert_eq!(
        (code, inspected["schema"].as_str()),
        (0, Some("tdse.pack.inspect/1"))
    );
    has(&inspected["data"], &facts);
    assert_eq!(
        inspected["data"]["content_sha256"],
        built["data"]["content_sha256"]
    );
    assert_eq!(inspected["data"]["nh"], 3);

    let (code, checked) = tdse_json(["pack", "check", pack, "--steps", "100"]);
    assert_eq!(
        (code, checked["schema"].as_str()),
        (0, Some("tdse.pack.check/1"))
    );
    let fields = [
        "fir_max_singular_value",
        "fir_max_at_hz",
        "negative_time_energy",
        "tail_energy",
        "f_lo_over_f_hi",
        "loops",
        "verdict",
    ];
    has(&checked["data"], &fields);
    for found in checked["data"]["loops"].as_array().unwrap() {
        has(found, &["termination", "steps", "max_abs", "diverged_at"]);
    }
}

#[test]
fn inspect_of_an_importable_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("thru.S2P");
    std::fs::write(
        &file,
        "# MHz S RI R 75\n0 0 0 1 0 1 0 0 0\n100 0 0 0.9 -0.1 0.9 -0.1 0 0\n",
    )
    .unwrap();
    let (code, envelope) = tdse_json(["pack", "inspect", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{envelope}");
    let data = &envelope["data"];
    has(
        data,
        &[
            "ports",
            "points",
            "f_lo_hz",
            "f_hi_hz",
            "parameter",
            "format",
            "reference",
            "notes",
        ],
    );
    assert_eq!(
        (data["ports"].as_u64(), data["points"].as_u64()),
        (Some(2), Some(2))
    );
    assert_eq!(data["f_hi_hz"].as_f64(), Some(1e8));
}

#[test]
fn run_and_explain() {
    let (folder, pack) = small_pack();
    let pack = pack.to_str().unwrap();
    let y = folder.path().join("y.npy");
    let (code, run) = tdse_json([
        "run",
        pack,
        "--input",
        "random:1",
        "--steps",
        "50",
        "-o",
        y.to_str().unwrap(),
    ]);
    assert_eq!((code, run["schema"].as_str()), (0, Some("tdse.run/1")));
    has(
        &run["data"],
        &[
            "steps",
            "backend",
            "route",
            "tier",
            "numeric_class",
            "output_sha256",
            "ns",
        ],
    );
    has(&run["data"]["ns"], &["total", "per_step"]);
    let (shape, _) = read_array(&y);
    assert_eq!(shape, [50, 2]);

    let (code, explained) = tdse_json(["explain", pack]);
    assert_eq!(
        (code, explained["schema"].as_str()),
        (0, Some("tdse.explain/1"))
    );
    has(&explained["data"], &["routes", "chosen", "repro"]);
    let routes = explained["data"]["routes"].as_array().unwrap();
    let fields = [
        "route",
        "backend",
        "accepted",
        "reason",
        "predicted_ns",
        "measured_ns",
        "ratio_upper_bound",
    ];
    for route in routes {
        has(route, &fields);
        has(&route["reason"], &["code", "name", "text"]);
    }
    let tried = |r: &&Value| r["reason"]["name"] != "not_asked" && r["reason"]["name"] != "no_plan";
    let last_tried = routes.iter().rfind(tried).unwrap();
    assert_eq!(last_tried["backend"], "portable");
    // Below the candidates every other route stands, with what it would cost where a plan exists.
    let others = [
        "temporal_block",
        "uniform_fft",
        "nonuniform_fft",
        "relaxed_fft",
        "blas",
    ];
    for other in others {
        let route = routes.iter().find(|r| r["route"] == other).unwrap();
        assert_eq!(route["chosen"], false, "{route}");
        assert_eq!(
            route["plan"].is_string(),
            route["predicted_ns"].is_number(),
            "{route}"
        );
    }
    // The command that the decision names repeats it.
    let repro = explained["data"]["repro"].as_str().unwrap();
    assert!(repro.contains(pack), "{repro}");
    let words: Vec<&str> = repro
        .split_whitespace()
        .skip(1)
        .chain(["--steps", "50"])
        .collect();
    let (code, again) = tdse_json(&words);
    assert_eq!(code, 0, "{again}");
    assert_eq!(again["data"]["output_sha256"], run["data"]["output_sha256"]);
    let chosen = &routes[explained["data"]["chosen"].as_u64().unwrap() as usize];
    assert_eq!(again["data"]["schedule"], chosen["schedule"]);
}

#[test]
fn features() {
    let (code, envelope) = tdse_json(["features"]);
    assert_eq!(
        (code, envelope["schema"].as_str()),
        (0, Some("tdse.features/1"))
    );
    has(
        &envelope["data"],
        &["build", "host", "loader", "tiers", "exit_codes"],
    );
    let tiers = envelope["data"]["tiers"].as_array().unwrap();
    assert!(
        tiers
            .iter()
            .any(|t| t["tier"] == "portable" && t["usable"] == true)
    );
    assert!(
        tiers
            .iter()
            .any(|t| t["tier"] == "ptx" && t["reason"] == "not in this version")
    );
}

#[test]
fn input_from_a_file_equals_the_same_numbers_generated() {
    let (folder, pack) = small_pack();
    let pack = pack.to_str().unwrap();
    let x = folder.path().join("x.npy");
    let mut impulse = vec![0.0; 2 * 20];
    impulse[1] = 1.0;
    write_array(&x, &[20, 2], &impulse);
    let (_, from_file) = tdse_json(["run", pack, "--input", x.to_str().unwrap()]);
    let (_, generated) = tdse_json(["run", pack, "--input", "impulse:2", "--steps", "20"]);
    assert_eq!(
        from_file["data"]["output_sha256"],
        generated["data"]["output_sha256"]
    );
}

#[test]
fn closed_loop_solves_its_equations() {
    let (folder, pack) = small_pack();
    let pack = pack.to_str().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (code, envelope) = tdse_json([
        "run",
        pack,
        "--input",
        "random:9",
        "--steps",
        "40",
        "--terminate",
        "short",
        "-o",
        &at("y.npy"),
    ]);
    assert_eq!(code, 0, "{envelope}");
    assert!(envelope["data"]["loop_condition"].as_f64().unwrap() < 10.0);
    // x = s - y, run openly, must give the same y.
    let (_, y) = read_array(&folder.path().join("y.npy"));
    let (_, _) = tdse_json([
        "run",
        pack,
        "--input",
        "random:9",
        "--steps",
        "40",
        "-o",
        &at("open.npy"),
    ]);
    let s = source(9, 80);
    let x: Vec<f64> = s.iter().zip(&y).map(|(s, y)| s - y).collect();
    write_array(&folder.path().join("x.npy"), &[40, 2], &x);
    tdse_json(["run", pack, "--input", &at("x.npy"), "-o", &at("again.npy")]);
    let (_, again) = read_array(&folder.path().join("again.npy"));
    assert!(
        program::distance(&again, &y) < 1e-14,
        "{}",
        program::distance(&again, &y)
    );
}

/// The documented generator, written again from docs/cli.md.
fn source(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        2.0 * ((z >> 11) as f64 / (1u64 << 53) as f64) - 1.0
    };
    (0..count).map(|_| draw()).collect()
}

#[test]
fn quiet_and_file_targets() {
    let (folder, pack) = small_pack();
    let target = folder.path().join("out.json");
    let line = [
        "explain".as_ref(),
        pack.as_os_str(),
        "--quiet".as_ref(),
        "--json-out".as_ref(),
        target.as_os_str(),
    ];
    let output = tdse(line);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    let text = std::fs::read_to_string(&target).unwrap();
    assert_eq!(text.matches('\n').count(), 1);
    serde_json::from_str::<Value>(&text).unwrap();
    let output = tdse(["explain".as_ref(), pack.as_os_str()]);
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("portable")
    );
}

#[test]
fn independent_response_is_added_and_ends_at_its_horizon() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("ir.tdse");
    let parts = tdse_pack::PackParts {
        shape: tdse_pack::Shape::new(2, 1, 1).unwrap(),
        dt: 0.5,
        taps: vec![2.0, 3.0],
        ir: Some(vec![10.0, 20.0, 30.0]),
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: serde_json::json!({}),
    };
    tdse_pack::Pack::from_parts(parts)
        .unwrap()
        .write(&pack)
        .unwrap();
    let (pack, y) = (pack.to_str().unwrap(), folder.path().join("y.npy"));
    let line = [
        "run",
        pack,
        "--input",
        "impulse",
        "-o",
        y.to_str().unwrap(),
        "--steps",
    ];
    let (code, envelope) = tdse_json(line.into_iter().chain(["3"]));
    assert_eq!(code, 0, "{envelope}");
    assert_eq!(read_array(&y).1, [12.0, 23.0, 30.0]);
    let (code, envelope) = tdse_json(line.into_iter().chain(["4"]));
    assert_eq!(
        (code, envelope["error"]["name"].as_str()),
        (3, Some("past_ir_horizon"))
    );
}
