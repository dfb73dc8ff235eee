//! Kernels that work ahead, with the lanes and schedules that this crate picks, compute the right
//! thing in every tier, and their buffers are checked.
#![allow(clippy::unwrap_used)]

use tdse_bundle::CallError;
use tdse_compiler::{
    MacKernel, Maker, Real, Tier, block_schedule, spectral_lanes, spectral_schedule,
};
use tdse_isa::{Host, Level, Proof};
use tdse_kir::{Contraction, Elem, NumericClass};
use tdse_templates::{
    BlockLayout, BlockShape, SpectralLayout, SpectralShape, spectral_mac, temporal_block,
};

const PORTS: [usize; 6] = [1, 2, 3, 4, 5, 8];
const BLOCKS: [usize; 9] = [1, 2, 3, 5, 7, 8, 16, 33, 128];

fn best() -> Proof {
    let host = Host::get();
    host.prove(host.best()).unwrap()
}

/// Small whole numbers: sums are exact in any order and either element type.
fn whole(i: usize) -> f64 {
    ((i * 37 + 11) % 29) as f64 - 14.0
}

fn numbers<T: Real>(len: usize, from: usize) -> Vec<T> {
    (from..from + len).map(|i| T::from_f64(whole(i))).collect()
}

#[test]
fn lanes_and_schedules_fit_every_shape_at_every_level() {
    for (tier, level) in Tier::ALL
        .into_iter()
        .flat_map(|t| Level::ALL.map(|l| (t, l)))
    {
        for (nq, block) in PORTS.into_iter().flat_map(|n| BLOCKS.map(|b| (n, b))) {
            for elem in [Elem::F64, Elem::F32] {
                let lanes = spectral_lanes(tier, level, elem, block, nq);
                let groups = block.div_ceil(lanes.into());
                let shape = SpectralShape {
                    np: 3,
                    nq,
                    groups,
                    lanes,
                    y_stride: 2 * groups * usize::from(lanes),
                    y_im: groups * usize::from(lanes),
                    elem,
                };
                let schedule = spectral_schedule(tier, level, &shape);
                assert!(usize::from(schedule.rows) <= nq, "{schedule}");
                spectral_mac(&shape, Contraction::Fma, schedule).unwrap();
                let shape = BlockShape {
                    np: 3,
                    nq,
                    lags: 9,
                    block,
                    x_stride: 8 + block,
                    y_stride: block,
                    elem,
                };
                let schedule = block_schedule(tier, level, &shape);
                let lanes = usize::from(schedule.lanes);
                assert!(usize::from(schedule.rows) <= nq, "{schedule}");
                assert!(lanes < 2 * block, "{schedule} of {block}");
                temporal_block(&shape, Contraction::Fma, schedule).unwrap();
            }
        }
    }
}

fn hold_spectral<T: Real + std::fmt::Debug>(tier: Tier, np: usize, nq: usize, block: usize) {
    let lanes = spectral_lanes(tier, best().level(), T::ELEM, block, nq);
    let vector = usize::from(lanes);
    let groups = block.div_ceil(vector);
    let bins = groups * vector;
    let shape = SpectralShape {
        np,
        nq,
        groups,
        lanes,
        y_stride: 2 * bins,
        y_im: bins,
        elem: T::ELEM,
    };
    let schedule = spectral_schedule(tier, best().level(), &shape);
    let layout = SpectralLayout::new(&shape, schedule);
    let mut h = vec![T::from_f64(0.0); layout.len()];
    let x = numbers::<T>(shape.x_len(), 3);
    let mut y = numbers::<T>(shape.y_len(), 5);
    let mut expected: Vec<f64> = y.iter().map(|v| v.to_f64()).collect();
    for (q, p) in (0..nq).flat_map(|q| (0..np).map(move |p| (q, p))) {
        for bin in 0..bins {
            let (g, lane) = (bin / vector, bin % vector);
            let entry = (q * np + p) * bins + bin;
            let (re, im) = (whole(entry), whole(7 * entry + 2));
            h[layout.re(g, q, p) + lane] = T::from_f64(re);
            h[layout.im(g, q, p) + lane] = T::from_f64(im);
            let at = (g * np + p) * 2 * vector + lane;
            let (x_re, x_im) = (x[at].to_f64(), x[at + vector].to_f64());
            let row = q * shape.y_stride + bin;
            expected[row] += re * x_re - im * x_im;
            expected[row + shape.y_im] += re * x_im + im * x_re;
        }
    }
    let contraction = Contraction::Separate;
    let kernel = spectral_mac(&shape, contraction, schedule).unwrap();
    let kernel = MacKernel::<T>::compile(kernel, &Maker::new(tier, best())).unwrap();
    kernel.run(&h, &x, &mut y).unwrap();
    let found: Vec<f64> = y.iter().map(|v| v.to_f64()).collect();
    assert_eq!(found, expected, "{}", kernel.code().name());
    assert_eq!(kernel.code().class(), NumericClass::sequential(contraction));
    assert_eq!(kernel.code().facts().is_some(), tier.makes_machine_code());
}

fn hold_block<T: Real + std::fmt::Debug>(tier: Tier, np: usize, nq: usize, block: usize) {
    let lags = 1 + (np + nq + block) % 11;
    let shape = BlockShape {
        np,
        nq,
        lags,
        block,
        x_stride: block + lags + 1,
        y_stride: block + 3,
        elem: T::ELEM,
    };
    let schedule = block_schedule(tier, best().level(), &shape);
    let layout = BlockLayout::new(&shape, schedule);
    let mut h = vec![T::from_f64(0.0); layout.len()];
    let x = numbers::<T>(shape.x_len(), 3);
    let mut y = numbers::<T>(shape.y_len(), 5);
    let mut expected: Vec<f64> = y.iter().map(|v| v.to_f64()).collect();
    for q in 0..nq {
        for (j, p) in (0..lags).flat_map(|j| (0..np).map(move |p| (j, p))) {
            let tap = whole((q * lags + j) * np + p);
            h[layout.index(q, j, p)] = T::from_f64(tap);
            for n in 0..block {
                expected[q * shape.y_stride + n] += tap * x[p * shape.x_stride + n + j].to_f64();
            }
        }
    }
    let kernel = temporal_block(&shape, Contraction::Separate, schedule).unwrap();
    let kernel = MacKernel::<T>::compile(kernel, &Maker::new(tier, best())).unwrap();
    kernel.run(&h, &x, &mut y).unwrap();
    let found: Vec<f64> = y.iter().map(|v| v.to_f64()).collect();
    assert_eq!(found, expected, "{}", kernel.code().name());
}

#[test]
fn what_is_picked_computes_the_sums_exactly() {
    for tier in Tier::ALL {
        for (np, nq) in PORTS.into_iter().flat_map(|n| PORTS.map(|m| (n, m))) {
            for block in BLOCKS {
                hold_spectral::<f64>(tier, np, nq, block);
                hold_spectral::<f32>(tier, np, nq, block);
                hold_block::<f64>(tier, np, nq, block);
                hold_block::<f32>(tier, np, nq, block);
            }
        }
    }
}

#[test]
fn short_buffers_are_refused_and_nothing_is_added() {
    let shape = BlockShape {
        np: 2,
        nq: 2,
        lags: 3,
        block: 4,
        x_stride: 6,
        y_stride: 4,
        elem: Elem::F64,
    };
    for tier in Tier::ALL {
        let schedule = block_schedule(tier, best().level(), &shape);
        let kernel = temporal_block(&shape, Contraction::Separate, schedule).unwrap();
        let kernel = MacKernel::<f64>::compile(kernel, &Maker::new(tier, best())).unwrap();
        let (h, x, mut y) = ([1.0; 12], [1.0; 12], [5.0; 8]);
        let cases = [
            kernel.run(&h[1..], &x, &mut y),
            kernel.run(&h, &x[1..], &mut y),
            kernel.run(&h, &x, &mut y[1..]),
        ];
        for case in cases {
            assert!(matches!(case, Err(CallError::Length { .. })), "{case:?}");
        }
        assert_eq!(y, [5.0; 8]);
        kernel.run(&h, &x, &mut y).unwrap();
        assert_eq!(y, [11.0; 8]);
        let kernel = temporal_block(&shape, Contraction::Separate, schedule).unwrap();
        let kernel = MacKernel::<f32>::compile(kernel, &Maker::new(tier, best())).unwrap();
        let refused = kernel.run(&[1.0; 12], &[1.0; 12], &mut [5.0; 8]);
        assert!(
            matches!(refused, Err(CallError::Type { .. })),
            "{refused:?}"
        );
    }
}
