//! One history step by code generator and schedule.
//!
//! Absolute times are noise on a shared machine; compare rows of one run only.
//! Run with `cargo bench -p tdse-benches --bench step`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use tdse_compiler::candidates;
use tdse_isa::Host;
use tdse_kir::{Contraction, Elem};
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{ElemChoice, PrepareOptions, Prepared};
use tdse_templates::DirectShape;
use tdse_tests::random::Random;

/// (np, nq, nh)
const SHAPES: [(usize, usize, usize); 5] = [
    (1, 1, 256),
    (4, 4, 256),
    (8, 8, 512),
    (16, 16, 1024),
    (32, 32, 512),
];

fn pack(np: usize, nq: usize, nh: usize) -> Arc<Pack> {
    let mut random = Random::new(1);
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).unwrap(),
        dt: 1e-9,
        taps: (0..nh * nq * np).map(|_| random.uniform()).collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).unwrap())
}

fn steps(c: &mut Criterion) {
    let level = Host::get().best();
    let contraction = if level.has_fma() {
        Contraction::Fma
    } else {
        Contraction::Separate
    };
    for (np, nq, nh) in SHAPES {
        let pack = pack(np, nq, nh);
        for choice in [ElemChoice::F64, ElemChoice::F32] {
            let elem = Elem::from(choice);
            let mut group = c.benchmark_group(format!("{}.np{np}.nq{nq}.nh{nh}", elem.name()));
            group.throughput(Throughput::Bytes(
                (np * nq * (nh - 1) * elem.bytes()) as u64,
            ));
            let shape = DirectShape {
                np,
                nq,
                taps: nh - 1,
                elem,
            };
            for candidate in candidates(&shape, contraction, level) {
                let options = PrepareOptions {
                    tier: Some(candidate.tier),
                    schedule: Some(candidate.schedule),
                    elem: choice,
                    ..PrepareOptions::default()
                };
                let mut model = Prepared::new(Arc::clone(&pack), &options).unwrap().model();
                let (x, mut hr) = (vec![0.25; np], vec![0.0; nq]);
                let mut t = 0.0;
                group.bench_function(format!("{}.{}", candidate.tier, candidate.schedule), |b| {
                    b.iter(|| {
                        model.begin(t, 1e-9).unwrap();
                        model.hr(&mut hr).unwrap();
                        model.commit(&x).unwrap();
                        t += 1e-9;
                        black_box(hr[0])
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
