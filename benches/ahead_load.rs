//! A pack made ready with code from a bundle, beside the same with code that is compiled then.
//!
//! The pack is small (one port, 1024 taps), so that packing its taps hardly counts: what is left is reading
//! and checking the bundle, mapping its code, and comparing the full key of each of its ten kernels. The bar is 1 ms.
//! Run with `cargo bench -p tdse-benches --bench ahead_load`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use tdse_bundle::Bundle;
use tdse_compiler::Tier;
use tdse_isa::Host;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{AheadCompiler, CodeOrigin, ElemChoice, PlanChoice, PrepareOptions, Prepared};

/// Eight levels; with the head and the direct term ten kernels.
const PLAN: &str = "nonuniform_fft:burst:t4,t8,f16,f32,f64,f128,f256,f512";

fn pack() -> Arc<Pack> {
    let parts = PackParts {
        shape: Shape::new(1024, 1, 1).unwrap(),
        dt: 1e-9,
        taps: (0..1024)
            .map(|i| ((i * 7919) % 1009) as f64 / 504.5 - 1.0)
            .collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).unwrap())
}

fn load(c: &mut Criterion) {
    let pack = pack();
    let compiled = PrepareOptions {
        plan: PlanChoice::Pinned(PLAN.parse().unwrap()),
        tier: Some(Tier::Cranelift),
        ..PrepareOptions::default()
    };
    let (level, listener) = (Host::get().best(), Arc::new(|_: &str| {}));
    let mut ahead = AheadCompiler::new(Arc::clone(&pack), ElemChoice::F64, level, None, listener);
    ahead.add(&compiled).unwrap();
    let bundle = ahead.finish();
    assert_eq!(bundle.entries.len(), 10);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("code.bundle");
    bundle.write(&path).unwrap();

    let mut group = c.benchmark_group("ten kernels");
    group.bench_function("read and check", |b| {
        b.iter(|| black_box(Bundle::read(&path).unwrap()))
    });
    group.bench_function("prepare from the bundle", |b| {
        b.iter(|| {
            let options = PrepareOptions {
                code: CodeOrigin::Bundle(Arc::new(Bundle::read(&path).unwrap())),
                ..compiled.clone()
            };
            black_box(Prepared::new(Arc::clone(&pack), &options).unwrap())
        });
    });
    group.bench_function("prepare by compiling", |b| {
        b.iter(|| black_box(Prepared::new(Arc::clone(&pack), &compiled).unwrap()));
    });
    group.bench_function("prepare on the portable tier", |b| {
        let portable = PrepareOptions {
            tier: Some(Tier::Portable),
            ..compiled.clone()
        };
        b.iter(|| black_box(Prepared::new(Arc::clone(&pack), &portable).unwrap()));
    });
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
