//! Files become packs by what they are, and tell how.
#![allow(clippy::unwrap_used)]

mod specimen;

use std::path::Path;

use specimen::{fmt, npz, riff, shared};
use tdse_pack::health::{HealthOptions, check};
use tdse_pack::import::{ImportOptions, Imported, describe, import, import_bytes};
use tdse_pack::npy::write_npy;
use tdse_pack::sparams::TargetParameter;
use tdse_pack::{Pack, PackError};

/// A line of one sample of delay at every frequency; the first is 0, so nothing is guessed.
fn touchstone() -> String {
    let mut text = String::from("! made for this test\n# GHz S RI R 50\n");
    for point in 0..33 {
        let angle = -std::f64::consts::PI * f64::from(point) / 64.0;
        text += &format!("{point} {:e} {:e}\n", 0.5 * angle.cos(), 0.5 * angle.sin());
    }
    text
}

fn named(bytes: &[u8], name: &str) -> Result<Imported, PackError> {
    import_bytes(bytes, name, &ImportOptions::default())
}

fn kind(bytes: &[u8], name: &str) -> String {
    let options = ImportOptions {
        dt: None,
        ..ImportOptions::default()
    };
    let report = import_bytes(bytes, name, &options).unwrap().report;
    report["importer"].as_str().unwrap().to_owned()
}

#[test]
fn content_decides_before_the_suffix() {
    let archive = npz(&[
        ("H.npy", &write_npy(&[1], &[1.0])),
        ("fs.npy", &write_npy(&[], &[10.0])),
    ]);
    let wave = riff(&[(b"fmt ", &fmt(1, 1, 8000, 1, 8)), (b"data", &[200])]);
    let network = touchstone();
    for name in ["x", "x.npz", "x.s2p", "x.wav", "x.TXT", "X.NPY"] {
        assert_eq!(kind(&archive, name), "npz", "{name}");
        assert_eq!(kind(&wave, name), "wav", "{name}");
    }
    for name in ["x.s1p", "X.S1P", "x.y.S1p", "line", "line.dat", "x.txt"] {
        assert_eq!(kind(network.as_bytes(), name), "touchstone", "{name}");
    }
}

#[test]
fn each_suffix_has_its_importer() {
    let code = |name: &str| named(b"nothing known", name).unwrap_err().code();
    assert_eq!(code("x.npy"), 1302); // the time step is asked for before the bytes
    assert_eq!(code("x.NPZ"), 4101);
    assert_eq!(code("x.Wav"), 5001);
    assert_eq!(code("x.txt") / 1000, 3);
    assert_eq!(code("x.S4P") / 1000, 2);
    assert_eq!(code("x.ts") / 1000, 2);
    for name in ["x", "x.tdse", "x.sp", "x.sxp", "x.s2", "s2p", "x.gz", ""] {
        assert_eq!(code(name), 1301, "{name}");
    }
    // Compressed data are admittance text, or nothing.
    assert_eq!(
        named(&[0x1f, 0x8b, 8, 0], "y.txt.gz").unwrap_err().name(),
        "gzip"
    );
    assert_eq!(
        named(&[0x1f, 0x8b, 8, 0], "y.s2p.gz").unwrap_err().code(),
        1301
    );
}

#[test]
fn a_pack_is_not_imported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.s2p");
    specimen::pack().write(&path).unwrap();
    let options = ImportOptions::default();
    assert_eq!(
        import(&path, &options).unwrap_err().name(),
        "already_a_pack"
    );
    assert_eq!(describe(&path).unwrap_err().name(), "already_a_pack");
    let absent = folder.path().join("absent.wav");
    assert_eq!(
        import(&absent, &options).unwrap_err().name(),
        "file_not_readable"
    );
    assert_eq!(describe(&absent).unwrap_err().name(), "file_not_readable");
}

#[test]
fn the_report_is_the_story_in_the_pack() {
    let bytes = touchstone();
    let Imported { pack, report } = named(bytes.as_bytes(), "line.s1p").unwrap();
    assert_eq!(pack.made_by(), &report);
    assert_eq!(report["source"]["name"], "line.s1p");
    assert_eq!(report["source"]["bytes"], bytes.len());
    assert_eq!(report["source"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(report["read"]["ports"], 1);
    assert_eq!(report["read"]["points"], 33);
    assert_eq!(report["read"]["f_hi_hz"], 32e9);
    assert!(report["build"]["options"].is_object());
    assert_eq!(report["parameter"], "s");
    // It survives the container, to the last bit of every figure.
    let again = Pack::from_bytes(&pack.to_bytes().unwrap()).unwrap();
    assert_eq!(again.made_by(), &report);
    assert_eq!(again.identity(), pack.identity());
}

#[test]
fn admittance_taps_are_not_taken_for_waves() {
    let mut options = ImportOptions::default();
    options.build.target = TargetParameter::Y;
    let pack = import_bytes(touchstone().as_bytes(), "line.s1p", &options)
        .unwrap()
        .pack;
    let health = check(&pack, &HealthOptions::default(), &mut |_| {}).unwrap();
    assert!(health.min_hermitian_eigenvalue.is_some() && health.loops.is_empty());
}

#[test]
fn options_without_effect_are_refused() {
    let array = write_npy(&[2], &[1.0, 0.5]);
    let wave = riff(&[(b"fmt ", &fmt(1, 1, 8000, 1, 8)), (b"data", &[200])]);
    let network = touchstone();
    let mut short = ImportOptions {
        dt: Some(1.0 / 8000.0),
        ..ImportOptions::default()
    };
    short.build.nh = Some(1);
    let mut grouped = ImportOptions::default();
    grouped.wav.inputs = 2;
    let referred = ImportOptions {
        admittance_reference: Some(1.0),
        ..ImportOptions::default()
    };
    for (bytes, name, options, flag) in [
        (array.as_slice(), "x.npy", &short, "--nh"),
        (wave.as_slice(), "x.wav", &short, "--nh"),
        (network.as_bytes(), "x.s1p", &grouped, "--inputs"),
        (network.as_bytes(), "x.s1p", &referred, "--reference"),
    ] {
        let error = import_bytes(bytes, name, options).unwrap_err();
        assert_eq!(
            (error.code(), error.name()),
            (1305, "option_without_effect")
        );
        assert!(error.to_string().starts_with(flag), "{error}");
    }
    // What the wave says of itself stays in the story.
    let plain = import_bytes(&wave, "x.wav", &ImportOptions::default()).unwrap();
    assert_eq!(plain.report["wave"]["sample_rate_hz"], 8000);
    assert_eq!(plain.report["source"]["name"], "x.wav");
}

#[test]
fn time_steps_agree_or_are_refused() {
    let network = touchstone();
    let with = |dt| {
        import_bytes(
            network.as_bytes(),
            "x.s1p",
            &ImportOptions {
                dt,
                ..ImportOptions::default()
            },
        )
    };
    let own = with(None).unwrap().pack.dt();
    assert_eq!(with(Some(own)).unwrap().pack.dt(), own);
    assert_eq!(
        with(Some(2.0 * own)).unwrap_err().name(),
        "time_step_conflict"
    );

    let array = write_npy(&[2], &[1.0, 0.5]);
    assert_eq!(
        named(&array, "x.npy").unwrap_err().name(),
        "missing_time_step"
    );
    let options = ImportOptions {
        dt: Some(0.25),
        ..ImportOptions::default()
    };
    assert_eq!(
        import_bytes(&array, "x.npy", &options).unwrap().pack.dt(),
        0.25
    );
}

#[test]
fn descriptions_build_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let described = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        describe(&path).unwrap()
    };
    let network = described("line.s1p", touchstone().as_bytes());
    assert_eq!(network["kind"], "touchstone");
    assert_eq!(network["ports"], 1);
    assert_eq!(network["points"], 33);
    assert_eq!(network["f_lo_hz"], 0.0);
    assert_eq!(network["f_hi_hz"], 32e9);
    assert_eq!(network["parameter"], "S");
    assert_eq!(network["format"], "RI");
    assert_eq!(network["reference"], serde_json::json!([50.0]));
    assert!(network["notes"].is_array());

    let array = write_npy(&[3, 2, 1], &[1.0; 6]);
    let npy = described("x.npy", &array);
    assert_eq!(
        (&npy["kind"], &npy["nh"], &npy["nq"]),
        (&"npy".into(), &3.into(), &2.into())
    );
    let archive = described("x.npz", &npz(&[("H.npy", &array)]));
    assert_eq!(
        (&archive["kind"], &archive["np"]),
        (&"npz".into(), &1.into())
    );
    assert!(archive["dt"].is_null());
    let wave = riff(&[(b"fmt ", &fmt(1, 2, 8000, 1, 8)), (b"data", &[1; 8])]);
    let wave = described("x.wav", &wave);
    assert_eq!((&wave["nh"], &wave["nq"]), (&4.into(), &2.into()));
    assert_eq!(wave["dt"], 1.0 / 8000.0);
}

/// Every wave and archive of the shared data becomes a pack and comes back from its container.
#[test]
fn all_shared_impulse_responses_import() {
    let Some(folder) = shared("data/wav") else {
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        round_trip(&path);
        count += 1;
    }
    assert_eq!(count, 10);
}

/// With the default rules 14 files become packs; most others begin too high above 0 Hz.
#[test]
fn shared_network_data_import_or_are_refused_by_name() {
    let Some(folder) = shared("data/touchstone") else {
        return;
    };
    let mut imported = Vec::new();
    let mut refused = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        match import(&path, &ImportOptions::default()) {
            Ok(Imported { pack, report }) => {
                let ports = report["read"]["ports"].as_u64().unwrap() as usize;
                assert_eq!((pack.shape().nq(), pack.shape().np()), (ports, ports));
                assert_eq!(describe(&path).unwrap()["ports"], ports);
                imported.push(ports);
            }
            Err(error) => refused.push(error.name()),
        }
    }
    imported.sort_unstable();
    refused.sort_unstable();
    refused.dedup();
    assert_eq!(imported, [1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 6, 7, 12, 32]);
    assert_eq!(refused, ["extrapolated", "unpaired_value"]);
}

#[test]
fn a_shared_admittance_imports() {
    let Some(path) = shared("data/emt/fdne_6x6_admittance.txt.gz") else {
        return;
    };
    let description = describe(&path).unwrap();
    assert_eq!(description["ports"], 6);
    assert_eq!(description["points"], 300);
    let pack = round_trip(&path);
    assert_eq!((pack.shape().nq(), pack.shape().np()), (6, 6));

    // The reference counts: at 1 ohm the same admittances reflect otherwise.
    let at = |ohm| {
        let options = ImportOptions {
            admittance_reference: Some(ohm),
            ..ImportOptions::default()
        };
        import(&path, &options)
    };
    assert_eq!(at(50.0).unwrap().pack.identity(), pack.identity());
    assert_ne!(at(1.0).unwrap().pack.identity(), pack.identity());
    assert_eq!(at(-1.0).unwrap_err().name(), "bad_reference");
}

fn round_trip(path: &Path) -> Pack {
    let Imported { pack, report } = import(path, &ImportOptions::default())
        .unwrap_or_else(|error| unreachable!("{}: {error}", path.display()));
    assert!(describe(path).unwrap().is_object());
    assert_eq!(
        report["source"]["bytes"],
        std::fs::metadata(path).unwrap().len()
    );
    let again = Pack::from_bytes(&pack.to_bytes().unwrap()).unwrap();
    assert_eq!(again, pack);
    pack
}
