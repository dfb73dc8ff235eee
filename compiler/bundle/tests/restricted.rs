//! Loading in processes that may not make memory executable in one way or another.
//!
//! A restriction cannot be taken back, so each test runs itself again in a child process, which
//! restricts itself, probes, and loads.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

use std::env;
use std::process::Command;

use tdse_backend::{CodeImage, EntryPoint, Slot};
use tdse_bundle::{LoadRefusal, Loader};
use tdse_isa::{Host, Level};
use tdse_tests::system_calls::{EXECUTABLE_MPROTECT, MEMFD, deny};

const CHILD: &str = "TDSE_RESTRICTED_CHILD";
const WRITES_42: &[u8] = &[0x48, 0x8b, 0x07, 0xc7, 0x00, 42, 0, 0, 0, 0xc3];

#[test]
fn unrestricted_uses_mprotect() {
    expect(
        "unrestricted_uses_mprotect",
        || true,
        "loaded by mprotect, answer 42",
    );
}

#[test]
fn memory_deny_write_execute_leaves_memfd() {
    let name = "memory_deny_write_execute_leaves_memfd";
    expect(name, deny_write_execute, "loaded by memfd, answer 42");
}

#[test]
fn without_mprotect_the_memfd_is_used() {
    let restrict = || deny(&[EXECUTABLE_MPROTECT]);
    expect(
        "without_mprotect_the_memfd_is_used",
        restrict,
        "loaded by memfd, answer 42",
    );
}

#[test]
fn without_memfd_mprotect_is_used() {
    let restrict = || deny(&[MEMFD]);
    expect(
        "without_memfd_mprotect_is_used",
        restrict,
        "loaded by mprotect, answer 42",
    );
}

#[test]
fn without_both_loading_is_refused() {
    let restrict = || deny(&[EXECUTABLE_MPROTECT, MEMFD]);
    let wanted = "refused 7001 executable_memory_not_permitted \
                  errno 13 mprotect from writable to executable, errno 1 memfd_create";
    expect("without_both_loading_is_refused", restrict, wanted);
}

/// In the parent: runs the test `name` in a child and compares what it says. In the child:
/// restricts, probes, loads, calls, and says what happened.
fn expect(name: &str, restrict: impl Fn() -> bool, wanted: &str) {
    if env::var_os(CHILD).is_some() {
        let restricted = restrict();
        println!(
            "\nchild: {}",
            if restricted {
                probe()
            } else {
                "unsupported".into()
            }
        );
        return;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = text.lines().find_map(|l| l.strip_prefix("child: "));
    if found == Some("unsupported") {
        println!("SKIP {name}: this kernel lacks the restriction");
        return;
    }
    assert_eq!(found, Some(wanted), "{output:?}");
}

fn probe() -> String {
    let loader = match Loader::probe_now() {
        Ok(loader) => loader,
        Err(refusal @ LoadRefusal::NotPermitted { mprotect, memfd }) => {
            return format!(
                "refused {} {} errno {} {}, errno {} {}",
                refusal.code(),
                refusal.name(),
                mprotect.os_error,
                mprotect.step,
                memfd.os_error,
                memfd.step
            );
        }
        Err(other) => return other.to_string(),
    };
    let image = CodeImage {
        kernel: "writes_42".into(),
        level: Level::Baseline,
        bytes: WRITES_42.to_vec(),
        entry: 0,
        listing: None,
    };
    let proof = Host::get().prove(Level::Baseline).unwrap();
    let code = loader.load(&image, proof).unwrap();
    let mut out = 0_i32;
    let slots = [Slot {
        pointer: (&raw mut out).cast(),
    }];
    // SAFETY: the code writes four bytes to its one slot.
    unsafe { code.call(slots.as_ptr()) };
    let before = (count("/proc/self/map_files"), count("/proc/self/fd"));
    for _ in 0..2_000 {
        drop(loader.load(&image, proof).unwrap());
    }
    assert_eq!(
        (count("/proc/self/map_files"), count("/proc/self/fd")),
        before
    );
    format!("loaded by {}, answer {out}", code.method())
}

/// Entries of a folder: open files, or mappings of files.
fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

/// `PR_SET_MDWE`, kernel 6.3 and later.
fn deny_write_execute() -> bool {
    const PR_SET_MDWE: libc::c_int = 65;
    const REFUSE_EXEC_GAIN: libc::c_ulong = 1;
    // SAFETY: `prctl` with integers only.
    unsafe { libc::prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0_u64, 0_u64, 0_u64) == 0 }
}
