//! A bundle's file: only regular files are read, and a reader never meets a part of one.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod samples;

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use samples::bundle;
use tdse_bundle::{Bundle, CodeCache};

const CHILD: &str = "TDSE_BUNDLE_FILES_CHILD";

fn name_of_refusal(path: &Path) -> &'static str {
    Bundle::read(path).unwrap_err().name()
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_written_is_read_and_nothing_stays_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.bundle");
    let mut bundle = bundle();
    for made_by in ["first", "second"] {
        bundle.made_by = made_by.into();
        bundle.write(&path).unwrap();
        assert_eq!(Bundle::read(&path).unwrap(), bundle);
        assert_eq!(fs::read(&path).unwrap(), bundle.encode().unwrap());
        assert_eq!(entries(folder.path()), ["model.bundle"]);
    }
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o700, 0o600);
    // A link to a regular file is followed; written through, the link is replaced.
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    assert_eq!(Bundle::read(&link).unwrap(), bundle);
    bundle.made_by = "third".into();
    bundle.write(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_file());
    assert_eq!(Bundle::read(&path).unwrap().made_by, "second");
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(name_of_refusal(&at("absent")), "bundle_not_readable");
    assert_eq!(name_of_refusal(Path::new("")), "bundle_not_readable");
    assert_eq!(name_of_refusal(folder.path()), "bundle_not_regular");
    assert_eq!(
        name_of_refusal(Path::new("/dev/null")),
        "bundle_not_regular"
    );
    assert_eq!(
        name_of_refusal(Path::new("/dev/zero")),
        "bundle_not_regular"
    );
    // A pipe that nobody writes to: opening it in the usual way would wait for ever.
    let pipe = at("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    assert_eq!(name_of_refusal(&pipe), "bundle_not_regular");
    for (name, target) in [("to_pipe", &pipe), ("to_nothing", &at("absent"))] {
        symlink(target, at(name)).unwrap();
    }
    symlink(at("loop"), at("loop")).unwrap();
    symlink(folder.path(), at("to_folder")).unwrap();
    assert_eq!(name_of_refusal(&at("to_pipe")), "bundle_not_regular");
    assert_eq!(name_of_refusal(&at("to_folder")), "bundle_not_regular");
    assert_eq!(name_of_refusal(&at("to_nothing")), "bundle_not_readable");
    assert_eq!(name_of_refusal(&at("loop")), "bundle_not_readable");
    let socket = at("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    // The system opens no socket.
    assert_eq!(name_of_refusal(&socket), "bundle_not_readable");
    let refusal = Bundle::read(&pipe).unwrap_err();
    assert!(
        refusal
            .to_string()
            .ends_with("is a pipe, not a regular file; name the bundle itself")
    );
}

/// The system's own files claim to be regular and empty, and go on for ever or cannot be read.
#[test]
fn files_of_the_system_are_refused() {
    for path in ["/proc/self/mem", "/proc/self/status", "/proc/self/pagemap"] {
        if Path::new(path).exists() {
            Bundle::read(Path::new(path)).unwrap_err();
        } else {
            println!("SKIP {path} is not there");
        }
    }
}

#[test]
fn a_huge_file_is_refused_before_it_is_read() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 40).unwrap();
    assert_eq!(name_of_refusal(file.path()), "bundle_too_large");
    file.as_file().set_len(0).unwrap();
    assert_eq!(name_of_refusal(file.path()), "cut_off");
}

#[test]
fn what_cannot_be_written_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle();
    let refused = |path: &Path| bundle.write(path).unwrap_err().name();
    fs::create_dir(folder.path().join("taken")).unwrap();
    File::create(folder.path().join("file")).unwrap();
    assert_eq!(refused(&folder.path().join("taken")), "bundle_not_writable");
    assert_eq!(
        refused(&folder.path().join("absent/x")),
        "bundle_not_writable"
    );
    assert_eq!(
        refused(&folder.path().join("file/x")),
        "bundle_not_writable"
    );
    assert_eq!(refused(Path::new("/")), "bundle_not_writable");
    assert_eq!(refused(Path::new("")), "bundle_not_writable");
    let mut wrong = bundle.clone();
    wrong.made_by.clear();
    let path = folder.path().join("file");
    assert_eq!(wrong.write(&path).unwrap_err().name(), "bad_text");
    assert_eq!(entries(folder.path()), ["file", "taken"]);
    assert_eq!(fs::read(&path).unwrap(), b"");
}

/// A writer is killed at many moments; what stands under the name is one of the two whole bundles,
/// and what stands in the cache is whole too.
#[test]
fn a_killed_writer_leaves_the_old_or_the_new() {
    let name = "a_killed_writer_leaves_the_old_or_the_new";
    if let Some(folder) = env::var_os(CHILD) {
        write_for_ever(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle");
    let [one, other] = two_bundles();
    one.write(&path).unwrap();
    let cache = CodeCache::new(&folder.path().join("cache"), u64::MAX);
    let (mut seen, mut kept) = ([0, 0], 0);
    for round in 0..150 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(CHILD, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.map_while(Result::ok).find(|line| line == "ready");
        assert!(ready.is_some());
        std::thread::sleep(Duration::from_micros(round * 1_131 % 29_989));
        child.kill().unwrap();
        child.wait().unwrap();
        let read = Bundle::read(&path).unwrap();
        assert!(read == one || read == other, "round {round}");
        seen[usize::from(read == other)] += 1;
        match cache.get(&one.entries[0].key) {
            Ok(code) => {
                assert!(code == one.entries[0].code || code == other.entries[0].code);
                kept += 1;
            }
            Err(miss) => assert_eq!(miss.name(), "cache_absent", "{miss}"),
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0 && kept > 0, "{seen:?} {kept}");
}

/// Two bundles of 200 kB whose code differs.
fn two_bundles() -> [Bundle; 2] {
    let mut one = bundle();
    one.entries[0].code.bytes = vec![1; 200_000];
    let mut other = one.clone();
    other.entries[0].code.bytes = vec![2; 200_000];
    [one, other]
}

fn write_for_ever(folder: &Path) -> ! {
    let bundles = two_bundles();
    let cache = CodeCache::new(&folder.join("cache"), u64::MAX);
    println!("\nready");
    loop {
        for bundle in &bundles {
            bundle.write(&folder.join("bundle")).unwrap();
            let entry = &bundle.entries[0];
            cache.put(&entry.key, &entry.class, &entry.code).unwrap();
        }
    }
}
