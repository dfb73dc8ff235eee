//! Bundles and keys that several test programs use, and files that are broken on purpose.
#![allow(dead_code, unreachable_pub)] // each test binary uses its own part

use sha2::{Digest, Sha256};
use tdse_backend::CodeImage;
use tdse_bundle::{Bundle, BundleEntry, BundleError, BundleRoute, CodeKey};
use tdse_isa::Level;
use tdse_kir::{Contraction, Elem};

/// A key whose fields are all made of `seed`.
pub fn key(seed: u8) -> CodeKey {
    CodeKey {
        kernel: format!("kernel_{seed}"),
        kir_sha256: [seed; 32],
        generator: "llvm 22.1.8 lowering 1 widest".into(),
        level: Level::V3,
    }
}

/// Code of `len` bytes for the key.
pub fn code(key: &CodeKey, len: usize) -> CodeImage {
    CodeImage {
        kernel: key.kernel.clone(),
        level: key.level,
        bytes: (0..len).map(|at| key.kir_sha256[0] ^ at as u8).collect(),
        entry: len / 2,
        listing: None,
    }
}

pub fn entry(seed: u8, len: usize) -> BundleEntry {
    let key = key(seed);
    BundleEntry {
        class: "direct(partials = 8, fma)".into(),
        code: code(&key, len),
        key,
    }
}

/// Two routes over three pieces of code, one of exactly 64 bytes and one of a single byte.
pub fn bundle() -> Bundle {
    Bundle {
        pack_sha256: [0xab; 32],
        shape: [512, 3, 2],
        elem: Elem::F64,
        level: Level::V3,
        contraction: Contraction::Fma,
        made_by: "tdse 0.1.0".into(),
        routes: vec![
            BundleRoute {
                route: "relaxed_fft".into(),
                plan: Some("relaxed_fft:burst:t8,f32,f128".into()),
                tier: "llvm".into(),
                schedule: "taps:r2:g2".into(),
                levels_tier: Some("portable".into()),
                numeric_class: "relaxed_fft(fma)".into(),
                kernels: vec![2, 0],
            },
            BundleRoute {
                route: "generic".into(),
                plan: None,
                tier: "llvm".into(),
                schedule: "taps:r2:g2".into(),
                levels_tier: None,
                numeric_class: "direct(partials = 8, fma)".into(),
                kernels: vec![1],
            },
        ],
        entries: vec![entry(1, 64), entry(2, 1), entry(3, 70)],
    }
}

/// The file's bytes with the digest at their end made anew.
pub fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 32);
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

/// The header's text.
pub fn header(bytes: &[u8]) -> String {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    String::from_utf8(bytes[16..16 + length].to_vec()).unwrap()
}

/// The file with another header; code moves to where it then belongs, and the digest is made anew.
pub fn with_header(bytes: &[u8], text: &str) -> Vec<u8> {
    let old_end = 16 + header(bytes).len();
    let mut out = bytes[..12].to_vec();
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.resize(out.len().next_multiple_of(64), 0);
    out.extend_from_slice(&bytes[old_end.next_multiple_of(64)..]);
    resealed(out)
}

/// Why these bytes are no bundle.
pub fn refused(bytes: &[u8]) -> BundleError {
    Bundle::decode(bytes).unwrap_err()
}

/// The header's text with `from`, which stands there, replaced once.
pub fn edited(from: &str, to: &str) -> BundleError {
    let bytes = bundle().encode().unwrap();
    let text = header(&bytes);
    assert!(text.contains(from), "{from} is not in {text}");
    refused(&with_header(&bytes, &text.replacen(from, to, 1)))
}
