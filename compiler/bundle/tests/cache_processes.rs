//! Many processes on one cache, and processes that may write only so much or not at all.
//!
//! Each test runs itself again in child processes.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod samples;

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use samples::{bundle, code, key};
use tdse_bundle::{Bundle, CacheMiss, CodeCache};

const CHILD: &str = "TDSE_CACHE_CHILD";
const CLASS: &str = "direct(partials = 8, fma)";
/// Room for about five of the eight pieces that the processes keep.
const LIMIT: u64 = 60_000;

/// The folder that a parent gave this process, when it has one.
fn given() -> Option<PathBuf> {
    env::var_os(CHILD).map(PathBuf::from)
}

fn again(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, folder)
        .stdout(Stdio::piped());
    command
}

fn said(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.lines().find_map(|line| line.strip_prefix("child: "));
    said.unwrap_or_else(|| panic!("{output:?}")).to_owned()
}

#[test]
fn sixty_four_processes_share_a_folder() {
    if let Some(folder) = given() {
        println!("\nchild: {}", race(&folder));
        return;
    }
    let whole = tempfile::tempdir().unwrap();
    let folder = whole.path().join("cache");
    let start = |_| {
        let mut command = again("sixty_four_processes_share_a_folder", &folder);
        command.spawn().unwrap()
    };
    let children: Vec<Child> = (0..64).map(start).collect();
    let (mut hits, mut misses) = (0, 0);
    for child in children {
        let said = said(child);
        let (hit, miss) = said.split_once(' ').unwrap();
        hits += hit.parse::<u32>().unwrap();
        misses += miss.parse::<u32>().unwrap();
    }
    println!("{hits} hits, {misses} misses");
    assert!(hits > 0 && misses > 0);
    let files = fs::read_dir(&folder).unwrap().map(Result::unwrap);
    let (sizes, parts): (Vec<_>, Vec<_>) = files
        .map(|file| (file.metadata().unwrap().len(), file.file_name()))
        .partition(|(_, name)| name.len() == 64);
    assert!(parts.is_empty(), "{parts:?}");
    assert!(sizes.iter().map(|file| file.0).sum::<u64>() <= LIMIT);
}

/// Asks and keeps, keys in an order of this process's own; every answer is right or a plain miss.
fn race(folder: &Path) -> String {
    let cache = CodeCache::new(folder, LIMIT);
    let mut state = u64::from(std::process::id()) | 1;
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..100 {
        state = state.wrapping_mul(6_364_136_223_846_793_005) | 1;
        let key = key((state >> 61) as u8);
        let right = code(&key, 10_000);
        match cache.get(&key) {
            Ok(found) => {
                assert_eq!(found, right);
                hits += 1;
            }
            Err(miss) => {
                assert_eq!(miss, CacheMiss::Absent);
                cache.put(&key, CLASS, &right).unwrap();
                misses += 1;
            }
        }
    }
    format!("{hits} {misses}")
}

/// The system writes 4,096 bytes of a file and no more, as on a disk that is full.
#[test]
fn a_full_disk_costs_a_miss_and_leaves_nothing() {
    let Some(folder) = given() else {
        let whole = tempfile::tempdir().unwrap();
        let old = bundle();
        old.write(&whole.path().join("bundle")).unwrap();
        let mut command = again("a_full_disk_costs_a_miss_and_leaves_nothing", whole.path());
        let said = said(command.spawn().unwrap());
        assert_eq!(said, "cache_not_writable cache_absent bundle_not_writable");
        assert_eq!(Bundle::read(&whole.path().join("bundle")).unwrap(), old);
        let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
        assert_eq!(names(&whole.path().join("cache")), 0);
        assert_eq!(names(whole.path()), 2);
        return;
    };
    allow_files_of(4_096);
    let cache = CodeCache::new(&folder.join("cache"), 1 << 20);
    let put = cache.put(&key(1), CLASS, &code(&key(1), 10_000));
    let get = cache.get(&key(1));
    let mut large = bundle();
    large.entries[0].code = code(&large.entries[0].key, 10_000);
    let written = large.write(&folder.join("bundle"));
    println!(
        "\nchild: {} {} {}",
        put.unwrap_err().name(),
        get.unwrap_err().name(),
        written.unwrap_err().name()
    );
}

/// Writing beyond the limit fails with EFBIG from here on.
fn allow_files_of(bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: the signal is ignored, no handler runs; the limit is a plain struct that outlives the call.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}

/// A cache of root's, read-only for everybody else, serves a user without rights.
#[test]
fn another_user_reads_a_cache_of_root_and_keeps_nothing() {
    let name = "another_user_reads_a_cache_of_root_and_keeps_nothing";
    if let Some(folder) = given() {
        let cache = CodeCache::new(&folder, 1 << 20);
        let got = cache
            .get(&key(1))
            .is_ok_and(|found| found == code(&key(1), 100));
        let put = cache.put(&key(2), CLASS, &code(&key(2), 100));
        println!("\nchild: {got} {}", put.unwrap_err().name());
        return;
    }
    let whole = tempfile::tempdir().unwrap();
    let folder = whole.path().join("cache");
    let cache = CodeCache::new(&folder, 1 << 20);
    cache.put(&key(1), CLASS, &code(&key(1), 100)).unwrap();
    for path in [whole.path(), &folder] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    match again(name, &folder).uid(65_534).gid(65_534).spawn() {
        Ok(child) => assert_eq!(said(child), "true cache_not_writable"),
        Err(error) => println!("SKIP another user: no process can be started as one ({error})"),
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}
