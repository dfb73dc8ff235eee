//! Files of instruments, simulators and recordings through build, check and run.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::{read_array, shared, tdse_json};

/// File in ../shared/data, options of `pack build`, inputs and outputs of the pack.
const FILES: &[(&str, &str, u64, u64)] = &[
    ("touchstone/metas_tdr/short_10ps_dc_50g.s1p", "", 1, 1),
    (
        "touchstone/vectfit__BN43-2402_4t_26AWG.s1p",
        "--nh 256",
        1,
        1,
    ),
    ("touchstone/skrf__Clarity_example.S2P", "", 2, 2),
    (
        "touchstone/skrf__LFCN-2352+_Plus25degC.s2p",
        "--window kaiser:6 --nh 512",
        2,
        2,
    ),
    (
        "touchstone/skrf__EP2C+_Plus25DegC_Unit1.S3P",
        "--nh 256",
        3,
        3,
    ),
    (
        "touchstone/skrf__HFSS2019R2_multiport.s4p",
        "--allow-extrapolated",
        4,
        4,
    ),
    (
        "touchstone/skrf__HFSS2019R2_multiport.s7p",
        "--allow-extrapolated",
        7,
        7,
    ),
    (
        "touchstone/skrf__hfss_19.2.s8p",
        "--nh 128 --allow-extrapolated",
        8,
        8,
    ),
    (
        "touchstone/skrf__HFSS2019R2_multiport.s11p",
        "--allow-extrapolated",
        11,
        11,
    ),
    (
        "touchstone/sigint__WireBond3Pairs.s12p",
        "--window kaiser:6",
        12,
        12,
    ),
    ("touchstone/skrf__helic_example_6ports_V2.ts", "", 6, 6),
    ("wav/oct-48-31.wav", "", 1, 1),
    ("wav/mit_kemar_el0_12az_24ch.wav", "--inputs 12", 12, 2),
    (
        "wav/mit_kemar_H_512x2x12_f64.npz",
        "--dt 2.2675736961451248e-05",
        12,
        2,
    ),
    (
        "emt/fdne_6x6_admittance.txt.gz",
        "--param s --nh 256 --allow-extrapolated",
        6,
        6,
    ),
];

#[test]
fn build_check_run() {
    let mut done = 0;
    for (file, options, np, nq) in FILES {
        let Some(path) = shared(&format!("data/{file}")) else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let pack = at("p.tdse");
        let path = path.to_str().unwrap();
        let (code, inspected) = tdse_json(["pack", "inspect", path]);
        assert_eq!(code, 0, "{file}: {inspected}");
        let line = ["pack", "build", path, "-o", &pack]
            .into_iter()
            .chain(options.split_whitespace());
        let (code, built) = tdse_json(line);
        assert_eq!(code, 0, "{file}: {}", built["error"]);
        assert_eq!(
            (built["data"]["np"].as_u64(), built["data"]["nq"].as_u64()),
            (Some(*np), Some(*nq)),
            "{file}"
        );

        let (code, checked) = tdse_json(["pack", "check", &pack, "--steps", "1000"]);
        let verdict = checked["data"]["verdict"].as_str().unwrap();
        // The exit code and the verdict say the same.
        assert_eq!(
            code,
            if verdict == "unstable" { 4 } else { 0 },
            "{file}: {verdict}"
        );
        assert!(
            checked["data"]["fir_max_singular_value"].as_f64().unwrap() > 0.0,
            "{file}"
        );

        let mut outputs = Vec::new();
        for tier in ["cranelift", "portable"] {
            let (code, run) = tdse_json([
                "run",
                &pack,
                "--input",
                "random:1",
                "--steps",
                "200",
                "-o",
                &at("y.npy"),
                "--tier",
                tier,
            ]);
            assert_eq!(code, 0, "{file}: {}", run["error"]);
            outputs.push(run["data"]["output_sha256"].clone());
        }
        assert_eq!(outputs[0], outputs[1], "{file}: code generators differ");
        let (shape, y) = read_array(at("y.npy").as_ref());
        assert_eq!(shape, [200, *nq as usize], "{file}");
        assert!(
            y.iter().all(|v| v.is_finite()) && y.iter().any(|v| *v != 0.0),
            "{file}"
        );
        println!("{file}: nh {}, verdict {verdict}", built["data"]["nh"]);
        done += 1;
    }
    if shared("data").is_some() {
        assert!(done >= 10, "{done}");
    }
}

#[test]
fn a_broken_file_is_refused_with_its_place() {
    let Some(path) = shared("data/touchstone/nanovna__broken_pair.s2p") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("p.tdse");
    let (code, envelope) = tdse_json([
        "pack",
        "build",
        path.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ]);
    assert_eq!(code, 3, "{envelope}");
    let message = envelope["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("line ") && message.contains("column "),
        "{message}"
    );
    assert!(!out.exists());
}
