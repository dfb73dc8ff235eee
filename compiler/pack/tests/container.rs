//! The container keeps every bit, and the identity is the content's alone.
#![allow(clippy::unwrap_used)]

mod specimen;

use std::collections::HashMap;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;
use sha2::{Digest, Sha256};
use specimen::{container, data, floats, header, pack, parts, record};
use tdse_pack::{CONTENT_DOMAIN, MAX_TAPS, Pack, PackParts, Shape};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn bytes_and_pack_round_trip() {
    let pack = pack();
    let bytes = pack.to_bytes().unwrap();
    let again = Pack::from_bytes(&bytes).unwrap();
    assert_eq!(again, pack);
    assert_eq!(bits(again.taps()), bits(pack.taps()));
    assert_eq!(bits(again.ir().unwrap()), bits(pack.ir().unwrap())); // also -0.0
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert_eq!(again.ir_steps(), 2);
    assert_eq!(again.tap(1), &pack.taps()[4..8]);
    assert!(again.tap(3).is_empty());
}

#[test]
fn time_steps_come_back_exact() {
    // A parser that rounds twice loses a bit on some of these.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..2000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let dt = f64::from_bits((state >> 12) | (0x3bf + (state & 63)) << 52);
        let bytes = Pack::from_parts(PackParts { dt, ..parts() });
        let bytes = bytes.unwrap().to_bytes().unwrap();
        assert_eq!(
            Pack::from_bytes(&bytes).unwrap().dt().to_bits(),
            dt.to_bits()
        );
    }
}

#[test]
fn odd_shapes_round_trip() {
    for (nh, nq, np) in [
        (1, 1, 1),
        (1, 1, 7),
        (2, 3, 1),
        (5, 1, 3),
        (17, 2, 2),
        (257, 3, 5),
    ] {
        let taps = (0..nh * nq * np).map(|i| (i as f64).sin()).collect();
        let pack = Pack::from_parts(PackParts {
            shape: Shape::new(nh, nq, np).unwrap(),
            dt: 1e-12,
            taps,
            ir: None,
            inputs: vec![],
            outputs: vec![],
            made_by: json!({}),
        })
        .unwrap();
        assert_eq!(Pack::from_bytes(&pack.to_bytes().unwrap()).unwrap(), pack);
    }
}

/// The same tensors written by hand in three other layouts.
#[test]
fn identity_does_not_see_the_layout() {
    let expected = *pack().identity();
    let canonical = pack().to_bytes().unwrap();

    let split = data();
    let ir_first = [&split[96..], &split[..96]].concat();
    let mut swapped = header(&record());
    swapped["H"]["data_offsets"] = json!([32, 128]);
    swapped["IR"]["data_offsets"] = json!([0, 32]);
    let reordered = container(&swapped.to_string(), &ir_first);

    let padded = container(
        &format!("{}{}", header(&record()), " ".repeat(4096 + 3)),
        &split,
    );
    let indented = serde_json::to_string_pretty(&header(&record())).unwrap();
    let spread = container(&indented, &split);

    for bytes in [reordered, padded, spread] {
        assert_ne!(bytes, canonical);
        let pack = Pack::from_bytes(&bytes).unwrap();
        assert_eq!(*pack.identity(), expected);
        assert_eq!(pack.to_bytes().unwrap(), canonical);
    }
}

#[test]
fn identity_does_not_see_made_by_but_everything_else() {
    let expected = *pack().identity();
    let identity = |parts: PackParts| *Pack::from_parts(parts).unwrap().identity();
    let made_by = json!({"importer": "another", "window": "hann"});
    assert_eq!(identity(PackParts { made_by, ..parts() }), expected);

    let mut one_bit = parts();
    one_bit.taps[7] = f64::from_bits(one_bit.taps[7].to_bits() ^ 1);
    let mut sign_of_zero = parts();
    sign_of_zero.ir = Some(vec![1.0, -2.0, 0.25, 0.0]);
    let different = [
        one_bit,
        sign_of_zero,
        PackParts {
            dt: 1.0 / 48000.0,
            ..parts()
        },
        PackParts {
            ir: None,
            ..parts()
        },
        PackParts {
            inputs: vec![],
            ..parts()
        },
        PackParts {
            outputs: vec!["near".into(), "fa".into()],
            ..parts()
        },
        PackParts {
            inputs: parts().outputs,
            outputs: parts().inputs,
            ..parts()
        },
        PackParts {
            shape: Shape::new(12, 1, 1).unwrap(),
            inputs: vec![],
            outputs: vec![],
            ..parts()
        },
    ];
    let mut seen = vec![expected];
    for parts in different {
        let found = identity(parts);
        assert!(!seen.contains(&found));
        seen.push(found);
    }
}

/// The canonical form, written out a second time.
#[test]
fn identity_is_the_hash_of_the_documented_form() {
    let parts = parts();
    let mut form = CONTENT_DOMAIN.to_vec();
    for count in [3u64, 2, 2] {
        form.extend_from_slice(&count.to_le_bytes());
    }
    form.extend_from_slice(&floats(&[parts.dt]));
    form.extend_from_slice(&floats(&parts.taps));
    form.extend_from_slice(&2u64.to_le_bytes());
    form.extend_from_slice(&floats(parts.ir.as_ref().unwrap()));
    for names in [&parts.inputs, &parts.outputs] {
        form.extend_from_slice(&(names.len() as u64).to_le_bytes());
        for name in names {
            form.extend_from_slice(&(name.len() as u64).to_le_bytes());
            form.extend_from_slice(name.as_bytes());
        }
    }
    let identity = *pack().identity();
    assert_eq!(identity.sha256, <[u8; 32]>::from(Sha256::digest(&form)));
    assert_eq!(identity.blake3, *blake3::hash(&form).as_bytes());
    assert_eq!(
        identity.blake3_hex(),
        blake3::hash(&form).to_hex().to_string()
    );
    assert_eq!(identity.sha256_hex().len(), 64);
}

#[test]
fn the_safetensors_crate_reads_what_is_written() {
    let bytes = pack().to_bytes().unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let taps = tensors.tensor("H").unwrap();
    assert_eq!(taps.shape(), [3, 2, 2]);
    assert_eq!(taps.data(), floats(pack().taps()));
    assert_eq!(tensors.tensor("IR").unwrap().shape(), [2, 2]);
    let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(metadata.metadata().as_ref().unwrap().len(), 1);
}

#[test]
fn what_the_safetensors_crate_writes_is_read() {
    let split = data();
    let view = |shape: &[usize], bytes| TensorView::new(Dtype::F64, shape.to_vec(), bytes).unwrap();
    let tensors = [
        ("IR", view(&[2, 2], &split[96..])),
        ("H", view(&[3, 2, 2], &split[..96])),
    ];
    let metadata = HashMap::from([("tdse".to_owned(), record().to_string())]);
    let bytes = safetensors::serialize(tensors, Some(metadata)).unwrap();
    assert_eq!(Pack::from_bytes(&bytes).unwrap(), pack());
}

#[test]
fn a_file_is_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("line.tdse");
    std::fs::write(&path, b"older").unwrap();
    pack().write(&path).unwrap();
    assert_eq!(Pack::read(&path).unwrap(), pack());
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o600, 0o600);
        assert_eq!(mode & 0o133, 0);
    }
}

#[test]
fn a_refused_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("folder.tdse");
    std::fs::create_dir(&taken).unwrap();
    let error = pack().write(&taken).unwrap_err();
    assert_eq!((error.code(), error.name()), (1002, "file_not_writable"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let error = pack()
        .write(&folder.path().join("absent/x.tdse"))
        .unwrap_err();
    assert_eq!(error.code(), 1002);
    let huge = folder.path().join("huge.tdse");
    let file = std::fs::File::create(&huge).unwrap();
    file.set_len(tdse_pack::MAX_FILE_BYTES + 1).unwrap(); // sparse: no block is written
    let error = Pack::read(&huge).unwrap_err();
    assert_eq!((error.code(), error.name()), (1003, "file_too_large"));
    let error = Pack::read(&folder.path().join("absent.tdse")).unwrap_err();
    assert_eq!((error.code(), error.name()), (1001, "file_not_readable"));
}

#[test]
fn shapes_are_bounded_before_anything_is_allocated() {
    let code = |nh, nq, np| Shape::new(nh, nq, np).unwrap_err().code();
    for (nh, nq, np) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, usize::MAX, 2)] {
        assert_eq!(code(nh, nq, np), 1201);
    }
    for (nh, nq, np) in [
        (MAX_TAPS + 1, 1, 1),
        (usize::MAX, 1, 1),
        (1 << 32, 1 << 32, 1),
        (usize::MAX, usize::MAX, usize::MAX),
        (1 << 20, 1 << 5, 1 << 4),
    ] {
        assert_eq!(code(nh, nq, np), 1202);
    }
    assert_eq!(Shape::new(1 << 20, 1 << 4, 1 << 4).unwrap().len(), MAX_TAPS);
}

/// Cuts and flips at every byte: an error, or the very same content.
#[test]
fn damage_never_panics_and_never_changes_numbers_unseen() {
    let bytes = pack().to_bytes().unwrap();
    for end in 0..bytes.len() {
        assert!(Pack::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
    let data_at = bytes.len() - 128;
    for at in 0..bytes.len() {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let Ok(found) = Pack::from_bytes(&damaged) else {
                continue;
            };
            // What still reads is sound again; sizes cannot change, and the time step neither.
            assert_eq!(Pack::from_bytes(&found.to_bytes().unwrap()).unwrap(), found);
            assert_eq!(found.shape(), pack().shape());
            assert_eq!(found.dt().to_bits(), pack().dt().to_bits());
            if at >= data_at {
                // Another value of a tensor: another identity.
                assert_ne!(found.identity(), pack().identity());
            } else {
                // Names and remarks are free text; the numbers stay.
                assert_eq!(bits(found.taps()), bits(pack().taps()));
                let names = (found.inputs(), found.outputs());
                let same_names = names == (pack().inputs(), pack().outputs());
                assert_eq!(same_names, found.identity() == pack().identity());
            }
        }
    }
}
