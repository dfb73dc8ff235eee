//! The identity of the backend changes whenever the code that it makes does: kept code is found by it.
//!
//! When this test fails under the same LLVM, raise `LOWERING` in `compiler/llvm/src/backend.rs` and run it once with `TDSE_BLESS=1`.
#![cfg(feature = "llvm")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use tdse_backend::Backend;
use tdse_isa::Level;
use tdse_kir::{Contraction, Elem, verify};
use tdse_llvm::Llvm;
use tdse_templates::{
    DirectShape, Schedule, SpectralSchedule, SpectralShape, direct, spectral_mac,
};

#[test]
fn other_code_has_another_identity() {
    let llvm = Llvm::new();
    let identity = llvm.identity();
    let mut found = format!("{identity}\n");
    let head = DirectShape {
        np: 3,
        nq: 5,
        taps: 13,
        elem: Elem::F64,
    };
    let bins = SpectralShape {
        np: 3,
        nq: 5,
        groups: 4,
        lanes: 4,
        y_stride: 40,
        y_im: 20,
        elem: Elem::F32,
    };
    let separate = Contraction::Separate;
    let taps = Schedule::Taps { rows: 2, unroll: 1 };
    let kernels = [
        direct(&head, separate, taps).unwrap(),
        spectral_mac(&bins, separate, SpectralSchedule { rows: 2 }).unwrap(),
    ];
    for kernel in kernels {
        let kernel = verify(kernel).unwrap();
        for level in [Level::V2, Level::V3, Level::V4, Level::Neon] {
            let sha256 = llvm.compile(&kernel, level).unwrap().sha256();
            let hex: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(found, "{level} {} {hex}", kernel.name).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/lowering_number.txt");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("TDSE_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
        return;
    }
    // Another release of LLVM has another identity, and may make other code.
    if kept.lines().next() == Some(&identity) {
        assert_eq!(found, kept);
    } else {
        println!("SKIP the code that is kept is not by {identity}");
    }
}
