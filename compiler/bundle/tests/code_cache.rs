//! The cache: the right code or a miss with its reason, whatever stands in the folder.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod samples;

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use samples::{code, key, resealed};
use tdse_bundle::{Bundle, CacheMiss, CodeCache, CodeKey};
use tdse_isa::Level;

const CLASS: &str = "direct(partials = 8, fma)";

struct Folder {
    whole: tempfile::TempDir,
    cache: CodeCache,
}

impl Folder {
    fn new() -> Folder {
        Folder::limited(1 << 20)
    }

    fn limited(limit_bytes: u64) -> Folder {
        let whole = tempfile::tempdir().unwrap();
        let cache = CodeCache::new(&whole.path().join("a/cache"), limit_bytes);
        Folder { whole, cache }
    }

    fn path(&self) -> PathBuf {
        self.whole.path().join("a/cache")
    }

    fn file_of(&self, key: &CodeKey) -> PathBuf {
        let digits = key.digest().map(|byte| format!("{byte:02x}"));
        self.path().join(digits.concat())
    }

    fn put(&self, key: &CodeKey, len: usize) -> Result<(), CacheMiss> {
        self.cache.put(key, CLASS, &code(key, len))
    }

    fn miss(&self, key: &CodeKey) -> CacheMiss {
        self.cache.get(key).unwrap_err()
    }

    /// A cache that holds code of `key(1)`.
    fn with_code() -> Folder {
        let folder = Folder::new();
        folder.put(&key(1), 100).unwrap();
        folder
    }
}

#[test]
fn what_is_put_is_got() {
    let folder = Folder::new();
    assert_eq!(folder.miss(&key(1)), CacheMiss::Absent);
    assert!(!folder.path().exists(), "asking makes no folder");
    for len in [1, 64, 100_000] {
        folder.put(&key(1), len).unwrap();
        assert_eq!(folder.cache.get(&key(1)).unwrap(), code(&key(1), len));
    }
    assert_eq!(folder.miss(&key(2)), CacheMiss::Absent);
    assert!(folder.file_of(&key(1)).is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// Code of a key that differs in one field, under the name of the key that is asked for.
#[test]
fn each_field_of_the_key_is_compared_after_the_hash() {
    type Row = (&'static str, fn(&mut CodeKey));
    let edits: [Row; 4] = [
        ("kernel: ", |k| k.kernel.push('x')),
        ("kernel text (SHA-256): ", |k| k.kir_sha256[0] ^= 1),
        ("generator: ", |k| k.generator.push('0')),
        ("level: ", |k| k.level = Level::V4),
    ];
    for (field, edit) in edits {
        let folder = Folder::new();
        let mut other = key(1);
        edit(&mut other);
        folder.put(&other, 100).unwrap();
        assert_eq!(folder.miss(&key(1)), CacheMiss::Absent);
        fs::rename(folder.file_of(&other), folder.file_of(&key(1))).unwrap();
        let miss = folder.miss(&key(1));
        let CacheMiss::OtherKey { difference, .. } = &miss else {
            panic!("{miss}");
        };
        assert!(difference.starts_with(field), "{difference}");
        assert!(!difference.contains("; "), "{difference}");
    }
}

#[test]
fn a_damaged_file_is_a_miss_until_it_is_written_again() {
    let folder = Folder::with_code();
    let file = folder.file_of(&key(1));
    let sound = fs::read(&file).unwrap();
    let bundle = samples::bundle().encode().unwrap();
    let flipped = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 4;
        bytes
    };
    for (bytes, fault) in [
        (Vec::new(), "cut_off"),
        (
            b"garbage, longer than a prefix and a digest together are".to_vec(),
            "not_a_bundle",
        ),
        (bundle, "not_a_bundle"),
        (sound[..sound.len() - 1].to_vec(), "digest_mismatch"),
        (flipped(sound.len() - 40), "digest_mismatch"),
        (resealed(flipped(sound.len() - 40)), "entry_digest_mismatch"),
        (resealed([&sound[..], &[0; 64]].concat()), "trailing_bytes"),
    ] {
        fs::write(&file, bytes).unwrap();
        let miss = folder.miss(&key(1));
        let CacheMiss::Damaged { fault: found, .. } = &miss else {
            panic!("{miss}");
        };
        assert_eq!(found.name(), fault, "{miss}");
        folder.put(&key(1), 100).unwrap();
        folder.cache.get(&key(1)).unwrap();
    }
    File::create(&file).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(folder.miss(&key(1)).name(), "cache_damaged");
    // The two kinds of files are not taken for each other.
    assert_eq!(Bundle::decode(&sound).unwrap_err().name(), "not_a_bundle");
}

#[test]
fn a_flipped_bit_in_any_byte_and_every_truncation_is_a_miss() {
    let folder = Folder::with_code();
    let file = folder.file_of(&key(1));
    let sound = fs::read(&file).unwrap();
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&file, &bytes).unwrap();
        assert_eq!(folder.miss(&key(1)).name(), "cache_damaged", "byte {at}");
    }
    for len in 0..sound.len() {
        fs::write(&file, &sound[..len]).unwrap();
        assert_eq!(folder.miss(&key(1)).name(), "cache_damaged", "{len} bytes");
    }
}

#[test]
fn what_is_no_file_of_the_cache_is_a_miss_without_waiting() {
    let name = |folder: &Folder| folder.miss(&key(1)).name();
    let folder = Folder::with_code();
    let file = folder.file_of(&key(1));
    fs::remove_file(&file).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(name(&folder), "cache_file_not_trusted");
    // Writing puts the code in its place.
    folder.put(&key(1), 100).unwrap();
    folder.cache.get(&key(1)).unwrap();

    let elsewhere = folder.whole.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert_eq!(name(&folder), "cache_file_not_trusted");
    folder.put(&key(1), 100).unwrap();
    folder.cache.get(&key(1)).unwrap();

    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(name(&folder), "cache_file_not_trusted");
    // A folder is nobody's code: it stays, and so does the miss.
    assert_eq!(
        folder.put(&key(1), 100).unwrap_err().name(),
        "cache_not_writable"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_others_could_write_to_is_not_used() {
    let both = |folder: &Folder, name: &str| {
        assert_eq!(folder.miss(&key(1)).name(), name);
        assert_eq!(folder.put(&key(1), 100).unwrap_err().name(), name);
    };
    let folder = Folder::with_code();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    for bits in [0o770, 0o702, 0o1777] {
        mode(&folder.path(), bits).unwrap();
        both(&folder, "cache_folder_not_trusted");
    }
    mode(&folder.path(), 0o755).unwrap();
    let file = folder.file_of(&key(1));
    for bits in [0o620, 0o602] {
        mode(&file, bits).unwrap();
        assert_eq!(folder.miss(&key(1)).name(), "cache_file_not_trusted");
    }
    mode(&file, 0o644).unwrap();
    folder.cache.get(&key(1)).unwrap();
    // A link instead of the folder, also with a slash behind its name.
    let link = folder.whole.path().join("link");
    symlink(folder.path(), &link).unwrap();
    for path in [link.clone(), link.join("")] {
        let cache = CodeCache::new(&path, 1 << 20);
        assert_eq!(
            cache.get(&key(1)).unwrap_err().name(),
            "cache_folder_not_trusted"
        );
        let put = cache.put(&key(1), CLASS, &code(&key(1), 9));
        assert_eq!(put.unwrap_err().name(), "cache_folder_not_trusted");
    }
    if chown(&file, Some(65_534), None).is_err() {
        println!("SKIP files of another user: only root can make them");
        return;
    }
    assert_eq!(folder.miss(&key(1)).name(), "cache_file_not_trusted");
    chown(folder.path(), Some(65_534), None).unwrap();
    both(&folder, "cache_folder_not_trusted");
}

#[test]
fn no_folder_at_all_is_a_miss() {
    let folder = Folder::with_code();
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(folder.miss(&key(1)), CacheMiss::Absent);
    folder.put(&key(1), 100).unwrap();
    folder.cache.get(&key(1)).unwrap();
    let file = folder.whole.path().join("file");
    File::create(&file).unwrap();
    for (path, get, put) in [
        (
            file.clone(),
            "cache_folder_not_trusted",
            "cache_not_writable",
        ),
        (
            file.join("below"),
            "cache_folder_not_trusted",
            "cache_not_writable",
        ),
        (PathBuf::new(), "cache_absent", "cache_not_writable"),
        (
            PathBuf::from("/proc/nothing"),
            "cache_absent",
            "cache_not_writable",
        ),
    ] {
        let cache = CodeCache::new(&path, 1 << 20);
        assert_eq!(cache.get(&key(1)).unwrap_err().name(), get, "{path:?}");
        let refused = cache.put(&key(1), CLASS, &code(&key(1), 9)).unwrap_err();
        assert_eq!(refused.name(), put, "{path:?}");
    }
    let pipe = folder.whole.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let cache = CodeCache::new(&pipe, 1 << 20);
    assert_eq!(
        cache.get(&key(1)).unwrap_err().name(),
        "cache_folder_not_trusted"
    );
}

#[test]
fn code_that_does_not_fit_its_key_is_not_kept() {
    let folder = Folder::new();
    let miss = folder.cache.put(&key(1), CLASS, &code(&key(2), 9));
    assert_eq!(miss.unwrap_err().name(), "cache_not_storable");
    let miss = folder.cache.put(&key(1), "", &code(&key(1), 9));
    assert_eq!(miss.unwrap_err().name(), "cache_not_storable");
    assert!(!folder.path().exists());
}

/// Bytes of all files in the cache.
fn total(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[test]
fn the_oldest_go_when_the_limit_is_passed() {
    let limit = 5_000;
    let folder = Folder::limited(limit);
    let mut size = 0;
    for seed in 1..=30 {
        folder.put(&key(seed), 500).unwrap();
        size = fs::metadata(folder.file_of(&key(seed))).unwrap().len();
        assert!(total(&folder.path()) <= limit, "after {seed}");
        // Clocks of file systems tick too slowly for a test: each file a minute after the one before.
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + u64::from(seed) * 60);
        let file = File::options().write(true).open(folder.file_of(&key(seed)));
        file.unwrap().set_modified(at).unwrap();
    }
    let kept = (1..=30).filter(|&seed| folder.cache.get(&key(seed)).is_ok());
    let kept: Vec<u8> = kept.collect();
    let room = limit / size;
    assert!(room >= 3, "{size}");
    let expected: Vec<u8> = (31 - room as u8..=30).collect();
    assert_eq!(kept, expected);
    // Larger than everything together may be: not kept, and nothing else goes for it.
    let refused = folder.put(&key(99), 6_000).unwrap_err();
    assert_eq!(refused.name(), "larger_than_cache");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count() as u64, room);
    // A lower limit takes effect with the next file.
    let small = CodeCache::new(&folder.path(), size);
    small.put(&key(1), CLASS, &code(&key(1), 500)).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    small.get(&key(1)).unwrap();
}

#[test]
fn only_files_of_the_cache_are_removed() {
    let folder = Folder::limited(1_200);
    folder.put(&key(1), 100).unwrap();
    let at = |name: &str| folder.path().join(name);
    let old = SystemTime::now() - Duration::from_secs(2 * 3600);
    let make = |name: &str, modified: SystemTime| {
        let file = File::create(at(name)).unwrap();
        file.set_len(10_000).unwrap();
        file.set_modified(modified).unwrap();
    };
    let foreign = "f".repeat(63);
    make("notes.txt", old);
    make(&foreign, old);
    make(".tdse-1-0.part", old);
    make(".tdse-1-1.part", SystemTime::now());
    for folder in [&"e".repeat(64), ".tdse-2-0.part"] {
        fs::create_dir(at(folder)).unwrap();
        File::open(at(folder)).unwrap().set_modified(old).unwrap();
    }
    folder.put(&key(2), 700).unwrap();
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let own = folder.file_of(&key(2));
    let own = own.file_name().unwrap().to_str().unwrap();
    let mut expected = [
        ".tdse-1-1.part",
        ".tdse-2-0.part",
        &"e".repeat(64),
        &foreign,
        own,
        "notes.txt",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
}
