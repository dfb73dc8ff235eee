//! What this backend does not lower it names, before it emits anything.
#![allow(clippy::unwrap_used, clippy::panic)]

use tdse_backend::{Backend, Lowered};
use tdse_cranelift::Cranelift;
use tdse_isa::Level;
use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, KernelBuilder, NumericClass, VecType, Verified,
    verify,
};
use tdse_templates::{DirectShape, Schedule, direct};

fn taps(contraction: Contraction) -> Verified {
    let shape = DirectShape {
        np: 2,
        nq: 3,
        taps: 9,
        elem: Elem::F64,
    };
    verify(direct(&shape, contraction, Schedule::Taps { rows: 3, unroll: 1 }).unwrap()).unwrap()
}

#[test]
fn levels_without_fma_refuse_the_fused_class() {
    let fused = taps(Contraction::Fma);
    for level in [Level::Baseline, Level::V2] {
        let refusal = Cranelift::default().compile(&fused, level).unwrap_err();
        assert_eq!(
            (refusal.code(), refusal.name()),
            (6002, "no_fma"),
            "{refusal}"
        );
    }
    for level in [Level::V3, Level::V4, Level::Neon]
        .into_iter()
        .filter(|&level| in_this_build(level))
    {
        assert_eq!(
            Cranelift::default().compile(&fused, level).unwrap().level,
            level
        );
    }
}

/// Code is made for the architecture of the build, and with the feature for every other.
fn in_this_build(level: Level) -> bool {
    let own = match level {
        Level::Scalar => return false,
        Level::Neon => cfg!(target_arch = "aarch64"),
        _ => cfg!(target_arch = "x86_64"),
    };
    own || cfg!(feature = "all-arch")
}

#[test]
fn the_separate_class_is_lowered_for_every_machine_with_vectors() {
    let separate = taps(Contraction::Separate);
    for level in Level::ALL {
        let lowered = Cranelift::default().lower(&separate, level);
        match (level, lowered) {
            (level, Err(refusal)) if !in_this_build(level) => assert_eq!(refusal.code(), 6001),
            (_, Ok(Lowered::Machine(image))) => {
                assert!(!image.bytes.is_empty() && image.entry == 0 && image.listing.is_none());
            }
            (level, other) => panic!("{level}: {:?}", other.err()),
        }
    }
}

#[test]
fn a_body_too_long_is_refused() {
    let ty = VecType::new(Elem::F64, 64);
    let mut b = KernelBuilder::new("long", NumericClass::direct(Contraction::Separate));
    let y = b.buffer("y", Elem::F64, 64, Access::ReadWrite, 8);
    b.repeat("i", Bound::Const(0), Bound::Const(2), &[], |b, _, _| {
        let mut sum = b.load(ty, y, Affine::at(0));
        for _ in 0..1_250 {
            sum = b.add(sum, sum);
        }
        b.store(y, Affine::at(0), sum, 64);
        Vec::new()
    });
    let refusal = Cranelift::default()
        .compile(&verify(b.finish()).unwrap(), Level::V3)
        .unwrap_err();
    assert_eq!(
        (refusal.code(), refusal.name()),
        (6003, "construct_not_lowered")
    );
    assert!(
        refusal.to_string().contains("40064 register operations"),
        "{refusal}"
    );
}

#[test]
fn registers_carried_round_a_loop_count() {
    let ty = VecType::new(Elem::F64, 64);
    let mut b = KernelBuilder::new("carries", NumericClass::direct(Contraction::Separate));
    let y = b.buffer("y", Elem::F64, 64, Access::ReadWrite, 8);
    let start = b.load(ty, y, Affine::at(0));
    let carried = vec![start; 1_250];
    b.repeat(
        "i",
        Bound::Const(0),
        Bound::Const(2),
        &carried,
        |_, _, inner| inner.to_vec(),
    );
    let refusal = Cranelift::default()
        .compile(&verify(b.finish()).unwrap(), Level::V3)
        .unwrap_err();
    assert!(
        refusal.to_string().contains("40032 register operations"),
        "{refusal}"
    );
}

#[test]
fn a_frame_of_many_pages_is_touched_page_by_page() {
    // All loaded before any is stored: 1600 registers of 16 bytes live at once.
    let ty = VecType::new(Elem::F64, 64);
    let mut b = KernelBuilder::new("spills", NumericClass::direct(Contraction::Separate));
    let y = b.buffer("y", Elem::F64, 50 * 64, Access::ReadWrite, 8);
    let at = |i: i64| Affine::at(64 * i);
    let live: Vec<_> = (0..50).map(|i| b.load(ty, y, at(i))).collect();
    for (i, &value) in (0..).zip(&live) {
        b.store(y, at(49 - i), value, 64);
    }
    let kernel = verify(b.finish()).unwrap();
    let listing = |level| {
        Cranelift::with_listing()
            .compile(&kernel, level)
            .unwrap()
            .listing
    };
    let listing = listing(Level::V3).unwrap();
    assert!(
        listing.contains("stack_probe_loop"),
        "{}",
        &listing[..1000.min(listing.len())]
    );
}

#[test]
fn compiling_is_a_function_of_kernel_and_level() {
    let kernel = taps(Contraction::Separate);
    for level in [Level::V2, Level::V3] {
        let first = Cranelift::default().compile(&kernel, level).unwrap();
        let again = Cranelift::default().compile(&kernel, level).unwrap();
        let listed = Cranelift::with_listing().compile(&kernel, level).unwrap();
        assert_eq!(first, again);
        assert_eq!(first.sha256(), listed.sha256());
        assert!(listed.listing.is_some());
    }
}
