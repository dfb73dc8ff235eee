//! Rules about files: size, names, manifests, and what never belongs in the project.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;

use tdse_tests::{root, tracked_files};

fn read(name: &str) -> String {
    String::from_utf8_lossy(&fs::read(root().join(name)).unwrap()).into_owned()
}

#[test]
fn source_files_are_read_in_one_sitting() {
    let Some(files) = tracked_files() else { return };
    let long: Vec<String> = files
        .iter()
        .filter(|name| name.ends_with(".rs"))
        .map(|name| (read(name).lines().count(), name))
        .filter(|&(lines, _)| lines > 600)
        .map(|(lines, name)| format!("{name}: {lines} lines; over 600 a file is split"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn file_names_say_what_is_inside() {
    let Some(files) = tracked_files() else { return };
    let nothing_said = [
        "base", "util", "utils", "common", "misc", "helper", "helpers",
    ];
    let bad: Vec<&String> = files
        .iter()
        .filter(|name| {
            name.split('/')
                .any(|part| nothing_said.contains(&part.split('.').next().unwrap_or_default()))
        })
        .collect();
    assert!(bad.is_empty(), "names that say nothing: {bad:?}");
}

#[test]
fn no_machine_paths_and_no_registry_hosts() {
    let Some(files) = tracked_files() else { return };
    // Put together here, so that this file does not contain them.
    let forbidden = [
        ["/wo", "rk/"],
        ["/fa", "rm/"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["crates", ".io"],
        ["pypi", ".org"],
        ["registry.", "npmjs"],
    ]
    .map(|parts| parts.concat());
    let mut found = Vec::new();
    for name in files.iter().filter(|name| !name.ends_with("Cargo.lock")) {
        for (number, line) in (1..).zip(read(name).lines()) {
            let hit = forbidden.iter().find(|word| line.contains(word.as_str()));
            found.extend(hit.map(|word| format!("{name}:{number}: {word}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Code is made for levels of `tdse-isa`, which knows what may be executed; what a code generator, a
/// compiler flag or a library finds out about the processor by itself does not.
#[test]
fn nothing_is_compiled_for_whatever_machine_is_there() {
    let Some(files) = tracked_files() else { return };
    // Put together here, so that this file does not contain them.
    let forbidden = [
        ["cranelift_", "native"],
        ["cranelift-", "native"],
        ["cpu=", "native"],
        ["march=", "native"],
        ["get_host_", "cpu"],
        ["HostCPU", "Features"],
    ]
    .map(|parts| parts.concat());
    let mut found = Vec::new();
    for name in files.iter().filter(|name| !name.ends_with("Cargo.lock")) {
        let text = read(name);
        let hits = forbidden.iter().filter(|word| text.contains(word.as_str()));
        found.extend(hits.map(|word| format!("{name}: {word}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The lines of a manifest's dependency sections: name, and the whole line.
fn dependencies(manifest: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut in_dependencies = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            in_dependencies = section.trim_end_matches(']').ends_with("dependencies");
        } else if in_dependencies && !line.starts_with('#') {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            found.extend((!name.is_empty()).then_some((name, line)));
        }
    }
    found
}

/// The manifests of the workspace's members.
fn member_manifests(files: &[String]) -> impl Iterator<Item = &String> {
    files
        .iter()
        .filter(|name| name.ends_with("/Cargo.toml") && !name.starts_with("tests/fuzz/"))
}

#[test]
fn versions_stand_in_the_root_manifest_only() {
    let Some(files) = tracked_files() else { return };
    let mut found = Vec::new();
    for name in member_manifests(&files) {
        for (_, line) in dependencies(&read(name)) {
            let inherited = line.contains("workspace = true");
            found.extend((!inherited).then(|| format!("{name}: {line}")));
        }
    }
    assert!(found.is_empty(), "write `workspace = true`: {found:?}");
}

#[test]
fn every_dependency_is_used_and_has_its_reason() {
    let Some(files) = tracked_files() else { return };
    let mut wrong = Vec::new();
    for manifest in member_manifests(&files) {
        let folder = manifest.trim_end_matches("Cargo.toml");
        let sources = files
            .iter()
            .filter(|f| f.starts_with(folder) && f.ends_with(".rs"));
        let source: String = sources.map(|file| read(file)).collect();
        for (name, _) in dependencies(&read(manifest)) {
            let used = source.contains(&name.replace('-', "_"));
            wrong.extend((!used).then(|| format!("{manifest}: {name} is not used")));
        }
    }
    let reasons = read("docs/decisions.md");
    let (_, reasons) = reasons.split_once("## Dependencies").unwrap();
    let root = read("Cargo.toml");
    for (name, _) in dependencies(&root)
        .iter()
        .filter(|row| !row.0.starts_with("tdse-"))
    {
        let told = reasons.contains(&format!("`{name}`"));
        wrong.extend((!told).then(|| format!("docs/decisions.md gives no reason for {name}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_test_program_is_built() {
    let manifest = read("tests/Cargo.toml");
    let files = fs::read_dir(root().join("tests")).unwrap();
    let names: Vec<String> = files
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rs"))
        .collect();
    assert!(names.contains(&"layout.rs".to_owned()), "{names:?}");
    for name in names {
        let entry = format!("path = \"{name}\"");
        assert!(
            manifest.contains(&entry),
            "tests/Cargo.toml has no [[test]] with {entry}"
        );
    }
}

/// `unsafe` stands in a few named files; a crate without one forbids it.
#[test]
fn unsafe_code_stands_where_the_architecture_says() {
    let Some(files) = tracked_files() else { return };
    let architecture = read("docs/architecture.md");
    let (_, section) = architecture.split_once("## Unsafe code").unwrap();
    let listed: BTreeSet<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("- `")?.split('`').next())
        .collect();
    let sources = files
        .iter()
        .filter(|name| name.ends_with(".rs") && name.contains("/src/"));
    let (found, clean): (BTreeSet<&str>, BTreeSet<&str>) = sources
        .map(String::as_str)
        .partition(|name| has_unsafe(&read(name)));
    assert_eq!(
        found, listed,
        "left: files with unsafe, right: docs/architecture.md"
    );

    for root in clean
        .iter()
        .filter(|name| name.ends_with("/lib.rs") || name.ends_with("/main.rs"))
    {
        let folder = root.rsplit_once('/').unwrap().0;
        let may = found.iter().any(|name| name.starts_with(folder));
        let forbids = read(root).contains("#![forbid(unsafe_code)]");
        assert!(may || forbids, "{root} lacks #![forbid(unsafe_code)]");
    }
}

fn has_unsafe(source: &str) -> bool {
    let forms = [
        "unsafe {",
        "unsafe fn",
        "unsafe impl",
        "unsafe trait",
        "unsafe extern",
    ];
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| forms.iter().any(|form| line.contains(form)))
}
