//! Kernels made up from a seed: legal in every respect, and using every construct.

use tdse_kir::{
    Access, Affine, Bound, BufferId, Contraction, Elem, Kernel, KernelBuilder, NumericClass, Op,
    Order, Value, Var, VecType,
};

/// Numbers from a seed (xorshift).
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.bits() >> 11) % n
    }
}

/// Where values may come from: type and number, of the blocks open here.
type Pool = Vec<(VecType, Value)>;

struct Generator {
    draw: Draw,
    fused: bool,
    inputs: [BufferId; 2],
    output: BufferId,
    extent: i64,
    /// Variables in scope, with their largest value; the smallest is 0.
    vars: Vec<(Var, i64)>,
    budget: u32,
}

/// A kernel of parameters `a : f64`, `b : f32`, `y : f64` and `n`, verified in every case.
pub(crate) fn kernel(seed: u64) -> Kernel {
    let mut draw = Draw::new(seed);
    let contraction = [Contraction::Fma, Contraction::Separate][draw.below(2) as usize];
    let order = Order::Direct {
        partials: 1 << draw.below(7),
    };
    let mut b = KernelBuilder::new(
        format!("made-up.{seed}"),
        NumericClass { order, contraction },
    );
    let extent = 64 + draw.below(200) as i64;
    let inputs = [
        b.buffer("a", Elem::F64, extent as u64, Access::ReadOnly, 8),
        b.buffer(
            "b",
            Elem::F32,
            extent as u64,
            Access::ReadOnly,
            4 << draw.below(5),
        ),
    ];
    let output = b.buffer("y", Elem::F64, extent as u64, Access::ReadWrite, 64);
    let n = b.index("n", 0, 3);
    let mut generator = Generator {
        fused: contraction == Contraction::Fma,
        draw,
        inputs,
        output,
        extent,
        vars: vec![(n, 3)],
        budget: 60,
    };
    let first = b.constant(VecType::new(Elem::F64, 4), 1.5);
    generator.block(&mut b, &mut vec![(VecType::new(Elem::F64, 4), first)], 0);
    b.finish()
}

impl Generator {
    fn block(&mut self, b: &mut KernelBuilder, pool: &mut Pool, depth: u32) {
        for _ in 0..2 + self.draw.below(8) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.draw.below(8) {
                0 if depth < 3 => self.repeat(b, pool, depth),
                1 => self.store(b, pool),
                _ => {
                    let defined = self.define(b, pool);
                    pool.push(defined);
                }
            }
        }
    }

    fn repeat(&mut self, b: &mut KernelBuilder, pool: &mut Pool, depth: u32) {
        let carried: Pool = (0..self.draw.below(4)).map(|_| self.pick(pool)).collect();
        let trips = self.draw.below(4) as i64;
        let (hi, most) = match self.draw.below(3) {
            0 => (Bound::Param(self.vars[0].0), 3),
            _ => (Bound::Const(trips), trips),
        };
        let init: Vec<Value> = carried.iter().map(|c| c.1).collect();
        let name = format!("i{depth}");
        let results = b.repeat(&name, Bound::Const(0), hi, &init, |b, var, inner| {
            self.vars.push((var, (most - 1).max(0)));
            let mut pool = pool.clone();
            let types = carried.iter().map(|c| c.0);
            pool.extend(types.clone().zip(inner.iter().copied()));
            self.block(b, &mut pool, depth + 1);
            self.vars.pop();
            types
                .map(|ty| {
                    let fitting: Vec<Value> =
                        pool.iter().filter(|p| p.0 == ty).map(|p| p.1).collect();
                    fitting[self.draw.below(fitting.len() as u64) as usize]
                })
                .collect()
        });
        pool.extend(carried.iter().map(|c| c.0).zip(results));
    }

    fn store(&mut self, b: &mut KernelBuilder, pool: &Pool) {
        let (ty, value) = self.pick(pool);
        if ty.elem == Elem::F64 {
            let lanes = 1 + self.draw.below(ty.lanes.into()) as u16;
            let at = self.address(lanes);
            b.store(self.output, at, value, lanes);
        }
    }

    fn define(&mut self, b: &mut KernelBuilder, pool: &Pool) -> (VecType, Value) {
        let (ty, a) = self.pick(pool);
        let fresh = self.ty();
        let fitting: Vec<Value> = pool.iter().filter(|p| p.0 == ty).map(|p| p.1).collect();
        let mut other = || fitting[self.draw.below(fitting.len() as u64) as usize];
        let (c, d) = (other(), other());
        match self.draw.below(11) {
            0 => (fresh, b.constant(fresh, self.number(fresh.elem))),
            1 => {
                let lanes = 1 + self.draw.below(fresh.lanes.into()) as u16;
                let at = self.address(lanes);
                (
                    fresh,
                    b.load_lanes(fresh, self.inputs[fresh.elem_index()], at, lanes),
                )
            }
            2 => {
                let at = self.address(1);
                (
                    fresh,
                    b.load_splat(fresh, self.inputs[fresh.elem_index()], at),
                )
            }
            3 => {
                let sum = b.reduce(a);
                (VecType::scalar(ty.elem), sum)
            }
            4 if ty.lanes == 1 => {
                let wide = VecType::new(ty.elem, fresh.lanes);
                (wide, b.define(wide, Op::Splat(a)))
            }
            5 => (ty, b.define(ty, Op::Neg(a))),
            6 => (ty, b.define(ty, Op::Sub(a, c))),
            7 => (ty, b.mul(a, c)),
            8 | 9 if self.fused => (ty, b.fma(a, c, d)),
            _ => (ty, b.add(a, c)),
        }
    }

    fn pick(&mut self, pool: &Pool) -> (VecType, Value) {
        pool[self.draw.below(pool.len() as u64) as usize]
    }

    fn ty(&mut self) -> VecType {
        let elem = [Elem::F64, Elem::F32][self.draw.below(2) as usize];
        VecType::new(elem, 1 << self.draw.below(7))
    }

    /// A number of few digits, or a special one.
    fn number(&mut self, elem: Elem) -> f64 {
        let smallest = match elem {
            Elem::F64 => 5e-324,
            Elem::F32 => f64::from(f32::from_bits(1)),
        };
        match self.draw.below(12) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => -smallest,
            _ => (self.draw.below(1 << 20) as f64 - 500_000.0) / 4096.0,
        }
    }

    /// An address of `lanes` elements that stays inside for all values of the variables.
    fn address(&mut self, lanes: u16) -> Affine {
        let mut room = self.extent - i64::from(lanes);
        let mut at = Affine::at(0);
        let mut constant = 0;
        for (var, most) in self.vars.clone() {
            let coefficient = self.draw.below(9) as i64 - 4;
            let reach = coefficient.abs() * most;
            if reach <= room {
                room -= reach;
                constant += if coefficient < 0 { reach } else { 0 };
                at = at.plus(var, coefficient);
            }
        }
        at.offset(constant + self.draw.below(room as u64 + 1) as i64)
    }
}

trait ElemIndex {
    fn elem_index(self) -> usize;
}

impl ElemIndex for VecType {
    fn elem_index(self) -> usize {
        match self.elem {
            Elem::F64 => 0,
            Elem::F32 => 1,
        }
    }
}
