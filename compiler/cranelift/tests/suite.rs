//! What every backend is held to, for this one.

use tdse_backend::Backend;
use tdse_cranelift::Cranelift;
use tdse_isa::{Host, Level};
use tdse_tests::backend_suite::{Suite, Way};

/// Every level of this machine, and where this build makes it, code for the other architecture.
fn suite() -> Suite {
    let backend = || Box::new(Cranelift::new()) as Box<dyn Backend>;
    let way = |proof| Way {
        backend: backend(),
        proof,
    };
    let mut elsewhere = Vec::new();
    if cfg!(any(feature = "all-arch", target_arch = "aarch64")) {
        elsewhere.push((backend(), Level::Neon));
    }
    Suite {
        ways: Host::get().levels().into_iter().map(way).collect(),
        elsewhere,
    }
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
