//! Broken packs, NumPy and wave files, each with the number and name of its refusal.
#![allow(clippy::unwrap_used)]

mod numpy;
mod packs;
mod records;
#[path = "../specimen/mod.rs"]
mod specimen;
mod waves;

use serde_json::Value;
use specimen::{container, data, fmt, header, npz, record, riff};
use tdse_pack::npy::{pack_from_npy, pack_from_npz, write_npy};
use tdse_pack::wav::{WavOptions, pack_from_wav};
use tdse_pack::{Pack, PackError};

/// What was broken, the code and name expected, what came out.
pub(crate) struct Row {
    what: &'static str,
    code: u32,
    name: &'static str,
    error: PackError,
}

pub(crate) fn row(
    what: &'static str,
    code: u32,
    name: &'static str,
    result: Result<Pack, PackError>,
) -> Row {
    match result {
        Ok(_) => unreachable!("{what}: was accepted"),
        Err(error) => Row {
            what,
            code,
            name,
            error,
        },
    }
}

pub(crate) fn check(rows: &[Row]) {
    for Row {
        what,
        code,
        name,
        error,
    } in rows
    {
        assert_eq!(
            (error.code(), error.name()),
            (*code, *name),
            "{what}: {error}"
        );
        let text = error.to_string();
        assert!(text.len() > 20 && text.len() < 600, "{what}: {text}");
    }
}

/// The specimen with another record.
pub(crate) fn with_record(change: impl FnOnce(&mut Value)) -> Result<Pack, PackError> {
    let mut record = record();
    change(&mut record);
    Pack::from_bytes(&container(&header(&record).to_string(), &data()))
}

/// The specimen with another header.
pub(crate) fn with_header(change: impl FnOnce(&mut Value)) -> Result<Pack, PackError> {
    let mut header = header(&record());
    change(&mut header);
    Pack::from_bytes(&container(&header.to_string(), &data()))
}

/// The specimen with a piece of its header's text replaced.
pub(crate) fn with_text(from: &str, to: &str) -> Result<Pack, PackError> {
    let text = header(&record()).to_string();
    assert!(text.contains(from), "{from} is not in {text}");
    Pack::from_bytes(&container(&text.replacen(from, to, 1), &data()))
}

pub(crate) fn remove(object: &mut Value, key: &str) {
    assert!(object.as_object_mut().unwrap().remove(key).is_some());
}

#[test]
fn the_specimen_itself_is_sound() {
    assert_eq!(with_header(|_| ()).unwrap(), specimen::pack());
    assert_eq!(with_record(|_| ()).unwrap(), specimen::pack());
}

/// Every cut and some flips of small sound files: a refusal or a sound pack, never a panic.
#[test]
fn damage_to_importable_files_never_panics() {
    let array = write_npy(&[3, 2, 1], &[0.5, -1.0, 0.25, 2.0, 3.0, -4.0]);
    let archive = npz(&[("H.npy", &array), ("dt.npy", &write_npy(&[], &[0.5]))]);
    let wave = riff(&[(b"fmt ", &fmt(1, 2, 8000, 3, 24)), (b"data", &[1; 18])]);
    type Reader = fn(&[u8]) -> Result<Pack, PackError>;
    let readers: [(&[u8], Reader); 3] = [
        (&array, |bytes| pack_from_npy(bytes, 0.5)),
        (&archive, |bytes| pack_from_npz(bytes, Some(0.5))),
        (&wave, |bytes| pack_from_wav(bytes, &WavOptions::default())),
    ];
    for (sound, read) in readers {
        let expected = read(sound).unwrap();
        for end in 0..sound.len() {
            if let Ok(pack) = read(&sound[..end]) {
                assert_eq!(pack.identity(), expected.identity(), "cut at {end}");
            }
        }
        for at in 0..sound.len() {
            for flip in [0x01, 0x80] {
                let mut damaged = sound.to_vec();
                damaged[at] ^= flip;
                if let Ok(pack) = read(&damaged) {
                    let bytes = pack.to_bytes().unwrap();
                    assert_eq!(
                        Pack::from_bytes(&bytes).unwrap().identity(),
                        pack.identity()
                    );
                }
            }
        }
    }
}
