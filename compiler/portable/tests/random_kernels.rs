//! Random kernels: whatever the verifier accepts runs with the interpreter's bits.
//!
//! Half of the loops are multiply-accumulates in even or slightly uneven walks, so that the
//! recogniser meets what it must take and what it must leave.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{Numbers, check, describe};
use tdse_kir::{
    Access, Affine, Bound, BufferId, Contraction, Elem, Kernel, KernelBuilder, NumericClass, Op,
    Value, Var, VecType,
};

const EXTENT: i64 = 16000;
const SEEDS: u64 = 150;

struct Generator {
    numbers: Numbers,
    b: KernelBuilder,
    elem: Elem,
    x: BufferId,
    y: BufferId,
    /// Values and variables in scope; the smallest and largest number of each variable.
    values: Vec<(Value, VecType)>,
    vars: Vec<(Var, i64, i64)>,
}

fn generate(seed: u64) -> Kernel {
    let mut numbers = Numbers(seed);
    let elem = if numbers.below(2) == 0 {
        Elem::F64
    } else {
        Elem::F32
    };
    let class = NumericClass::direct(Contraction::Fma);
    let mut b = KernelBuilder::new(format!("random{seed}"), class);
    let align = elem.bytes() as u32;
    let x = b.buffer("x", elem, EXTENT as u64, Access::ReadOnly, align);
    let y = b.buffer("y", elem, EXTENT as u64, Access::ReadWrite, align);
    let mut g = Generator {
        numbers,
        b,
        elem,
        x,
        y,
        values: Vec::new(),
        vars: Vec::new(),
    };
    g.block(0, 12);
    for (value, ty) in g.values.clone() {
        let at = g.address(ty.lanes);
        g.b.store(y, at, value, ty.lanes);
    }
    g.b.finish()
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.numbers.below(n as u64) as usize
    }

    fn ty(&mut self) -> VecType {
        let lanes = [1, 2, 4, 8, 8, 8, 16][self.below(7)];
        VecType::new(self.elem, lanes)
    }

    /// An address with room for `span` elements, whatever the variables.
    fn address(&mut self, span: u16) -> Affine {
        let mut at = Affine::at(0);
        let (mut least, mut most) = (0, 0);
        for (var, lo, hi) in self.vars.clone() {
            let by = self.below(41) as i64 - 20;
            at = at.plus(var, by);
            least += (by * lo).min(by * hi);
            most += (by * lo).max(by * hi);
        }
        let room = EXTENT - i64::from(span) - (most - least);
        at.offset(self.below(room as usize) as i64 - least)
    }

    fn pick(&mut self, ty: VecType) -> Value {
        let fit: Vec<Value> = self
            .values
            .iter()
            .filter(|(_, t)| *t == ty)
            .map(|&(v, _)| v)
            .collect();
        if fit.is_empty() {
            let at = self.address(ty.lanes);
            let value = self.b.load(ty, self.x, at);
            self.values.push((value, ty));
            return value;
        }
        fit[self.below(fit.len())]
    }

    fn block(&mut self, depth: usize, statements: usize) {
        for _ in 0..statements {
            let ty = self.ty();
            let value = match self.below(14) {
                0 => self
                    .b
                    .constant(ty, [0.0, -0.0, 1.0, -0.5][self.numbers.below(4) as usize]),
                1 | 2 => {
                    let lanes = 1 + self.below(usize::from(ty.lanes)) as u16;
                    let (at, buffer) = (self.address(lanes), [self.x, self.y][self.below(2)]);
                    self.b.load_lanes(ty, buffer, at, lanes)
                }
                3 => {
                    let at = self.address(1);
                    self.b.load_splat(ty, self.x, at)
                }
                4 => {
                    let scalar = self.pick(VecType::scalar(self.elem));
                    self.b.define(ty, Op::Splat(scalar))
                }
                5 => {
                    let a = self.pick(ty);
                    let total = self.b.reduce(a);
                    self.values.push((total, VecType::scalar(self.elem)));
                    continue;
                }
                6 => {
                    let value = self.pick(ty);
                    let lanes = 1 + self.below(usize::from(ty.lanes)) as u16;
                    let at = self.address(lanes);
                    self.b.store(self.y, at, value, lanes);
                    continue;
                }
                7 if depth < 3 => {
                    self.any_loop(depth);
                    continue;
                }
                8 | 9 => {
                    self.mac_loop(ty);
                    continue;
                }
                other => {
                    let (a, b, c) = (self.pick(ty), self.pick(ty), self.pick(ty));
                    let op = match other {
                        10 => Op::Add(a, b),
                        11 => Op::Sub(a, b),
                        12 => Op::Fma(a, b, c),
                        _ => [Op::Mul(a, b), Op::Neg(a)][self.below(2)].clone(),
                    };
                    self.b.define(ty, op)
                }
            };
            self.values.push((value, ty));
        }
    }

    /// Runs `body` inside a loop; values and variables defined there leave scope after it.
    fn looped(
        &mut self,
        init: &[(Value, VecType)],
        trips: i64,
        body: impl FnOnce(&mut Self, Var, &[Value]) -> Vec<Value>,
    ) {
        let lo = self.below(5) as i64 - 2;
        let before = self.values.len();
        let starts: Vec<Value> = init.iter().map(|&(v, _)| v).collect();
        let spare = KernelBuilder::new("spare", NumericClass::direct(Contraction::Fma));
        let mut builder = std::mem::replace(&mut self.b, spare);
        let name = format!("i{}", self.vars.len());
        let (lo_bound, hi_bound) = (Bound::Const(lo), Bound::Const(lo + trips));
        let results = builder.repeat(&name, lo_bound, hi_bound, &starts, |b, var, carried| {
            std::mem::swap(&mut self.b, b);
            self.vars.push((var, lo, (lo + trips - 1).max(lo)));
            let next = body(self, var, carried);
            self.vars.pop();
            std::mem::swap(&mut self.b, b);
            next
        });
        self.b = builder;
        self.values.truncate(before);
        self.values
            .extend(results.into_iter().zip(init.iter().map(|&(_, t)| t)));
    }

    fn any_loop(&mut self, depth: usize) {
        let carries = self.below(4);
        let init: Vec<(Value, VecType)> = (0..carries)
            .map(|_| {
                let ty = self.ty();
                (self.pick(ty), ty)
            })
            .collect();
        let trips = self.below(4) as i64;
        let types: Vec<VecType> = init.iter().map(|&(_, t)| t).collect();
        self.looped(&init, trips, |g, _, carried| {
            g.values
                .extend(carried.iter().copied().zip(types.iter().copied()));
            let statements = 3 + g.below(5);
            g.block(depth + 1, statements);
            types.iter().map(|&ty| g.pick(ty)).collect()
        });
    }

    /// Multiply-accumulates in the walk of a family, sometimes with one step out of line.
    fn mac_loop(&mut self, ty: VecType) {
        let rows_form = self.below(2) == 0;
        let chains = if rows_form { 8 } else { 1 + self.below(9) };
        let (unroll, trips) = (1 + self.below(3) as i64, self.below(4) as i64);
        let fused = self.below(2) == 0;
        let odd = if self.below(4) == 0 {
            self.below(chains)
        } else {
            usize::MAX
        };
        let init: Vec<(Value, VecType)> = (0..chains).map(|_| (self.pick(ty), ty)).collect();
        let lanes = i64::from(ty.lanes);
        // The walk goes up to 3 trips of 3 steps of 9 chains, from a counter of at least -2.
        let room = (3 * 3 * 9 + 4 * 9 * 3) * lanes as usize;
        let start =
            room as i64 + self.below((EXTENT as usize).saturating_sub(3 * room).max(1)) as i64;
        if start + 2 * room as i64 > EXTENT {
            return;
        }
        self.looped(&init, trips, |g, j, carried| {
            let mut sums = carried.to_vec();
            let step = lanes * chains as i64;
            for u in 0..unroll {
                let shared = Affine::at(start + u * lanes).plus(j, unroll * lanes);
                let window = (!rows_form).then(|| g.b.load(ty, g.x, shared));
                for (k, sum) in sums.iter_mut().enumerate() {
                    let shift = i64::from(k == odd);
                    let at = Affine::at(start + u * step + k as i64 * lanes + shift);
                    let taps = g.b.load(ty, g.y, at.plus(j, unroll * step));
                    let input = window.unwrap_or_else(|| {
                        let at = Affine::at(start + u * chains as i64 + k as i64);
                        g.b.load_splat(ty, g.x, at.plus(j, unroll * chains as i64))
                    });
                    let (a, c) = if k % 3 == 2 {
                        (input, taps)
                    } else {
                        (taps, input)
                    };
                    *sum = if fused {
                        g.b.fma(a, c, *sum)
                    } else {
                        let product = g.b.mul(a, c);
                        if k % 2 == 0 {
                            g.b.add(product, *sum)
                        } else {
                            g.b.add(*sum, product)
                        }
                    };
                }
            }
            if odd == 0 {
                sums.rotate_left(1);
            }
            sums
        });
    }
}

#[test]
fn random_kernels_keep_their_bits() {
    let mut whole_loops = [0, 0];
    for seed in 0..SEEDS {
        let kernel = generate(seed);
        let text = describe(&kernel);
        whole_loops[0] += text.matches("mac_taps").count();
        whole_loops[1] += text.matches("mac_rows").count();
        check(kernel, &[], seed);
    }
    println!(
        "{SEEDS} kernels, {} taps loops, {} rows loops",
        whole_loops[0], whole_loops[1]
    );
    assert!(
        whole_loops.iter().all(|&n| n > 50),
        "the recogniser was hardly met: {whole_loops:?}"
    );
}
