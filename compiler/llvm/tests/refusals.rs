//! What this backend does not lower it names, before it emits anything; and what it makes is a
//! function of kernel, level and width, in every process.
#![cfg(feature = "llvm")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::process::Command;

use tdse_backend::{Backend, CodeImage, Lowered};
use tdse_isa::{Level, Preference};
use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, KernelBuilder, NumericClass, VecType, Verified,
    verify,
};
use tdse_llvm::Llvm;
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

const WIDTHS: [Preference; 3] = [
    Preference::Bits128,
    Preference::Bits256,
    Preference::Bits512,
];

#[test]
fn levels_without_fma_refuse_the_fused_class() {
    let fused = taps(Contraction::Fma);
    for level in [Level::Baseline, Level::V2] {
        let refusal = Llvm::new().compile(&fused, level).unwrap_err();
        assert_eq!((refusal.code(), refusal.name()), (6002, "no_fma"));
    }
    for level in [Level::V3, Level::V4, Level::Neon] {
        assert_eq!(Llvm::new().compile(&fused, level).unwrap().level, level);
    }
}

#[test]
fn the_separate_class_is_lowered_for_every_machine_with_vectors() {
    let separate = taps(Contraction::Separate);
    for level in Level::ALL {
        match (level, Llvm::new().lower(&separate, level)) {
            (Level::Scalar, Err(refusal)) => assert_eq!(refusal.code(), 6001),
            (_, Ok(Lowered::Machine(image))) => {
                assert!(!image.bytes.is_empty() && image.listing.is_none());
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
        for _ in 0..625 {
            sum = b.add(sum, sum);
        }
        b.store(y, Affine::at(0), sum, 64);
        Vec::new()
    });
    let refusal = Llvm::new()
        .compile(&verify(b.finish()).unwrap(), Level::V3)
        .unwrap_err();
    assert_eq!(
        (refusal.code(), refusal.name()),
        (6003, "construct_not_lowered")
    );
    assert!(
        refusal.to_string().contains("10032 register operations"),
        "{refusal}"
    );
}

/// Every image of one kernel, hashed.
fn hashes() -> Vec<String> {
    let kernel = taps(Contraction::Separate);
    let mut hashes = Vec::new();
    for level in Level::ALL.into_iter().filter(|&l| l != Level::Scalar) {
        for backend in WIDTHS.map(Llvm::with_width) {
            let image = backend.compile(&kernel, level).unwrap();
            let hex = image.sha256().map(|byte| format!("{byte:02x}"));
            hashes.push(hex.concat());
        }
    }
    hashes
}

const CHILD: &str = "TDSE_TEST_PRINT_HASHES";

#[test]
fn the_same_bytes_in_another_process() {
    let mine = hashes();
    if std::env::var_os(CHILD).is_some() {
        println!("hashes {}", mine.join(","));
        return;
    }
    let out = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "the_same_bytes_in_another_process",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let theirs = text.split("hashes ").nth(1).and_then(|t| t.lines().next());
    assert_eq!(theirs, Some(mine.join(",").as_str()), "{text}");
}

#[test]
fn a_listing_changes_no_byte() {
    let kernel = taps(Contraction::Separate);
    for level in [Level::V2, Level::V3, Level::Neon] {
        let plain = Llvm::new().compile(&kernel, level).unwrap();
        let listed = Llvm::new().with_listing().compile(&kernel, level).unwrap();
        assert_eq!(plain.sha256(), listed.sha256());
        assert!(listed.listing.is_some());
    }
}

/// Constants lie behind the code, and the code finds them there.
#[test]
fn constants_travel_with_the_code() {
    let mut b = KernelBuilder::new("constants", NumericClass::direct(Contraction::Separate));
    let ty = VecType::new(Elem::F64, 8);
    let x = b.buffer("x", Elem::F64, 8, Access::ReadOnly, 8);
    let y = b.buffer("y", Elem::F64, 8, Access::WriteOnly, 8);
    let x = b.load(ty, x, Affine::at(0));
    let third = b.constant(ty, 1.0 / 3.0);
    let product = b.mul(x, third);
    b.store(y, Affine::at(0), product, 8);
    let kernel = verify(b.finish()).unwrap();
    for level in [
        Level::Baseline,
        Level::V2,
        Level::V3,
        Level::V4,
        Level::Neon,
    ] {
        let image = Llvm::new().compile(&kernel, level).unwrap();
        let needle = (1.0_f64 / 3.0).to_le_bytes();
        let inline = level == Level::Neon;
        let found = image.bytes.windows(8).any(|bytes| bytes == needle);
        assert!(found || inline, "{level}: {:?}", image.bytes);
    }
}

#[test]
fn the_identity_names_version_lowering_and_width() {
    let identity = Llvm::with_width(Preference::Bits512).identity();
    let words: Vec<&str> = identity.split(' ').collect();
    assert_eq!(words[0], "llvm");
    assert!(words[1].starts_with("22."), "{identity}");
    assert_eq!(words[2], "lowering");
    assert_eq!(words[4], "512");
    let narrow: CodeImage = Llvm::with_width(Preference::Bits128)
        .compile(&taps(Contraction::Separate), Level::V4)
        .unwrap();
    let wide = Llvm::with_width(Preference::Bits512)
        .compile(&taps(Contraction::Separate), Level::V4)
        .unwrap();
    assert_ne!(narrow.sha256(), wide.sha256());
}
