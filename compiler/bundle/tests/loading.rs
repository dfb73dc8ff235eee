//! Code is loaded, called and unmapped; images that do not fit are refused.
#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;

use tdse_backend::{CodeImage, EntryPoint, Slot};
use tdse_bundle::{LoadRefusal, Loader, MapMethod};
use tdse_isa::{Host, Level, Proof};

/// `mov rax, [rdi]; mov dword [rax], 42; ret`: writes 42 to the first buffer.
const WRITES_42: &[u8] = &[0x48, 0x8b, 0x07, 0xc7, 0x00, 42, 0, 0, 0, 0xc3];

fn image(bytes: &[u8], entry: usize) -> CodeImage {
    CodeImage {
        kernel: "writes_42".into(),
        level: Level::Baseline,
        bytes: bytes.to_vec(),
        entry,
        listing: None,
    }
}

fn baseline() -> Proof {
    Host::get().prove(Level::Baseline).unwrap()
}

fn answer(code: &dyn EntryPoint) -> i32 {
    let mut out = 0_i32;
    let slots = [Slot {
        pointer: (&raw mut out).cast(),
    }];
    // SAFETY: the code writes four bytes to its one slot.
    unsafe { code.call(slots.as_ptr()) };
    out
}

#[test]
fn code_runs_from_its_entry() {
    let loader = Loader::probe().as_ref().unwrap();
    let mut shifted = vec![0xcc; 5];
    shifted.extend_from_slice(WRITES_42);
    for (bytes, entry) in [(WRITES_42, 0), (&shifted[..], 5)] {
        let code = loader.load(&image(bytes, entry), baseline()).unwrap();
        assert_eq!(answer(&code), 42);
        assert_eq!(code.kernel(), "writes_42");
        assert_eq!(code.method(), loader.method());
    }
}

#[test]
fn code_runs_on_another_thread() {
    let loader = Loader::probe().as_ref().unwrap();
    let code = Arc::new(loader.load(&image(WRITES_42, 0), baseline()).unwrap());
    let there = Arc::clone(&code);
    let found = std::thread::spawn(move || answer(&*there)).join().unwrap();
    assert_eq!((found, answer(&*code)), (42, 42));
}

#[test]
fn no_page_is_writable_and_executable() {
    let loader = Loader::probe().as_ref().unwrap();
    let _code = loader.load(&image(WRITES_42, 0), baseline()).unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let rights: Vec<&str> = maps.lines().filter_map(|l| l.split(' ').nth(1)).collect();
    assert!(rights.iter().any(|r| r.starts_with("r-x")));
    assert!(
        !rights
            .iter()
            .any(|r| r.starts_with("rwx") || r.starts_with("-wx")),
        "{maps}"
    );
}

#[test]
fn unfit_images_are_refused() {
    let loader = Loader::probe().as_ref().unwrap();
    for (bytes, entry) in [
        (&[][..], 0),
        (WRITES_42, WRITES_42.len()),
        (WRITES_42, usize::MAX),
    ] {
        let refusal = loader.load(&image(bytes, entry), baseline()).unwrap_err();
        assert!(
            matches!(refusal, LoadRefusal::EntryOutside { .. }),
            "{refusal}"
        );
        assert_eq!(
            (refusal.code(), refusal.name()),
            (7003, "entry_outside_code")
        );
    }
    let mut other = image(WRITES_42, 0);
    other.level = Level::V4;
    let refusal = loader.load(&other, baseline()).unwrap_err();
    assert_eq!((refusal.code(), refusal.name()), (7004, "level_not_proven"));
}

#[test]
fn a_hundred_thousand_loads_leave_nothing_behind() {
    let loader = Loader::probe().as_ref().unwrap();
    assert_eq!(
        loader.method(),
        MapMethod::Mprotect,
        "this machine is not restricted"
    );
    let image = image(WRITES_42, 0);
    let cycle = |n: u32| {
        for _ in 0..n {
            drop(loader.load(&image, baseline()).unwrap());
        }
    };
    cycle(1_000);
    let before = (mappings(), resident_pages());
    cycle(100_000);
    let after = (mappings(), resident_pages());
    // Other tests of this process map and unmap at the same time.
    assert!(
        after.0 <= before.0 + 40,
        "mappings: {} before, {} after",
        before.0,
        after.0
    );
    assert!(
        after.1 <= before.1 + 1_000,
        "resident pages: {} before, {} after",
        before.1,
        after.1
    );
}

fn mappings() -> usize {
    fs::read_to_string("/proc/self/maps")
        .unwrap()
        .lines()
        .count()
}

fn resident_pages() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse().unwrap()
}
