//! A bundle's bytes: what is written is read, and nothing else is.
#![allow(clippy::unwrap_used)]

mod samples;

use samples::bundle;
use tdse_bundle::Bundle;

#[test]
fn what_is_written_is_read() {
    let bundle = bundle();
    let bytes = bundle.encode().unwrap();
    assert_eq!(bytes, bundle.encode().unwrap());
    let read = Bundle::decode(&bytes).unwrap();
    assert_eq!(read, bundle);
    assert_eq!(read.encode().unwrap(), bytes);
    assert_eq!(read.code_sha256(), bundle.code_sha256());
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
