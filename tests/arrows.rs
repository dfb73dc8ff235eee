//! Which crate may know which: docs/architecture.md as a table, compared with the manifests.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::process::Command;

use tdse_tests::root;

/// For each crate, the crates of the project that its normal and build dependencies may name.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("tdse-kir", &[]),
    ("tdse-isa", &[]),
    ("tdse-pack", &[]),
    ("tdse-blas", &[]),
    ("tdse-templates", &["tdse-kir"]),
    ("tdse-backend", &["tdse-isa", "tdse-kir"]),
    ("tdse-cranelift", BACKEND),
    ("tdse-llvm", BACKEND),
    ("tdse-portable", BACKEND),
    ("tdse-bundle", BACKEND),
    (
        "tdse-compiler",
        &[
            "tdse-backend",
            "tdse-bundle",
            "tdse-cranelift",
            "tdse-isa",
            "tdse-kir",
            "tdse-llvm",
            "tdse-portable",
            "tdse-templates",
        ],
    ),
    (
        "tdse-lookahead",
        &[
            "tdse-bundle",
            "tdse-compiler",
            "tdse-isa",
            "tdse-kir",
            "tdse-pack",
            "tdse-templates",
        ],
    ),
    (
        "tdse-runtime",
        &[
            "tdse-backend",
            "tdse-blas",
            "tdse-bundle",
            "tdse-compiler",
            "tdse-isa",
            "tdse-kir",
            "tdse-lookahead",
            "tdse-pack",
            "tdse-templates",
        ],
    ),
    (
        "tdse-cli",
        &[
            "tdse-benches",
            "tdse-bundle",
            "tdse-compiler",
            "tdse-isa",
            "tdse-kir",
            "tdse-pack",
            "tdse-runtime",
            "tdse-templates",
        ],
    ),
];

const BACKEND: &[&str] = &["tdse-backend", "tdse-isa", "tdse-kir"];

/// Crates that look at the project from outside and may know all of it, vendors included. The program
/// alone knows one of them: `tdse bench` is the benches' library.
const OUTSIDE: &[&str] = &["tdse-tests", "tdse-benches"];

/// Third-party crates that one crate alone may name, besides those outside.
const PRIVATE: &[(&str, &str)] = &[
    ("cranelift-codegen", "tdse-cranelift"),
    ("cranelift-frontend", "tdse-cranelift"),
    ("inkwell", "tdse-llvm"),
    ("object", "tdse-llvm"),
    ("clap", "tdse-cli"),
    ("indicatif", "tdse-cli"),
    ("libloading", "tdse-blas"),
    ("safetensors", "tdse-pack"),
];

/// Name and non-development dependencies of each crate of the project.
fn crates() -> Vec<(String, BTreeSet<String>)> {
    let out = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let known = packages.map(|package| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let names = dependencies
            .filter(|d| d["kind"] != "dev")
            .map(|d| d["name"].as_str().unwrap().to_owned());
        (
            package["name"].as_str().unwrap().to_owned(),
            names.collect(),
        )
    });
    known.collect()
}

#[test]
fn arrows_point_one_way() {
    let mut wrong = Vec::new();
    let crates = crates();
    assert!(crates.len() >= MAY_KNOW.len(), "{crates:?}");
    for (name, dependencies) in crates.iter().filter(|c| !OUTSIDE.contains(&c.0.as_str())) {
        let Some((_, allowed)) = MAY_KNOW.iter().find(|row| row.0 == name) else {
            wrong.push(format!("{name}: has no row in MAY_KNOW; what may it know?"));
            continue;
        };
        let known = dependencies.iter().filter(|d| d.starts_with("tdse-"));
        let extra = known.filter(|d| !allowed.contains(&d.as_str()));
        wrong.extend(extra.map(|d| format!("{name} may not know {d}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn vendors_stay_behind_one_crate() {
    for (name, dependencies) in crates() {
        for (vendor, owner) in PRIVATE {
            let named = dependencies.contains(*vendor);
            let outside = OUTSIDE.contains(&name.as_str());
            assert!(
                !named || outside || name == *owner,
                "{name} names {vendor}, which is {owner}'s"
            );
        }
    }
}

#[test]
fn the_runtime_links_no_llvm_by_default() {
    let out = Command::new(env!("CARGO"))
        .args([
            "tree",
            "-p",
            "tdse-cli",
            "-e",
            "normal,build",
            "--prefix",
            "none",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let tree = String::from_utf8_lossy(&out.stdout);
    assert!(tree.contains("tdse-runtime"), "{tree}");
    let linked: Vec<&str> = tree
        .lines()
        .filter(|line| line.starts_with("llvm-sys") || line.starts_with("inkwell"))
        .collect();
    assert!(linked.is_empty(), "{linked:?}");
}
