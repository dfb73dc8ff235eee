//! Taps built from measured files against an independent builder and against a vendor's own export.
#![allow(clippy::unwrap_used)]

mod reference;

use reference::{golden, network, shared};
use tdse_pack::sparams::{BuildOptions, build};

const GOLDEN: [(&str, &str); 6] = [
    (
        "short_10ps_dc_50g.s1p.oracle.json",
        "metas_tdr/short_10ps_dc_50g.s1p",
    ),
    (
        "sigint__WireBond3Pairs.s12p.kaiser6.oracle.npz",
        "sigint__WireBond3Pairs.s12p",
    ),
    (
        "skrf__Clarity_example.S2P.oracle.json",
        "skrf__Clarity_example.S2P",
    ),
    (
        "skrf__EP2C+_Plus25DegC_Unit1.S3P.oracle.json",
        "skrf__EP2C+_Plus25DegC_Unit1.S3P",
    ),
    (
        "skrf__HFSS2019R2_multiport.s7p.oracle.json",
        "skrf__HFSS2019R2_multiport.s7p",
    ),
    (
        "skrf__LFCN-2352+_Plus25degC.s2p.kaiser6.oracle.npz",
        "skrf__LFCN-2352+_Plus25degC.s2p",
    ),
];

#[test]
fn golden_packs_are_rebuilt() {
    for (pack, file) in GOLDEN {
        let (Some(golden), Some(s)) = (golden(pack), network(file)) else {
            continue;
        };
        let meta = &golden.meta;
        let options = BuildOptions {
            window: meta["window"].as_str().unwrap().parse().unwrap(),
            nh: Some(meta["nh"].as_u64().unwrap() as usize),
            allow_extrapolated: true,
            ..BuildOptions::default()
        };
        let (built, report) = build(&s, &options).unwrap();
        assert_eq!(built.taps().len(), golden.taps.len(), "{pack}");
        let peak = golden.taps.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let off = built
            .taps()
            .iter()
            .zip(&golden.taps)
            .fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
            / peak;
        println!("{pack}: largest difference of a tap {off:.2e} of the peak");
        assert!(off < 1e-12, "{pack}: {off:e}");

        let report = serde_json::to_value(&report).unwrap();
        for key in ["m", "nt", "nh", "nports", "nfreq", "interp", "param"] {
            let (got, want) = if key == "param" {
                (&report["options"]["target"], &meta[key])
            } else {
                (&report[key], &meta[key])
            };
            assert_eq!(got, want, "{pack}: {key}");
        }
        for key in [
            "df",
            "dt",
            "f_lo",
            "f_hi",
            "extrapolated_fraction",
            "negative_time_energy",
            "truncated_energy",
            "passivity_max_sv_input",
            "passivity_max_sv_fir",
            "peak_abs",
        ] {
            let (got, want) = (report[key].as_f64().unwrap(), meta[key].as_f64().unwrap());
            assert!(
                (got - want).abs() <= 1e-9 * want.abs() + 1e-18,
                "{pack}: {key} {got} {want}"
            );
        }
        for key in ["reciprocity_max_abs", "dc_sum_error"] {
            let (got, want) = (report[key].as_f64().unwrap(), meta[key].as_f64().unwrap());
            assert!((got - want).abs() < 1e-13, "{pack}: {key} {got} {want}");
        }
        assert_eq!(
            built.made_by()["build"],
            report,
            "{pack}: the pack says how it was made"
        );
    }
}

#[test]
fn a_vendors_impulse_responses_are_met() {
    for name in ["short_10ps_dc_40g", "short_10ps_dc_50g"] {
        let Some(s) = network(&format!("metas_tdr/{name}.s1p")) else {
            continue;
        };
        let Some(csv) = shared(&format!(
            "data/touchstone/metas_tdr/{name}_low_pass_impulse.csv"
        )) else {
            continue;
        };
        let rows: Vec<(f64, f64)> = std::fs::read_to_string(csv)
            .unwrap()
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(';'))
            .map(|(t, v)| (t.trim().parse().unwrap(), v.trim().parse().unwrap()))
            .collect();
        let (pack, report) = build(&s, &BuildOptions::default()).unwrap();
        assert_eq!(rows.len(), report.nt);
        let later: Vec<&(f64, f64)> = rows.iter().filter(|(t, _)| *t >= 0.0).collect();
        assert_eq!(later.len(), pack.taps().len());
        for (k, (time, value)) in later.iter().enumerate() {
            assert!(
                (pack.dt() * 1e12 * k as f64 - time).abs() < 1e-6,
                "{name}: time of tap {k}"
            );
            assert!(
                (pack.taps()[k] - value).abs() < 1e-6,
                "{name}: tap {k}: {} {value}",
                pack.taps()[k]
            );
        }
        let energy =
            |rows: &mut dyn Iterator<Item = &(f64, f64)>| rows.map(|(_, v)| v * v).sum::<f64>();
        let before = energy(&mut rows.iter().filter(|(t, _)| *t < 0.0)) / energy(&mut rows.iter());
        assert!(
            (report.negative_time_energy - before).abs() < 1e-5,
            "{name}: energy before time 0"
        );
    }
}
