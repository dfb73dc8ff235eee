//! Ten million steps: memory that stays as it is, and steps that cost no more when the signal has decayed.
//!
//! The input is noise under an envelope that falls by half every 8000 steps (20 000 in f32), so that it is denormal for
//! 400 000 steps and then zero. Times are means of stretches of 1e5 steps, and of three neighbours the least counts,
//! since other work on the machine only adds; compare figures of one run only.
//! Run with `cargo bench -p tdse-benches --bench long_run`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{ElemChoice, PlanChoice, PrepareOptions, Prepared};
use tdse_tests::random::Random;

const STEPS: usize = 10_000_000;
const STRETCH: usize = 100_000;

fn main() {
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    for (elem, plan) in [
        (ElemChoice::F64, None),
        (ElemChoice::F64, Some("relaxed_fft:burst:f16,f64")),
        (ElemChoice::F32, Some("relaxed_fft:burst:f16,f64")),
        (ElemChoice::F32, Some("temporal_block:burst:t16")),
        (ElemChoice::F32, Some("nonuniform_fft:spread:f8,f32")),
    ] {
        run(elem, plan);
    }
}

fn run(elem: ElemChoice, plan: Option<&str>) {
    let mut random = Random::new(3);
    let nh = 256;
    let taps = (0..nh).map(|k| random.uniform() * (-(f64::from(k)) / 60.0).exp());
    let parts = PackParts {
        shape: Shape::new(nh as usize, 1, 1).unwrap(),
        dt: 1.0,
        taps: taps.collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    let pack = Arc::new(Pack::from_parts(parts).unwrap());
    let options = PrepareOptions {
        elem,
        plan: plan.map_or_else(PlanChoice::default, |plan| {
            PlanChoice::Pinned(plan.parse().unwrap())
        }),
        ..PrepareOptions::default()
    };
    let mut model = Prepared::new(pack, &options).unwrap().model();
    let noise: Vec<f64> = (0..1024).map(|_| random.uniform()).collect();
    let mut hr = [0.0];
    let half_life = match elem {
        ElemChoice::F64 => 8_000.0,
        ElemChoice::F32 => 20_000.0,
    };
    let mut means = Vec::new();
    let mut early = 0;
    for stretch in 0..STEPS / STRETCH {
        let size = (-((stretch * STRETCH) as f64) / half_life).exp2();
        let begun = Instant::now();
        for n in stretch * STRETCH..(stretch + 1) * STRETCH {
            model.begin(n as f64, 1.0).unwrap();
            model.hr(&mut hr).unwrap();
            let x = noise[n % 1024] * size;
            model.commit(&[x]).unwrap();
        }
        means.push(begun.elapsed().as_nanos() as f64 / STRETCH as f64);
        if stretch == 0 {
            early = resident_pages();
        }
    }
    let late = resident_pages();
    let name = model.prepared().numeric_class().to_owned();
    let calm: Vec<f64> = means
        .windows(3)
        .map(|three| three.iter().copied().fold(f64::INFINITY, f64::min))
        .collect();
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let (loud, worst) = (
        median(&calm[1..9]),
        calm[9..].iter().copied().fold(0.0, f64::max),
    );
    println!(
        "{name}: {loud:.1} ns a step while loud, at most {worst:.1} ns after that, ratio {:.3}; resident pages after 1e5 steps {early}, after 1e7 {late}",
        worst / loud
    );
}

/// Pages of the process in memory; 0 where the system does not say.
fn resident_pages() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0)
}
