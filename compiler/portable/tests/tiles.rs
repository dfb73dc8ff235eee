//! Families that work ahead: bits on every level, whole nests as one step, near misses left alone.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{check, describe};
use tdse_kir::{Contraction, Elem, Kernel, parse};
use tdse_templates::{
    BlockSchedule, BlockShape, SpectralSchedule, SpectralShape, spectral_mac, temporal_block,
};

const CONTRACTIONS: [Contraction; 2] = [Contraction::Fma, Contraction::Separate];
const ELEMS: [Elem; 2] = [Elem::F64, Elem::F32];
const PORTS: [usize; 6] = [1, 2, 3, 5, 8, 12];

fn spectral(np: usize, nq: usize, groups: usize, lanes: u8, turn: usize) -> SpectralShape {
    let bins = groups * usize::from(lanes);
    SpectralShape {
        np,
        nq,
        groups,
        lanes,
        y_stride: 2 * bins + turn % 3,
        y_im: bins + turn % 3,
        elem: ELEMS[turn / 2 % 2],
    }
}

#[test]
fn spectral_mac_of_odd_shapes() {
    let mut turn = 0;
    for (np, nq) in PORTS.into_iter().flat_map(|np| PORTS.map(|nq| (np, nq))) {
        for lanes in [1, 2, 4, 8, 16] {
            for groups in [1, 2, 3, 7] {
                turn += 1;
                let shape = spectral(np, nq, groups, lanes, turn);
                let rows = [1, 2, 3, 4, 5][turn % 5];
                for contraction in CONTRACTIONS {
                    let schedule = SpectralSchedule { rows };
                    let kernel = spectral_mac(&shape, contraction, schedule).unwrap();
                    let bytes = usize::from(lanes) * shape.elem.bytes();
                    let rows = usize::from(rows);
                    let whole = match bytes {
                        32 => rows.min(nq) <= 4,
                        64 => rows.min(nq) <= 2,
                        _ => false,
                    };
                    let text = describe(&kernel);
                    let left = text.contains("= fma") || text.contains(" * ");
                    assert_eq!(!left, whole, "{text}");
                    check(kernel, &[], turn as u64);
                }
            }
        }
    }
}

#[test]
fn temporal_block_of_odd_shapes() {
    let mut turn = 0;
    for (np, nq) in PORTS.into_iter().flat_map(|np| PORTS.map(|nq| (np, nq))) {
        for block in [1, 2, 3, 5, 7, 8, 16, 33] {
            for lags in [1, 2, 7, 31] {
                turn += 1;
                let shape = BlockShape {
                    np,
                    nq,
                    lags,
                    block,
                    x_stride: block + lags - 1 + turn % 3,
                    y_stride: block + turn % 2,
                    elem: ELEMS[turn / 2 % 2],
                };
                let (rows, lanes) = ([1, 2, 3, 4, 5][turn % 5], [1, 2, 4, 8, 16][turn / 5 % 5]);
                let contraction = CONTRACTIONS[turn / 4 % 2];
                let schedule = BlockSchedule { rows, lanes };
                let kernel = temporal_block(&shape, contraction, schedule).unwrap();
                let rows = usize::from(rows).min(nq);
                // Whole vectors and the last one, each of a width that there are loops for.
                let lanes = usize::from(lanes);
                let is_loop = |lanes: usize| {
                    let bytes = lanes * shape.elem.bytes();
                    bytes <= 16 || bytes == 32 || bytes == 64
                };
                if rows <= 4 && (lanes > block || is_loop(lanes)) && is_loop(block % lanes) {
                    let text = describe(&kernel);
                    let steps = text.lines().filter(|l| !l.contains("mac_columns"));
                    let plain = steps.filter(|l| !l.contains("loop") && !l.contains("end"));
                    assert_eq!(
                        plain.count(),
                        1,
                        "nothing but tiles and their loops\n{text}"
                    );
                }
                check(kernel, &[], turn as u64);
            }
        }
    }
}

#[test]
fn whole_nests_are_one_step() {
    let spectral = |np, nq, groups, rows| {
        let shape = SpectralShape {
            elem: Elem::F64,
            ..spectral(np, nq, groups, 4, 0)
        };
        let schedule = SpectralSchedule { rows };
        describe(&spectral_mac(&shape, Contraction::Fma, schedule).unwrap())
    };
    let line = |text: String| text.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_eq!(
        line(spectral(8, 8, 16, 4)),
        "  mac_complex f64 r=4 w=4 tiles=16x2 n=1x8"
    );
    assert_eq!(
        line(spectral(5, 3, 16, 4)),
        "  mac_complex f64 r=3 w=4 tiles=1x16 n=1x4+1x1"
    );
    let block = |np, nq, lags, block| {
        let shape = BlockShape {
            np,
            nq,
            lags,
            block,
            x_stride: block + lags,
            y_stride: block,
            elem: Elem::F64,
        };
        let schedule = BlockSchedule { rows: 4, lanes: 8 };
        describe(&temporal_block(&shape, Contraction::Fma, schedule).unwrap())
    };
    assert_eq!(
        line(block(12, 8, 31, 16)),
        "  mac_columns f64 r=4 w=8 tiles=2x2 n=31x12"
    );
    assert_eq!(
        line(block(3, 4, 31, 16)),
        "  mac_columns f64 r=4 w=8 tiles=1x2 n=31x3"
    );
    assert_eq!(
        line(block(1, 1, 31, 16)),
        "  mac_columns f64 r=1 w=8 tiles=1x2 n=1x28+1x3"
    );
}

/// A tile of two rows and one step a lag, whose statements a test replaces one at a time.
const TILE: &str = "kernel tile {
  class sequential(fma)
  param h : f64[64] readonly align 8
  param x : f64[64] readonly align 8
  param y : f64[64] readwrite align 8
  v0 = load f64x4 y[0]
  v1 = load f64x4 y[8]
  v2, v3 = loop j in 0..5 carry (v4 = v0, v5 = v1) {
    v6 = load f64x4 x[j]
    v7 = load_splat f64x4 h[2*j]
    v8 = fma v7, v6, v4
    v9 = load_splat f64x4 h[2*j + 1]
    v10 = fma v9, v6, v5
    yield v8, v10
  }
  store y[0], v2
  store y[8], v3
}
";

#[test]
fn what_is_almost_a_tile_keeps_its_bits() {
    let is_tile = |kernel: &Kernel| describe(kernel).contains("mac_columns");
    let kernel = parse(TILE).unwrap();
    assert!(is_tile(&kernel));
    check(kernel, &[], 1);
    let changes = [
        // The sums change places on their way.
        ("yield v8, v10", "yield v10, v8"),
        (
            "store y[0], v2\n  store y[8], v3",
            "store y[0], v3\n  store y[8], v2",
        ),
        ("carry (v4 = v0, v5 = v1)", "carry (v4 = v1, v5 = v0)"),
        ("carry (v4 = v0, v5 = v1)", "carry (v4 = v0, v5 = v0)"),
        // They go back to another place, or in part.
        ("store y[8], v3", "store y[16], v3"),
        ("store y[8], v3", "store y[8], v3 lanes 3"),
        ("store y[8], v3", "store y[8], v2"),
        ("store y[8], v3", "store y[8], v3\n  store y[12], v3"),
        ("v1 = load f64x4 y[8]", "v1 = load f64x4 y[8] lanes 3"),
        ("v1 = load f64x4 y[8]", "v1 = load_splat f64x4 y[8]"),
        ("v0 = load f64x4 y[0]", "v0 = load f64x4 x[0]"),
        // The terms are others.
        ("v6 = load f64x4 x[j]", "v6 = load f64x4 x[j] lanes 3"),
        ("fma v9, v6, v5", "fma v9, v7, v5"),
        ("fma v9, v6, v5", "fma v9, v6, v8"),
        ("fma v9, v6, v5", "fma v9, v5, v6"),
        ("fma v9, v6, v5", "fma v6, v6, v5"),
        ("fma v9, v6, v5", "fma v9, v0, v5"),
        ("v10 = fma v9, v6, v5", "v10 = add v9, v5"),
        ("loop j in 0..5", "loop j in 0..0"),
        // Taps of a lag do not stand one behind the other.
        ("h[2*j + 1]", "h[2*j + 9]"),
        ("h[2*j + 1]", "h[2*j]"),
    ];
    for (from, to) in changes {
        assert_eq!(TILE.matches(from).count(), 1, "{from}");
        let kernel = parse(&TILE.replace(from, to)).unwrap();
        assert!(!is_tile(&kernel), "{to}\n{}", describe(&kernel));
        check(kernel, &[], 2);
    }
    let still = [
        ("loop j in 0..5", "loop j in 3..5"),
        ("loop j in 0..5", "loop j in 0..1"),
        ("fma v9, v6, v5", "fma v6, v9, v5"),
        (
            "store y[8], v3\n",
            "store y[8], v3\n  v11 = load f64x4 y[0]\n  store y[32], v11\n",
        ),
        // The sums are also what the rows meet.
        ("load f64x4 x[j]", "load f64x4 y[j]"),
    ];
    for (from, to) in still {
        assert_eq!(TILE.matches(from).count(), 1, "{from}");
        let kernel = parse(&TILE.replace(from, to)).unwrap();
        assert!(is_tile(&kernel), "{to}\n{}", describe(&kernel));
        check(kernel, &[], 3);
    }
}
