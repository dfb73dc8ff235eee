//! Speed of a large `taps` kernel on every level of this machine, beside a plain read of the taps.
//!
//! `cargo run --release -p tdse-portable --example taps_speed [rows] [nq] [terms]`
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;
use tdse_backend::{Backend, Lowered, Slot};
use tdse_isa::{Host, Proof};
use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, Kernel, KernelBuilder, NumericClass, VecType, verify,
};
use tdse_portable::Portable;

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse().unwrap());
    let rows: i64 = args.next().unwrap_or(4);
    let nq: i64 = args.next().unwrap_or(16);
    let terms: i64 = args.next().unwrap_or(16 * 1023) / 8 * 8;
    for contraction in [Contraction::Fma, Contraction::Separate] {
        let kernel = verify(taps(rows, nq / rows, terms / 8, contraction)).unwrap();
        let level = Host::get().best();
        println!(
            "{contraction:?}\n{}",
            Portable.describe(&kernel, level).unwrap()
        );
        let len = (nq / rows * rows * terms) as usize;
        let h = vec![0.5f64; len + 8];
        // Aligned to a cache line, as the packed taps are.
        let h = &h[h.as_ptr().align_offset(64)..][..len];
        let x = vec![0.25f64; terms as usize];
        let mut y = vec![0f64; nq as usize];
        for proof in Host::get().levels() {
            let Ok(Lowered::Ready(entry)) = Portable.lower(&kernel, proof.level()) else {
                continue;
            };
            let slots = [
                Slot {
                    pointer: h.as_ptr().cast_mut().cast(),
                },
                Slot {
                    pointer: x.as_ptr().cast_mut().cast(),
                },
                Slot {
                    pointer: y.as_mut_ptr().cast(),
                },
            ];
            // SAFETY: a slot for each parameter with its extent; the level is proved.
            let ns = best_of(|| unsafe { entry.call(slots.as_ptr()) });
            report(&proof.level().to_string(), ns, len);
        }
        let ns = best_of(|| {
            black_box(read(h, Host::get().prove(Host::get().best())));
        });
        report("plain read", ns, len);
    }
}

fn report(what: &str, ns: f64, len: usize) {
    println!(
        "{what:12} {ns:9.0} ns/step {:6.2} GB/s",
        len as f64 * 8.0 / ns
    );
}

/// Best of 40 rounds, each of 20 calls.
fn best_of(mut call: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        (0..20).for_each(|_| call());
        best = best.min(start.elapsed().as_nanos() as f64 / 20.0);
    }
    best
}

/// Sum of all elements with 32 accumulators.
fn read(h: &[f64], proof: Option<Proof>) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if proof.is_some_and(|p| p.level().has_fma()) {
        // SAFETY: the level is proved.
        return unsafe { read_wide(h) };
    }
    let _ = proof;
    sum(h)
}

/// # Safety
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn read_wide(h: &[f64]) -> f64 {
    sum(h)
}

#[inline(always)]
fn sum(h: &[f64]) -> f64 {
    let mut sums = [0f64; 32];
    for block in h.chunks_exact(32) {
        for (s, v) in sums.iter_mut().zip(block) {
            *s += v;
        }
    }
    sums.iter().sum()
}

fn taps(rows: i64, blocks: i64, groups: i64, contraction: Contraction) -> Kernel {
    let mut b = KernelBuilder::new("speed", NumericClass::direct(contraction));
    let block = rows * groups * 8;
    let h = b.buffer(
        "h",
        Elem::F64,
        (block * blocks) as u64,
        Access::ReadOnly,
        64,
    );
    let x = b.buffer("x", Elem::F64, (groups * 8) as u64, Access::ReadOnly, 8);
    let y = b.buffer("y", Elem::F64, (rows * blocks) as u64, Access::WriteOnly, 8);
    let ty = VecType::new(Elem::F64, 8);
    let zero = b.constant(ty, 0.0);
    b.repeat(
        "b",
        Bound::Const(0),
        Bound::Const(blocks),
        &[],
        |b, at, _| {
            let init = vec![zero; rows as usize];
            let sums = b.repeat(
                "j",
                Bound::Const(0),
                Bound::Const(groups),
                &init,
                |b, j, sums| {
                    let window = b.load(ty, x, Affine::at(0).plus(j, 8));
                    let row = |(r, &sum): (usize, _)| {
                        let from = Affine::at(8 * r as i64).plus(at, block).plus(j, 8 * rows);
                        let taps = b.load(ty, h, from);
                        match contraction {
                            Contraction::Fma => b.fma(taps, window, sum),
                            Contraction::Separate => {
                                let product = b.mul(taps, window);
                                b.add(product, sum)
                            }
                        }
                    };
                    sums.iter().enumerate().map(row).collect()
                },
            );
            for (r, &sum) in sums.iter().enumerate() {
                let total = b.reduce(sum);
                b.store(y, Affine::at(r as i64).plus(at, rows), total, 1);
            }
            Vec::new()
        },
    );
    b.finish()
}
