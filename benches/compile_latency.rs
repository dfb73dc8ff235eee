//! From a verified kernel to callable code: lower and load, one kernel.
//!
//! The bar is 0.5 ms a kernel for Cranelift. Portable generates nothing and is shown beside it.
//! Run with `cargo bench -p tdse-benches --bench compile_latency`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use tdse_backend::{EntryPoint, Lowered};
use tdse_bundle::Loader;
use tdse_compiler::{Tier, candidates};
use tdse_isa::{Host, Proof};
use tdse_kir::{Contraction, Elem, Verified, verify};
use tdse_templates::{DirectShape, direct};

/// (np, nq, nh)
const SHAPES: [(usize, usize, usize); 6] = [
    (1, 1, 256),
    (4, 4, 256),
    (8, 8, 512),
    (16, 16, 1024),
    (33, 33, 1000),
    (100, 100, 1024),
];

fn callable(tier: Tier, kernel: &Verified, proof: Proof) -> Arc<dyn EntryPoint> {
    match tier.backend().lower(kernel, proof.level()).unwrap() {
        Lowered::Ready(entry) => entry,
        Lowered::Machine(image) => Arc::new(
            Loader::probe()
                .as_ref()
                .unwrap()
                .load(&image, proof)
                .unwrap(),
        ),
    }
}

fn latency(c: &mut Criterion) {
    let host = Host::get();
    let proof = host.prove(host.best()).unwrap();
    let fused = proof.level().has_fma();
    let contraction = if fused {
        Contraction::Fma
    } else {
        Contraction::Separate
    };
    for (np, nq, nh) in SHAPES {
        for elem in [Elem::F64, Elem::F32] {
            let shape = DirectShape {
                np,
                nq,
                taps: nh - 1,
                elem,
            };
            let mut group = c.benchmark_group(format!("{}.np{np}.nq{nq}.nh{nh}", elem.name()));
            for tier in Tier::ALL {
                let list = candidates(&shape, contraction, proof.level());
                let schedule = list.iter().find(|k| k.tier == tier).unwrap().schedule;
                let kernel = verify(direct(&shape, contraction, schedule).unwrap()).unwrap();
                group.bench_function(format!("{tier}.{schedule}"), |b| {
                    b.iter(|| black_box(callable(tier, &kernel, proof)));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, latency);
criterion_main!(benches);
