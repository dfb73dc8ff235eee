//! The identity of the backend changes whenever the code that it makes does: kept code is found by it.
//!
//! When this test fails, raise `LOWERING` in `compiler/cranelift/src/lib.rs` and run it once with `TDSE_BLESS=1`.
#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use tdse_backend::Backend;
use tdse_cranelift::Cranelift;
use tdse_isa::Level;
use tdse_kir::{Contraction, Elem, Kernel, verify};
use tdse_templates::{
    BlockSchedule, BlockShape, DirectShape, Schedule, SpectralSchedule, SpectralShape, direct,
    spectral_mac, temporal_block,
};

#[test]
fn other_code_has_another_identity() {
    let cranelift = Cranelift::new();
    let mut found = cranelift.identity() + "\n";
    for kernel in kernels() {
        let kernel = verify(kernel).unwrap();
        for level in [Level::Baseline, Level::V2, Level::V3, Level::V4] {
            let sha256 = cranelift.compile(&kernel, level).unwrap().sha256();
            let hex: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(found, "{level} {} {hex}", kernel.name).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/lowering_number.txt");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if found != kept && std::env::var_os("TDSE_BLESS").is_some() {
        let identity = |text: &str| text.lines().next().map(str::to_owned);
        assert_ne!(identity(&found), identity(&kept), "raise LOWERING first");
        std::fs::write(&path, &found).unwrap();
        return;
    }
    assert_eq!(found, kept);
}

/// One kernel of each family, both element types, tails included.
fn kernels() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for elem in [Elem::F64, Elem::F32] {
        let separate = Contraction::Separate;
        let shape = DirectShape {
            np: 3,
            nq: 5,
            taps: 11,
            elem,
        };
        let taps = Schedule::Taps { rows: 2, unroll: 2 };
        let rows = Schedule::Rows {
            lanes: 2,
            unroll: 1,
        };
        for schedule in [taps, rows] {
            kernels.push(direct(&shape, separate, schedule).unwrap());
        }
        let shape = SpectralShape {
            np: 3,
            nq: 5,
            groups: 4,
            lanes: 4,
            y_stride: 40,
            y_im: 20,
            elem,
        };
        kernels.push(spectral_mac(&shape, separate, SpectralSchedule { rows: 2 }).unwrap());
        let shape = BlockShape {
            np: 3,
            nq: 5,
            lags: 7,
            block: 6,
            x_stride: 32,
            y_stride: 8,
            elem,
        };
        let schedule = BlockSchedule { rows: 2, lanes: 4 };
        kernels.push(temporal_block(&shape, separate, schedule).unwrap());
    }
    kernels
}
