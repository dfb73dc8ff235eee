//! A bundle's bytes: what is written is read, and nothing else is.
#![allow(clippy::unwrap_used)]

mod samples;

use samples::{bundle, entry, refused, resealed, with_header};
use tdse_bundle::{Bundle, BundleError};
use tdse_isa::Level;
use tdse_kir::{Contraction, Elem};

#[test]
fn what_is_written_is_read() {
    let mut empty = bundle();
    (empty.routes, empty.entries) = (Vec::new(), Vec::new());
    let mut narrow = bundle();
    (narrow.elem, narrow.contraction) = (Elem::F32, Contraction::Separate);
    narrow.made_by = "larger \"\\ ~".into();
    for bundle in [bundle(), empty, narrow] {
        let bytes = bundle.encode().unwrap();
        assert_eq!(bytes, bundle.encode().unwrap());
        let read = Bundle::decode(&bytes).unwrap();
        assert_eq!(read, bundle);
        assert_eq!(read.encode().unwrap(), bytes);
        assert_eq!(read.code_sha256(), bundle.code_sha256());
    }
}

#[test]
fn code_lies_at_multiples_of_a_line() {
    let bundle = bundle();
    let bytes = bundle.encode().unwrap();
    for entry in &bundle.entries {
        let lines = bytes.chunks(64);
        let head = &entry.code.bytes[..entry.code.bytes.len().min(16)];
        assert!(lines.into_iter().any(|line| line.starts_with(head)));
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = bundle().encode().unwrap();
    for at in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        assert!(Bundle::decode(&flipped).is_err(), "bit {at}");
    }
}

/// Whoever makes the digest anew may tell another story about routes; code stays where it belongs.
#[test]
fn a_flipped_bit_under_a_new_digest_never_moves_code() {
    let original = bundle();
    let bytes = original.encode().unwrap();
    let mut accepted = 0;
    for at in 0..(bytes.len() - 32) * 8 {
        let mut flipped = bytes.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        let flipped = resealed(flipped);
        let Ok(read) = Bundle::decode(&flipped) else {
            continue;
        };
        accepted += 1;
        assert_eq!(read.encode().unwrap(), flipped, "bit {at}");
        assert_ne!(read, original, "bit {at}");
        let mut rest = read.clone();
        rest.routes.clone_from(&original.routes);
        rest.made_by.clone_from(&original.made_by);
        assert_eq!(
            rest, original,
            "bit {at}: more than routes and made_by differ"
        );
    }
    assert!(accepted > 0, "made_by may say anything");
}

#[test]
fn every_truncation_and_every_appended_byte_is_refused() {
    let bytes = bundle().encode().unwrap();
    for len in 0..bytes.len() {
        assert!(Bundle::decode(&bytes[..len]).is_err(), "{len} bytes");
        if len >= 48 {
            let cut = resealed(bytes[..len].to_vec());
            assert!(Bundle::decode(&cut).is_err(), "{len} bytes, new digest");
        }
    }
    for byte in 0..=255 {
        let longer = [&bytes[..], &[byte]].concat();
        assert_eq!(refused(&longer).name(), "digest_mismatch");
        let mut longer = bytes[..bytes.len() - 32].to_vec();
        longer.resize(longer.len() + 33, byte);
        let refusal = refused(&resealed(longer));
        assert_eq!(refusal, BundleError::TrailingBytes { found: 1 });
    }
}

#[test]
fn code_swapped_between_two_bundles_is_refused() {
    let first = bundle();
    let mut second = bundle();
    second.pack_sha256 = [0xcd; 32];
    second.entries = vec![entry(4, 64), entry(5, 1), entry(6, 70)];
    let (a, b) = (first.encode().unwrap(), second.encode().unwrap());
    assert_eq!(a.len(), b.len());
    let place = |bytes: &[u8], code: &[u8]| {
        let found = bytes.windows(code.len()).rposition(|part| part == code);
        found.unwrap()
    };
    for (mine, theirs) in first.entries.iter().zip(&second.entries) {
        let (mine, theirs) = (&mine.code.bytes, &theirs.code.bytes);
        let at = place(&a[..a.len() - 32], mine);
        let mut swapped = a.clone();
        swapped[at..at + theirs.len()].copy_from_slice(theirs);
        assert_eq!(refused(&swapped).name(), "digest_mismatch");
        assert_eq!(refused(&resealed(swapped)).name(), "entry_digest_mismatch");
    }
}

/// Key, class, entry, digest and code together, moved to another bundle or to another index.
#[test]
fn whole_entries_do_not_move() {
    type Row = (&'static str, fn(&mut Bundle));
    let edits: [Row; 6] = [
        ("another pack", |b| b.pack_sha256[31] ^= 1),
        ("another shape", |b| b.shape = [512, 2, 3]),
        ("another element type", |b| b.elem = Elem::F32),
        ("another level", |b| {
            b.level = Level::V4;
            for entry in &mut b.entries {
                (entry.key.level, entry.code.level) = (Level::V4, Level::V4);
            }
        }),
        ("another rounding", |b| {
            b.contraction = Contraction::Separate
        }),
        ("another index", |b| b.entries.rotate_left(1)),
    ];
    for (name, edit) in edits {
        let mut other = bundle();
        edit(&mut other);
        let (a, b) = (bundle().encode().unwrap(), other.encode().unwrap());
        // The other bundle as it stands, but with the digests of the pieces as they were here.
        let mut text = samples::header(&b);
        let (mine, theirs) = (digests(&a), digests(&b));
        let mut order: Vec<usize> = (0..mine.len()).collect();
        if name == "another index" {
            order.rotate_left(1);
        }
        for (theirs, &at) in theirs.iter().zip(&order) {
            assert_ne!(&mine[at], theirs, "{name}");
            text = text.replace(theirs, &mine[at]);
        }
        let refusal = refused(&with_header(&b, &text));
        assert_eq!(refusal.name(), "entry_digest_mismatch", "{name}");
    }
}

/// The digest of each piece of code, as the header has it.
fn digests(bytes: &[u8]) -> Vec<String> {
    let text = samples::header(bytes);
    let parts = text.split("\"sha256\":\"").skip(1);
    parts.map(|rest| rest[..64].to_owned()).collect()
}

#[test]
fn what_was_made_by_whom_does_not_bind_code() {
    let mut other = bundle();
    other.made_by = "tdse 9.9.9".into();
    let (a, b) = (bundle().encode().unwrap(), other.encode().unwrap());
    assert_eq!(digests(&a), digests(&b));
    assert_eq!(bundle().code_sha256(), other.code_sha256());
}

#[test]
fn the_digest_of_all_code_knows_each_byte_and_each_border() {
    let original = bundle();
    let mut moved = original.clone();
    let byte = moved.entries[0].code.bytes.pop().unwrap();
    moved.entries[1].code.bytes.insert(0, byte);
    let mut changed = original.clone();
    changed.entries[2].code.bytes[69] ^= 1;
    let mut turned = original.clone();
    turned.entries.rotate_left(1);
    let mut seen: Vec<_> = [original, moved, changed, turned]
        .iter()
        .map(Bundle::code_sha256)
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 4);
}

#[test]
fn random_bytes_are_refused() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let sound = bundle().encode().unwrap();
    for _ in 0..20_000 {
        let len = (random() % 300) as usize;
        let mut bytes: Vec<u8> = (0..len).map(|_| random() as u8).collect();
        assert!(Bundle::decode(&bytes).is_err());
        // Deeper in: a right prefix and a right digest around the garbage.
        let keep = (random() % 16 + 1) as usize;
        bytes.splice(..0, sound[..keep].iter().copied());
        bytes.resize(bytes.len().max(48), 0);
        assert!(Bundle::decode(&resealed(bytes)).is_err());
        // And a sound file with a few bytes changed under a new digest.
        let mut bytes = sound.clone();
        for _ in 0..=random() % 4 {
            let at = random() as usize % (bytes.len() - 32);
            bytes[at] = random() as u8;
        }
        let bytes = resealed(bytes);
        if let Ok(read) = Bundle::decode(&bytes) {
            assert_eq!(read.encode().unwrap(), bytes);
        }
    }
}
