//! Hand-made kernels: every operation, mask and form of loop.

use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, Kernel, KernelBuilder, NumericClass, Op, VecType,
};

use super::{CONTRACTIONS, ELEMS, Suite};

const LANES: [u16; 7] = [1, 2, 4, 8, 16, 32, 64];

impl Suite {
    /// Every operation with every number of lanes.
    pub fn every_operation_at_every_width(&self) {
        for contraction in CONTRACTIONS {
            for elem in ELEMS {
                for lanes in LANES {
                    self.agree(operations(contraction, VecType::new(elem, lanes)), 0);
                }
            }
        }
    }

    /// Loads and stores of every number of lanes that are not all.
    pub fn every_mask(&self) {
        for elem in ELEMS {
            for lanes in [1, 2, 4, 8, 16] {
                for mask in 1..=lanes {
                    self.agree(masks(VecType::new(elem, lanes), mask), 0);
                }
            }
        }
    }

    /// Loops in loops, of none, one and more iterations.
    pub fn loops_of_any_count(&self) {
        for elem in ELEMS {
            for trips in [0, 1, 2, 3, 7] {
                for lo in [0, 2] {
                    self.agree(nested(elem, lo, trips), 0);
                }
            }
        }
    }

    /// Loops and addresses with index parameters.
    pub fn bounds_that_are_parameters(&self) {
        for elem in ELEMS {
            for index in 0..=6 {
                self.agree(dynamic(elem), index);
            }
        }
    }
}

/// Uses every operation once or more; each result is stored in full.
fn operations(contraction: Contraction, ty: VecType) -> Kernel {
    let lanes = i64::from(ty.lanes);
    let mut b = builder(
        format!("operations_{}x{lanes}", ty.elem.name()),
        contraction,
    );
    let x = b.buffer(
        "x",
        ty.elem,
        3 * u64::from(ty.lanes) + 4,
        Access::ReadOnly,
        8,
    );
    let y = b.buffer(
        "y",
        ty.elem,
        16 * u64::from(ty.lanes),
        Access::ReadWrite,
        64,
    );
    let p = b.load(ty, x, Affine::at(1));
    let q = b.load(ty, x, Affine::at(lanes + 2));
    let r = b.load_splat(ty, x, Affine::at(3));
    let half = b.constant(ty, 0.5);
    let minus_zero = b.constant(ty, -0.0);
    let scalar = b.load(VecType::scalar(ty.elem), x, Affine::at(2));
    let splat = b.define(ty, Op::Splat(scalar));
    let mut results = vec![p, r, half, minus_zero, splat];
    results.push(b.add(p, q));
    results.push(b.define(ty, Op::Sub(p, q)));
    results.push(b.mul(p, q));
    results.push(b.define(ty, Op::Neg(p)));
    results.push(b.add(minus_zero, r));
    if contraction == Contraction::Fma {
        results.push(b.fma(p, q, splat));
        results.push(b.fma(r, half, q));
        let negated = b.define(ty, Op::Neg(q));
        results.push(b.fma(p, negated, r));
        results.push(b.fma(p, r, negated));
    }
    for (i, &result) in results.iter().enumerate() {
        b.store(y, Affine::at(i as i64 * lanes), result, ty.lanes);
    }
    let sum = b.reduce(q);
    b.store(y, Affine::at(15 * lanes), sum, 1);
    b.finish()
}

/// Loads `mask` lanes, twice from places of different alignment, and stores all and `mask` lanes.
fn masks(ty: VecType, mask: u16) -> Kernel {
    let lanes = u64::from(ty.lanes);
    let mut b = builder(
        format!("mask_{mask}_of_{}x{lanes}", ty.elem.name()),
        Contraction::Separate,
    );
    // The last element read is the last of the buffer.
    let x = b.buffer("x", ty.elem, u64::from(mask) + 1, Access::ReadOnly, 64);
    let y = b.buffer("y", ty.elem, 4 * lanes + 1, Access::ReadWrite, 8);
    let p = b.load_lanes(ty, x, Affine::at(0), mask);
    let q = b.load_lanes(ty, x, Affine::at(1), mask);
    let sum = b.add(p, q);
    b.store(y, Affine::at(0), p, ty.lanes);
    b.store(y, Affine::at(lanes as i64), q, ty.lanes);
    b.store(y, Affine::at(2 * lanes as i64), sum, mask);
    b.store(y, Affine::at(3 * lanes as i64 + 1), sum, mask);
    b.finish()
}

/// Two loops deep: carried sums and a pair that changes places, addresses in both counters and in
/// one, a second loop after the first, a loop that addresses nothing.
fn nested(elem: Elem, lo: i64, trips: i64) -> Kernel {
    let ty = VecType::new(elem, 4);
    let mut b = builder(
        format!("nested_{}_{lo}_{trips}", elem.name()),
        Contraction::Separate,
    );
    let x = b.buffer("x", elem, 400, Access::ReadOnly, 8);
    let y = b.buffer("y", elem, 64, Access::ReadWrite, 8);
    let (from, to) = (Bound::Const(lo), Bound::Const(lo + trips));
    let inner_from = Bound::Const((lo + trips).min(1));
    let zero = b.constant(ty, 0.0);
    let one = b.constant(ty, 1.0);
    let outer = b.repeat("i", from, to, &[zero, one], |b, i, carried| {
        let row = b.load(ty, x, Affine::at(5).plus(i, 20));
        let inner = b.repeat("j", inner_from, to, carried, |b, j, carried| {
            let p = b.load(ty, x, Affine::at(0).plus(i, 20).plus(j, 4));
            let q = b.load_splat(ty, x, Affine::at(300).plus(j, 3));
            let product = b.mul(p, q);
            let sum = b.add(product, carried[0]);
            let other = b.add(row, carried[1]);
            vec![other, sum]
        });
        b.store(y, Affine::at(0).plus(i, 4), inner[0], 3);
        vec![inner[0], inner[1]]
    });
    b.store(y, Affine::at(44), outer[0], 4);
    let idle = b.repeat("k", from, to, &[outer[1]], |b, _, carried| {
        vec![b.add(carried[0], one)]
    });
    b.store(y, Affine::at(48), idle[0], 4);
    let sum = b.reduce(idle[0]);
    b.store(y, Affine::at(60), sum, 1);
    b.finish()
}

/// Loops to an index parameter, from one, and addresses that hold one.
fn dynamic(elem: Elem) -> Kernel {
    let ty = VecType::new(elem, 2);
    let mut b = builder(format!("dynamic_{}", elem.name()), Contraction::Separate);
    let x = b.buffer("x", elem, 64, Access::ReadOnly, 8);
    let n = b.index("n", 0, 6);
    let y = b.buffer("y", elem, 64, Access::ReadWrite, 8);
    let zero = b.constant(ty, 0.0);
    let up = b.repeat(
        "i",
        Bound::Const(0),
        Bound::Param(n),
        &[zero],
        |b, i, carried| {
            let p = b.load(ty, x, Affine::at(1).plus(n, 2).plus(i, 4));
            b.store(y, Affine::at(0).plus(i, 2), p, 2);
            vec![b.add(p, carried[0])]
        },
    );
    b.store(y, Affine::at(20), up[0], 2);
    let down = b.repeat(
        "j",
        Bound::Param(n),
        Bound::Const(6),
        &up,
        |b, j, carried| {
            let p = b.load(ty, x, Affine::at(2).plus(j, 5));
            vec![b.add(p, carried[0])]
        },
    );
    b.store(y, Affine::at(30).plus(n, 1), down[0], 2);
    let idle = b.repeat("k", Bound::Const(0), Bound::Param(n), &down, |b, _, c| {
        vec![b.add(c[0], c[0])]
    });
    b.store(y, Affine::at(40), idle[0], 2);
    b.finish()
}

fn builder(name: String, contraction: Contraction) -> KernelBuilder {
    KernelBuilder::new(name, NumericClass::direct(contraction))
}
