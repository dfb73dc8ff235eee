//! `tdse compile`, `tdse bundle` and `run --bundle`, from outside.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::{pack_of, small_pack, tdse, tdse_json};

const PLAN: &str = "uniform_fft:burst:t2,f4";

#[test]
fn a_pack_is_compiled_looked_at_checked_and_run() {
    let (folder, pack) = small_pack();
    let file = folder.path().join("code.bundle");
    let (pack, bundle) = (pack.to_str().unwrap(), file.to_str().unwrap());
    let line = ["compile", pack, "-o", bundle, "--tier", "cranelift"];
    let (code, made) = tdse_json(line.into_iter().chain(["--routes", "generic"]));
    assert_eq!((code, made["schema"].as_str()), (0, Some("tdse.compile/1")));
    assert_eq!(made["data"]["routes"][0]["route"], "generic");
    assert_eq!(
        made["data"]["bytes"],
        std::fs::metadata(&file).unwrap().len()
    );

    let (code, found) = tdse_json(["bundle", "inspect", bundle]);
    assert_eq!(code, 0);
    assert_eq!(found["data"]["code_sha256"], made["data"]["code_sha256"]);
    let kernels = found["data"]["kernels"].as_array().unwrap();
    assert_eq!(made["data"]["kernels"], kernels.len());
    let generator = kernels[0]["generator"].as_str().unwrap();
    assert!(generator.starts_with("cranelift ") && generator.contains(" lowering "));

    let (code, checked) = tdse_json(["bundle", "check", bundle, pack]);
    assert_eq!(code, 0);
    assert_eq!(checked["data"]["routes"][0]["runs"], true);

    let output = tdse(["bundle", "disasm", bundle]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains(kernels[0]["kernel"].as_str().unwrap()),
        "{text}"
    );
    if cfg!(target_arch = "x86_64") {
        assert!(text.contains("ret"), "{text}");
    }

    let run = ["run", pack, "--input", "random:1", "--steps", "50"];
    let (code, here) = tdse_json(run.into_iter().chain(["--tier", "cranelift"]));
    assert_eq!(code, 0);
    let (code, ahead) = tdse_json(run.into_iter().chain(["--bundle", bundle]));
    assert_eq!(code, 0);
    for field in ["output_sha256", "code_sha256", "numeric_class", "schedule"] {
        assert_eq!(ahead["data"][field], here["data"][field], "{field}");
    }

    let (code, refused) = tdse_json(run.into_iter().chain(["--bundle", bundle, "--plan", PLAN]));
    assert_eq!(
        (code, refused["error"]["name"].as_str()),
        (5, Some("not_in_bundle"))
    );
}

#[test]
#[cfg(target_arch = "x86_64")]
fn two_processes_write_the_same_bundle() {
    let (folder, pack) = small_pack();
    for target in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let files = ["a", "b"].map(|name| folder.path().join(name));
        for file in &files {
            let output = tdse([
                "compile",
                pack.to_str().unwrap(),
                "-o",
                file.to_str().unwrap(),
                "--target",
                target,
                "--routes",
                "generic",
            ]);
            assert_eq!(output.status.code(), Some(0), "{target}");
        }
        let [a, b] = files.map(|file| std::fs::read(file).unwrap());
        assert!(a == b, "{target}");
    }
}

#[test]
fn a_broken_bundle_and_one_of_another_pack_are_refused() {
    let (folder, pack) = small_pack();
    let file = folder.path().join("code.bundle");
    let (pack, bundle) = (pack.to_str().unwrap(), file.to_str().unwrap());
    let line = ["compile", pack, "-o", bundle, "--tier", "cranelift"];
    assert_eq!(
        tdse_json(line.into_iter().chain(["--routes", "generic"])).0,
        0
    );

    let (_folder, other) = pack_of(&[3, 2, 2], &[0.25; 12]);
    let (code, checked) = tdse_json(["bundle", "check", bundle, other.to_str().unwrap()]);
    assert_eq!(
        (code, checked["error"]["name"].as_str()),
        (4, Some("bundle_does_not_run"))
    );

    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    for command in ["inspect", "check", "disasm"] {
        let (code, refused) = tdse_json(["bundle", command, bundle]);
        assert_eq!(code, 3, "{command}");
        let number = refused["error"]["code"].as_u64().unwrap();
        assert!((7201..7300).contains(&number), "{number}");
    }
}

#[test]
fn code_kept_on_disk_and_a_tier_up_change_no_bit() {
    let (folder, pack) = small_pack();
    let cache = folder.path().join("code");
    let pack = pack.to_str().unwrap();
    let run = [
        "run",
        pack,
        "--input",
        "random:1",
        "--steps",
        "50",
        "--tier",
        "cranelift",
    ];
    let (code, plain) = tdse_json(run);
    assert_eq!(code, 0);
    for _ in 0..2 {
        let kept = run
            .into_iter()
            .chain(["--code-cache", cache.to_str().unwrap()]);
        let (code, kept) = tdse_json(kept);
        assert_eq!(code, 0);
        assert_eq!(
            kept["data"]["output_sha256"],
            plain["data"]["output_sha256"]
        );
        assert_eq!(kept["data"]["code_sha256"], plain["data"]["code_sha256"]);
    }
    assert!(std::fs::read_dir(&cache).unwrap().count() >= 2);
    let portable = [
        "run", pack, "--input", "random:1", "--steps", "50", "--tier", "portable",
    ];
    let (code, up) = tdse_json(portable.into_iter().chain(["--tier-up", "cranelift"]));
    assert_eq!(code, 0);
    assert_eq!(up["data"]["output_sha256"], plain["data"]["output_sha256"]);
    assert!(up["data"]["tier_up"]["kernels"].as_u64().unwrap() >= 2);
    assert!(up["data"]["tier_up"]["adopted"].is_boolean());
}

#[test]
fn the_default_is_generic_and_lookahead_where_there_is_a_plan() {
    // One tap has no plan; forty have.
    let many: Vec<f64> = (0..160).map(|i| f64::from(i % 7) * 1e-2).collect();
    for (taps, routes) in [(&[0.25; 4][..], 1), (&many[..], 2)] {
        let (folder, pack) = pack_of(&[taps.len() / 4, 2, 2], taps);
        let bundle = folder.path().join("code.bundle");
        let (pack, bundle) = (pack.to_str().unwrap(), bundle.to_str().unwrap());
        let (code, made) = tdse_json(["compile", pack, "-o", bundle]);
        assert_eq!(code, 0, "{made}");
        assert_eq!(made["data"]["routes"].as_array().unwrap().len(), routes);
        assert_eq!(made["data"]["left_out"].is_null(), routes == 2);
        assert_eq!(tdse_json(["bundle", "check", bundle, pack]).0, 0);
        let line = [
            "compile",
            pack,
            "-o",
            bundle,
            "--routes",
            "lookahead,generic,lookahead",
        ];
        assert_eq!(tdse_json(line).0, if routes == 2 { 0 } else { 5 });
    }
    let (folder, pack) = pack_of(&[40, 2, 2], &many);
    let bundle = folder.path().join("code.bundle");
    let (pack, bundle) = (pack.to_str().unwrap(), bundle.to_str().unwrap());
    let plan = [
        "compile",
        pack,
        "-o",
        bundle,
        "--plan",
        "relaxed_fft:burst:t4,f16",
    ];
    let (code, made) = tdse_json(plan);
    assert_eq!(
        (code, &made["data"]["routes"][0]["route"]),
        (0, &"relaxed_fft".into())
    );
}

#[test]
fn a_bundle_that_cannot_be_written_ends_with_6_and_a_device_stays() {
    let (folder, pack) = small_pack();
    let pack = pack.to_str().unwrap();
    let nowhere = folder.path().join("missing/code.bundle");
    let (code, refused) = tdse_json(["compile", pack, "-o", nowhere.to_str().unwrap()]);
    assert_eq!(
        (code, refused["error"]["name"].as_str()),
        (6, Some("output_unwritable"))
    );
    assert_eq!(tdse_json(["compile", pack, "-o", "/dev/null"]).0, 0);
    use std::os::unix::fs::FileTypeExt;
    let null = std::fs::metadata("/dev/null").unwrap();
    assert!(null.file_type().is_char_device());
}

#[test]
fn kernels_are_named_for_profilers_when_that_is_asked_for() {
    let (_folder, pack) = small_pack();
    for (value, named) in [("1", true), ("0", false)] {
        let line = [
            "run",
            pack.to_str().unwrap(),
            "--input",
            "random:1",
            "--tier",
            "cranelift",
        ];
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tdse"))
            .args(line)
            .env("TDSE_PERF_MAP", value)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let file = format!("/tmp/perf-{}.map", child.id());
        assert!(child.wait().unwrap().success());
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let _ = std::fs::remove_file(&file);
        assert_eq!(text.contains(" direct_"), named, "{text}");
    }
}
