//! Where executable memory is refused the portable tier runs, says why, and gives the same bits;
//! a pinned Cranelift is an error.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use tdse_compiler::Tier;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{PrepareOptions, Prepared};
use tdse_tests::random::Random;
use tdse_tests::system_calls::{EXECUTABLE_MPROTECT, MEMFD, deny};

const CHILD: &str = "TDSE_REFUSED_MEMORY_CHILD";

fn pack() -> Arc<Pack> {
    let mut random = Random::new(11);
    let (nh, nq, np) = (40, 3, 5);
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).expect("a shape"),
        dt: 1e-9,
        taps: (0..nh * nq * np).map(|_| random.uniform()).collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).expect("a pack"))
}

/// Bits of every output of 100 steps, and who made them.
fn run(options: &PrepareOptions) -> Result<(Prepared, String), tdse_runtime::RuntimeError> {
    let prepared = Prepared::new(pack(), options)?;
    let mut model = prepared.model();
    let mut random = Random::new(12);
    let mut bits = String::new();
    let (mut hr, mut dr) = ([0.0; 3], [0.0; 3]);
    for n in 0..100 {
        model.begin(f64::from(n) * 1e-9, 1e-9)?;
        model.hr(&mut hr)?;
        model.commit(&[0.0; 5].map(|_: f64| random.uniform()))?;
        model.dr(&mut dr)?;
        for value in hr.iter().chain(&dr) {
            bits += &format!("{:016x}", value.to_bits());
        }
    }
    Ok((prepared, bits))
}

#[test]
fn the_portable_tier_takes_over_with_the_same_bits() {
    let (prepared, bits) = run(&PrepareOptions::default()).expect("runs");
    assert_eq!(prepared.tier(), Some(Tier::Cranelift));
    let output = Command::new(std::env::current_exe().expect("own path"))
        .args([
            "--exact",
            "restricted_child",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, "1")
        .output()
        .expect("starts itself");
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("child: unsupported") {
        println!("SKIP executable memory refused: this kernel has no seccomp filters");
        return;
    }
    assert!(text.contains(&format!("child: {bits}\n")), "{text}");
    assert!(output.status.success(), "{text}");
}

/// The body of the child; without the variable there is nothing to do.
#[test]
fn restricted_child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    if !deny(&[EXECUTABLE_MPROTECT, MEMFD]) {
        println!("\nchild: unsupported");
        return;
    }
    let (prepared, bits) = run(&PrepareOptions::default()).expect("runs without code");
    assert_eq!(prepared.tier(), Some(Tier::Portable));
    let explanation = prepared.explanation();
    assert!(
        explanation.loader.contains("memfd_create"),
        "{}",
        explanation.loader
    );
    let first = &explanation.routes[0];
    assert_eq!(
        (first.backend.as_str(), first.accepted),
        ("cranelift", false)
    );
    assert_eq!(first.reason.name, "executable_memory_not_permitted");

    let pinned = PrepareOptions {
        tier: Some(Tier::Cranelift),
        ..PrepareOptions::default()
    };
    let refusal = run(&pinned).err().expect("a pinned tier is never replaced");
    assert_eq!(
        (refusal.code(), refusal.name()),
        (8002, "pinned_route_refused")
    );
    println!("\nchild: {bits}");
}
