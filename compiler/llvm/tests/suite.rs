//! What every backend is held to, for this one.
#![cfg(feature = "llvm")]

use tdse_backend::Backend;
use tdse_isa::{Host, Level, Preference};
use tdse_llvm::Llvm;
use tdse_tests::backend_suite::{Suite, Way};

const WIDTHS: [Preference; 3] = [
    Preference::Bits128,
    Preference::Bits256,
    Preference::Bits512,
];

/// Every width of register at every level of this machine; and code for the other architecture and for
/// x86-64-v4, whose masks few machines can run.
fn suite() -> Suite {
    let backend = |width| Box::new(Llvm::with_width(width)) as Box<dyn Backend>;
    let mut ways: Vec<Way> = Vec::new();
    for proof in Host::get().levels() {
        let mut tried = Vec::new();
        for width in WIDTHS {
            let bytes = Llvm::with_width(width).register_bytes(proof.level());
            if !tried.contains(&bytes) {
                tried.push(bytes);
                ways.push(Way {
                    backend: backend(width),
                    proof,
                });
            }
        }
    }
    let here = |level| ways.iter().any(|way| way.proof.level() == level);
    let other = match cfg!(target_arch = "aarch64") {
        true => Level::V3,
        false => Level::Neon,
    };
    let mut elsewhere = vec![(backend(Preference::Bits256), other)];
    if !here(Level::V4) {
        println!("SKIP x86-64-v4: compiled, not executed here");
        elsewhere.push((backend(Preference::Bits256), Level::V4));
        elsewhere.push((backend(Preference::Bits512), Level::V4));
    }
    Suite { ways, elsewhere }
}

#[test]
fn every_operation_at_every_width() {
    suite().every_operation_at_every_width();
}

#[test]
fn every_mask() {
    suite().every_mask();
}

#[test]
fn loops_of_any_count() {
    suite().loops_of_any_count();
}

#[test]
fn bounds_that_are_parameters() {
    suite().bounds_that_are_parameters();
}

#[test]
fn direct_families() {
    suite().direct_families();
}

#[test]
fn spectral_mac_of_odd_shapes() {
    suite().spectral_mac_of_odd_shapes();
}

#[test]
fn temporal_block_of_odd_shapes() {
    suite().temporal_block_of_odd_shapes();
}

#[cfg(target_os = "linux")]
#[test]
fn tails_stay_inside() {
    suite().tails_stay_inside();
}
