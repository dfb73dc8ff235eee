#![no_main]
//! A bundle's file: any bytes give a bundle or a named error, and a bundle is written as it was read.
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use tdse_bundle::Bundle;

fuzz_target!(|bytes: &[u8]| {
    let _ = Bundle::decode(bytes);
    // The digest refuses every change: made anew, it lets the change through to the parser.
    let mut sealed = bytes[..bytes.len().saturating_sub(32)].to_vec();
    sealed.extend_from_slice(&Sha256::digest(&sealed));
    if let Ok(bundle) = Bundle::decode(&sealed) {
        assert_eq!(bundle.encode().expect("what was read is written"), sealed);
    }
});
