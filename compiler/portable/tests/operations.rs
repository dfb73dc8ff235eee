//! Every operation, lane count and loop form, bit by bit against the interpreter.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{check, describe};
use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, Kernel, KernelBuilder, NumericClass, Op, VecType,
};

const ELEMS: [Elem; 2] = [Elem::F64, Elem::F32];
const FMA: NumericClass = NumericClass::direct(Contraction::Fma);

fn width(elem: Elem) -> u32 {
    elem.bytes() as u32
}

/// All operations on vectors of `lanes`, `masked` of them loaded and stored.
fn all_operations(elem: Elem, lanes: u16, masked: u16) -> Kernel {
    let ty = VecType::new(elem, lanes);
    let mut b = KernelBuilder::new(format!("ops_{lanes}_{masked}"), FMA);
    let x = b.buffer("x", elem, 200, Access::ReadOnly, width(elem));
    let y = b.buffer("y", elem, 600, Access::ReadWrite, width(elem));
    let a = b.load(ty, x, Affine::at(3));
    let m = b.load_lanes(ty, x, Affine::at(100), masked);
    let s = b.load_splat(ty, x, Affine::at(71));
    let c = b.constant(ty, -0.375);
    let one = b.load(VecType::scalar(elem), x, Affine::at(5));
    let splat = b.define(ty, Op::Splat(one));
    let results = [
        b.add(a, m),
        b.define(ty, Op::Sub(m, s)),
        b.mul(c, a),
        b.define(ty, Op::Neg(m)),
        b.fma(a, s, m),
        b.fma(m, splat, c),
    ];
    let mut at = 0;
    for v in results {
        b.store(y, Affine::at(at), v, masked);
        at += i64::from(masked);
        let total = b.reduce(v);
        b.store(y, Affine::at(at), total, 1);
        at += 1;
    }
    b.finish()
}

#[test]
fn every_operation_and_mask() {
    for elem in ELEMS {
        for lanes in [1, 2, 4, 8, 16, 32, 64] {
            for masked in (1..=lanes).filter(|m| lanes <= 16 || m % 7 == 1 || *m == lanes) {
                check(
                    all_operations(elem, lanes, masked),
                    &[],
                    u64::from(lanes + masked),
                );
            }
        }
    }
}

#[test]
fn every_constant_keeps_its_sign_and_bits() {
    for elem in ELEMS {
        for value in [
            0.0,
            -0.0,
            1.5,
            -f64::from(f32::MAX),
            f64::from(f32::MIN_POSITIVE),
        ] {
            let mut b = KernelBuilder::new("constant", FMA);
            let y = b.buffer("y", elem, 4, Access::WriteOnly, width(elem));
            let c = b.constant(VecType::new(elem, 4), value);
            b.store(y, Affine::at(0), c, 4);
            check(b.finish(), &[], 1);
        }
    }
}

/// A sum over a loop with bounds, trip count given by a parameter.
fn counted(elem: Elem, lanes: u16, step: i64) -> Kernel {
    let ty = VecType::new(elem, lanes);
    let mut b = KernelBuilder::new("counted", FMA);
    let x = b.buffer("x", elem, 700, Access::ReadOnly, width(elem));
    let y = b.buffer(
        "y",
        elem,
        2 * u64::from(lanes),
        Access::WriteOnly,
        width(elem),
    );
    let n = b.index("n", 0, 9);
    let zero = b.constant(ty, -0.0);
    let plain = b.repeat("i", Bound::Const(0), Bound::Param(n), &[zero], |b, i, s| {
        let v = b.load(ty, x, Affine::at(1).plus(i, step));
        vec![b.add(s[0], v)]
    });
    let mac = b.repeat("k", Bound::Const(0), Bound::Param(n), &[zero], |b, k, s| {
        let v = b.load(ty, x, Affine::at(2).plus(k, step));
        let w = b.load(ty, x, Affine::at(600).plus(k, -step));
        vec![b.fma(v, w, s[0])]
    });
    b.store(y, Affine::at(0), plain[0], lanes);
    b.store(y, Affine::at(i64::from(lanes)), mac[0], lanes);
    b.finish()
}

#[test]
fn trip_counts_from_a_parameter() {
    for elem in ELEMS {
        for lanes in [1, 2, 8, 16] {
            for n in [0, 1, 2, 3, 7, 9] {
                check(counted(elem, lanes, 37), &[n], n as u64);
            }
        }
    }
    let text = describe(&counted(Elem::F64, 16, 37));
    assert_eq!(
        text.matches("mac_taps f64 r=1 n=0..i0 x1").count(),
        2,
        "{text}"
    );
}

/// Loops whose bounds do not start at zero, nested three deep, accumulating in the middle one.
fn nested(elem: Elem) -> Kernel {
    let ty = VecType::new(elem, 8);
    let mut b = KernelBuilder::new("nested", FMA);
    let h = b.buffer("h", elem, 3000, Access::ReadOnly, width(elem));
    let x = b.buffer("x", elem, 200, Access::ReadOnly, width(elem));
    let y = b.buffer("y", elem, 600, Access::ReadWrite, width(elem));
    let lo = b.index("lo", 1, 2);
    let scale = b.load_splat(ty, x, Affine::at(7));
    b.repeat("a", Bound::Const(2), Bound::Const(5), &[], |b, a, _| {
        let init = b.load(ty, x, Affine::at(0).plus(a, 3));
        let sums = b.repeat(
            "c",
            Bound::Const(-1),
            Bound::Const(3),
            &[init, scale],
            |b, c, s| {
                let base = Affine::at(100).plus(a, 200).plus(c, 64);
                let sums = b.repeat("k", Bound::Param(lo), Bound::Const(4), s, |b, k, s| {
                    let at = base.clone().plus(k, 16);
                    let window = b.load(ty, x, Affine::at(0).plus(k, 8));
                    let first = b.load(ty, h, at.clone());
                    let second = b.load(ty, h, at.offset(8));
                    vec![b.fma(first, window, s[0]), b.fma(window, second, s[1])]
                });
                let scaled = b.mul(sums[0], scale);
                b.store(y, Affine::at(8).plus(a, 100).plus(c, 8), scaled, 8);
                sums
            },
        );
        let total = b.reduce(sums[1]);
        b.store(y, Affine::at(0).plus(a, 1), total, 1);
        b.store(y, Affine::at(80).plus(a, 100), sums[0], 5);
        Vec::new()
    });
    b.finish()
}

#[test]
fn nested_loops() {
    for elem in ELEMS {
        for lo in [1, 2] {
            check(nested(elem), &[lo], 9);
        }
    }
    assert!(describe(&nested(Elem::F64)).contains("mac_taps f64 r=2 n=i0..4 x1"));
}

/// Carried values that change places, stay, or come from outside.
#[test]
fn carried_values_are_exchanged_at_once() {
    for elem in ELEMS {
        for lanes in [4, 16] {
            for trips in [0, 1, 2, 3] {
                let ty = VecType::new(elem, lanes);
                let mut b = KernelBuilder::new("exchange", FMA);
                let x = b.buffer("x", elem, 64, Access::ReadOnly, width(elem));
                let y = b.buffer("y", elem, 64, Access::WriteOnly, width(elem));
                let init: Vec<_> = (0..4).map(|i| b.load(ty, x, Affine::at(16 * i))).collect();
                let out = b.repeat(
                    "i",
                    Bound::Const(0),
                    Bound::Const(trips),
                    &init,
                    |b, _, s| {
                        let next = b.add(s[2], s[0]);
                        vec![s[1], s[0], next, init[1]]
                    },
                );
                for i in 0..16 / i64::from(lanes) {
                    for (k, &v) in out.iter().enumerate() {
                        let at = 16 * k as i64 + i64::from(lanes) * i;
                        b.store(y, Affine::at(at), v, lanes);
                    }
                }
                check(b.finish(), &[], 3);
            }
        }
    }
}

/// Both element types in one kernel.
#[test]
fn mixed_types() {
    let mut b = KernelBuilder::new("mixed", FMA);
    let x = b.buffer("x", Elem::F64, 16, Access::ReadOnly, 8);
    let z = b.buffer("z", Elem::F32, 16, Access::ReadWrite, 4);
    let y = b.buffer("y", Elem::F64, 16, Access::WriteOnly, 8);
    let (wide, narrow) = (VecType::new(Elem::F64, 16), VecType::new(Elem::F32, 16));
    let (v, w) = (
        b.load(wide, x, Affine::at(0)),
        b.load(narrow, z, Affine::at(0)),
    );
    let (v2, w2) = (b.mul(v, v), b.fma(w, w, w));
    b.store(z, Affine::at(0), w2, 16);
    b.store(y, Affine::at(0), v2, 16);
    check(b.finish(), &[], 5);
}
