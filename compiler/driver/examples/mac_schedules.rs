//! Speed of the families that work ahead under every schedule, for each tier.
//!
//! Prints, for each shape, tier, lanes and rows: GFlop/s (best of many short runs, everything in a
//! near cache), bytes of code, microseconds to compile. The line marked `*` is what
//! `spectral_lanes`, `spectral_schedule` or `block_schedule` pick. Run with
//! `cargo run --release -p tdse-compiler --example mac_schedules -- spectral|block f64|f32 cranelift|portable np nq block [lags]`.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use tdse_bundle::AlignedBuffer;
use tdse_compiler::{
    MacKernel, Maker, Real, Tier, block_schedule, spectral_lanes, spectral_schedule,
};
use tdse_isa::{Host, Proof};
use tdse_kir::{Contraction, Kernel};
use tdse_templates::{
    BlockSchedule, BlockShape, SpectralSchedule, SpectralShape, spectral_mac, temporal_block,
};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let host = Host::get();
    let proof = host.prove(host.best()).unwrap();
    let [family, elem, tier, sizes @ ..] = &args[..] else {
        println!("arguments: spectral|block f64|f32 cranelift|portable np nq block [lags]");
        return;
    };
    let tier: Tier = tier.parse().unwrap();
    let sizes: Vec<usize> = sizes.iter().map(|s| s.parse().unwrap()).collect();
    match (family.as_str(), elem.as_str()) {
        ("spectral", "f64") => spectral::<f64>(tier, proof, &sizes),
        ("spectral", _) => spectral::<f32>(tier, proof, &sizes),
        (_, "f64") => block::<f64>(tier, proof, &sizes),
        (_, _) => block::<f32>(tier, proof, &sizes),
    }
}

fn spectral<T: Real>(tier: Tier, proof: Proof, sizes: &[usize]) {
    let [np, nq, block] = sizes[..] else { return };
    let picked = spectral_lanes(tier, proof.level(), T::ELEM, block, nq);
    for lanes in [1_u8, 2, 4, 8, 16] {
        let groups = block.div_ceil(lanes.into());
        let bins = groups * usize::from(lanes);
        let shape = SpectralShape {
            np,
            nq,
            groups,
            lanes,
            y_stride: 2 * bins,
            y_im: bins,
            elem: T::ELEM,
        };
        let choice = spectral_schedule(tier, proof.level(), &shape);
        for rows in (1..=8).filter(|&r| usize::from(r) <= nq) {
            let schedule = SpectralSchedule { rows };
            let kernel = spectral_mac(&shape, Contraction::Fma, schedule).unwrap();
            let mark = lanes == picked && schedule == choice;
            row::<T>(kernel, tier, proof, (8 * np * nq * block) as f64, mark);
        }
    }
}

fn block<T: Real>(tier: Tier, proof: Proof, sizes: &[usize]) {
    let [np, nq, block, lags] = sizes[..] else {
        return;
    };
    let shape = BlockShape {
        np,
        nq,
        lags,
        block,
        x_stride: block + lags,
        y_stride: block,
        elem: T::ELEM,
    };
    let choice = block_schedule(tier, proof.level(), &shape);
    for lanes in [1, 2, 4, 8, 16] {
        for rows in (1..=8).filter(|&r| usize::from(r) <= nq) {
            let schedule = BlockSchedule { rows, lanes };
            let kernel = temporal_block(&shape, Contraction::Fma, schedule).unwrap();
            let flops = (2 * np * nq * lags * block) as f64;
            row::<T>(kernel, tier, proof, flops, schedule == choice);
        }
    }
}

fn row<T: Real>(kernel: Kernel, tier: Tier, proof: Proof, flops: f64, mark: bool) {
    let extents: Vec<u64> = (0..3)
        .map(|i| kernel.buffer(tdse_kir::BufferId(i)).unwrap().extent)
        .collect();
    let kernel = MacKernel::<T>::compile(kernel, &Maker::new(tier, proof)).unwrap();
    let h = AlignedBuffer::<T>::new(extents[0] as usize);
    let x = AlignedBuffer::<T>::new(extents[1] as usize);
    let mut y = AlignedBuffer::<T>::new(extents[2] as usize);
    kernel.run(&h, &x, &mut y).unwrap();
    let calls = (2e5 / flops).ceil().max(1.0) as usize;
    let mut best = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(15) {
        let round = Instant::now();
        for _ in 0..calls {
            kernel.run(&h, &x, &mut y).unwrap();
        }
        best = best.min(round.elapsed().as_secs_f64() * 1e9 / calls as f64);
    }
    let code = kernel.code();
    println!(
        "{} {:6.2} GFlop/s {:8.0} ns {:5} bytes {:4} us  {}",
        if mark { '*' } else { ' ' },
        flops / best,
        best,
        code.facts().map_or(0, |facts| facts.bytes),
        code.compile_ns() / 1000,
        code.name()
    );
}
