//! Compile latency and speed of direct kernels under several schedules.
//!
//! Prints, for each shape and schedule: lower and load in microseconds (best and median of 30),
//! code size, nanoseconds a step (median of rounds) and the bytes of packed H read a second. Run with
//! `cargo run --release -p tdse-cranelift --example schedules [np nq taps elem]`.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Instant;

use tdse_bundle::{AlignedBuffer, Arg, Element, Executable, Loader};
use tdse_cranelift::Cranelift;
use tdse_isa::{Host, Level, Proof};
use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, KernelBuilder, NumericClass, VecType, verify,
};
use tdse_templates::{DirectShape, Layout, Schedule, direct};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(proof) = Host::get().prove(Level::V3) else {
        println!("SKIP this machine has no x86-64-v3");
        return;
    };
    let shapes = match &args[..] {
        [np, nq, taps, elem] => {
            let elem = if elem == "f32" { Elem::F32 } else { Elem::F64 };
            let size = |s: &String| s.parse().unwrap();
            vec![DirectShape {
                np: size(np),
                nq: size(nq),
                taps: size(taps),
                elem,
            }]
        }
        _ => [(4, 4, 255), (16, 16, 1023), (33, 33, 999)]
            .map(|(np, nq, taps)| DirectShape {
                np,
                nq,
                taps,
                elem: Elem::F64,
            })
            .into(),
    };
    println!(
        "np nq taps elem schedule | lower us best, median | load us | code bytes | ns/step | GB/s"
    );
    for shape in shapes {
        roof(shape, proof);
        for rows in 1..=4 {
            for unroll in [1, 2, 4] {
                row(shape, Schedule::Taps { rows, unroll }, proof);
            }
        }
        for lanes in [2, 4, 8] {
            row(shape, Schedule::Rows { lanes, unroll: 1 }, proof);
        }
    }
}

fn row(shape: DirectShape, schedule: Schedule, proof: Proof) {
    let kernel = verify(direct(&shape, Contraction::Fma, schedule).unwrap()).unwrap();
    let loader = Loader::probe().as_ref().unwrap();
    let (mut lower, mut load) = (Vec::new(), Vec::new());
    let mut executable = None;
    let mut bytes = 0;
    for _ in 0..30 {
        let start = Instant::now();
        let image = Cranelift::default()
            .compile(&kernel, proof.level())
            .unwrap();
        let lowered = Instant::now();
        let code = loader.load(&image, proof).unwrap();
        load.push(lowered.elapsed().as_secs_f64() * 1e6);
        lower.push((lowered - start).as_secs_f64() * 1e6);
        bytes = image.bytes.len();
        // SAFETY: the code was lowered from this kernel.
        executable = Some(unsafe { Executable::new(&kernel, Arc::new(code)) });
    }
    let packed = Layout::new(&shape, schedule).len();
    let run = executable.unwrap();
    let ns = match shape.elem {
        Elem::F64 => nanoseconds(&run, packed, &shape, |a| Arg::F64(a), |a| Arg::F64Mut(a)),
        Elem::F32 => nanoseconds(&run, packed, &shape, |a| Arg::F32(a), |a| Arg::F32Mut(a)),
    };
    let DirectShape { np, nq, taps, elem } = shape;
    let size = (packed * elem.bytes()) as f64;
    lower.sort_by(f64::total_cmp);
    load.sort_by(f64::total_cmp);
    println!(
        "{np} {nq} {taps} {} {schedule} | {:.0} {:.0} | {:.0} | {bytes} | {ns:.0} | {:.1}",
        elem.name(),
        lower[0],
        lower[15],
        load[15],
        size / ns
    );
}

/// A kernel that only loads and adds: the roof of 128-bit loads.
fn roof(shape: DirectShape, proof: Proof) {
    let packed = Layout::new(&shape, Schedule::Taps { rows: 1, unroll: 1 }).len() / 64 * 64;
    let ty = VecType::new(shape.elem, 16 / shape.elem.bytes() as u16);
    let lanes = i64::from(ty.lanes);
    let mut b = KernelBuilder::new("roof", NumericClass::direct(Contraction::Separate));
    let h = b.buffer("h", shape.elem, packed as u64, Access::ReadOnly, 64);
    let _x = b.buffer("x", shape.elem, 1, Access::ReadOnly, 8);
    let y = b.buffer("y", shape.elem, 8, Access::ReadWrite, 8);
    let zero = b.constant(ty, 0.0);
    let trips = Bound::Const((packed as i64) / (8 * lanes));
    let sums = b.repeat("i", Bound::Const(0), trips, &[zero; 8], |b, i, sums| {
        let next = (0..8).zip(sums).map(|(u, &sum)| {
            let h = b.load(ty, h, Affine::at(u * lanes).plus(i, 8 * lanes));
            b.add(sum, h)
        });
        next.collect()
    });
    for sum in sums {
        b.store(y, Affine::at(0), sum, 1);
    }
    let kernel = verify(b.finish()).unwrap();
    let image = Cranelift::default()
        .compile(&kernel, proof.level())
        .unwrap();
    let code = Loader::probe()
        .as_ref()
        .unwrap()
        .load(&image, proof)
        .unwrap();
    // SAFETY: the code was lowered from this kernel.
    let run = unsafe { Executable::new(&kernel, Arc::new(code)) };
    let ns = match shape.elem {
        Elem::F64 => nanoseconds(&run, packed, &shape, |a| Arg::F64(a), |a| Arg::F64Mut(a)),
        Elem::F32 => nanoseconds(&run, packed, &shape, |a| Arg::F32(a), |a| Arg::F32Mut(a)),
    };
    println!(
        "roof of 128-bit loads | | | | {ns:.0} | {:.1}",
        (packed * shape.elem.bytes()) as f64 / ns
    );
}

fn nanoseconds<T: Element>(
    run: &Executable,
    packed: usize,
    shape: &DirectShape,
    read: for<'a> fn(&'a [T]) -> Arg<'a>,
    write: for<'a> fn(&'a mut [T]) -> Arg<'a>,
) -> f64 {
    let h = AlignedBuffer::<T>::new(packed);
    let x = AlignedBuffer::<T>::new(shape.np * shape.taps);
    let mut y = AlignedBuffer::<T>::new(shape.nq.max(8));
    let size = packed * size_of::<T>();
    let calls = (2_000_000 / size).clamp(1, 1000);
    let mut rounds: Vec<f64> = (0..300)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..calls {
                run.run(&mut [read(&h), read(&x), write(&mut y)]).unwrap();
            }
            start.elapsed().as_secs_f64() * 1e9 / calls as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[0]
}
