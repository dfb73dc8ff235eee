//! Code is loaded, called and unmapped; images that do not fit are refused.
#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let image = image(WRITES_42, 0);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Loads all the time, so that a scan meets every state of a mapping sooner or later.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                drop(loader.load_all(&[&image, &image], baseline()).unwrap());
            }
        });
        let scans = (0..300).map(|_| fs::read_to_string("/proc/self/maps").unwrap());
        let found = scans.filter(|maps| writable_and_executable(maps)).count();
        done.store(true, Ordering::Relaxed);
        assert_eq!(found, 0);
    });
    let _code = loader.load(&image, baseline()).unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    assert!(maps.contains(" r-xp "), "{maps}");
    assert!(!writable_and_executable(&maps), "{maps}");
    assert!(writable_and_executable("1000-2000 rwxp 0"));
}

fn writable_and_executable(maps: &str) -> bool {
    let rights = maps.lines().filter_map(|line| line.split(' ').nth(1));
    rights.into_iter().any(|r| r[1..].starts_with("wx"))
}

/// `mov rax, [rdi]; mov dword [rax], value; ret`
fn writes(value: u8) -> CodeImage {
    let mut image = image(WRITES_42, 0);
    image.kernel = format!("writes_{value}");
    image.bytes[5] = value;
    image
}

#[test]
fn images_loaded_together_share_a_mapping_until_the_last_is_dropped() {
    let loader = Loader::probe().as_ref().unwrap();
    let images: Vec<CodeImage> = (0..200).map(writes).collect();
    let images: Vec<&CodeImage> = images.iter().collect();
    let mut codes = loader.load_all(&images, baseline()).unwrap();
    for (value, code) in (0..).zip(&codes) {
        assert_eq!(answer(code), value);
        assert_eq!(code.kernel(), format!("writes_{value}"));
        assert_eq!(code.addresses().start % 64, 0);
        assert_eq!(code.addresses().len(), WRITES_42.len());
    }
    let mut places: Vec<_> = codes.iter().map(|code| code.addresses().start).collect();
    places.dedup();
    assert_eq!(places.len(), 200);
    let page = places[0] & !4095;
    assert_eq!(rights_at(page).as_deref(), Some("r-xp"));
    assert_eq!(rights_at(places[199]).as_deref(), Some("r-xp"));
    let last = codes.remove(123);
    drop(codes);
    assert_eq!(answer(&last), 123);
    drop(last);
    // Another test may have mapped something there by now, but not this code.
    assert!(loader.load_all(&[], baseline()).unwrap().is_empty());
}

/// Rights of the mapping that holds the address.
fn rights_at(address: usize) -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().find_map(|line| {
        let (place, rest) = line.split_once(' ')?;
        let (start, end) = place.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let place = number(start)?..number(end)?;
        place.contains(&address).then(|| rest[..4].to_owned())
    })
}

#[test]
fn images_are_loaded_together_or_not_at_all() {
    let loader = Loader::probe().as_ref().unwrap();
    let good = image(WRITES_42, 0);
    let mut other_level = image(WRITES_42, 0);
    other_level.level = Level::V4;
    for (bad, code) in [
        (image(WRITES_42, 10), 7003),
        (image(&[], 0), 7003),
        (other_level, 7004),
    ] {
        let refusal = loader.load_all(&[&good, &bad], baseline()).unwrap_err();
        assert_eq!(refusal.code(), code, "{refusal}");
    }
}

#[test]
fn names_for_profilers_are_written_on_request() {
    let loader = Loader::probe().as_ref().unwrap();
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let (mut named, plain) = (writes(1), writes(2));
    named.kernel = "one\nline".into();
    let codes = loader.load_all(&[&named, &plain], baseline()).unwrap();
    assert!(!fs::exists(&path).unwrap(), "nobody asked for {path}");
    loader.map_names(&[&codes[0]]).unwrap();
    loader.map_names(&[&codes[1]]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let expected = [(&codes[0], "one?line"), (&codes[1], "writes_2")]
        .map(|(code, name)| format!("{:x} a {name}\n", code.addresses().start));
    assert_eq!(text, expected.concat());
    fs::remove_file(&path).unwrap();
    // A link under the name that can be foreseen is not followed.
    let aside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(aside.path(), &path).unwrap();
    let refusal = loader.map_names(&[&codes[0]]).unwrap_err();
    fs::remove_file(&path).unwrap();
    assert_eq!(refusal.step, "opening the map of names for perf");
    assert_eq!(fs::read(aside.path()).unwrap(), b"");
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
    let (one, three) = (image(WRITES_42, 0), [writes(1), writes(2), writes(3)]);
    let [a, b, c] = &three;
    let cycle = |n: u32| {
        for turn in 0..n as usize / 2 {
            drop(loader.load(&one, baseline()).unwrap());
            let mut together = loader.load_all(&[a, b, c], baseline()).unwrap();
            // Whichever is dropped last takes the mapping along.
            together.swap(0, turn % 3);
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
