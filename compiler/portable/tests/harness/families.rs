//! Hand-made kernels in the form of the direct families.

use tdse_kir::{
    Access, Affine, Bound, BufferId, Contraction, Elem, Kernel, KernelBuilder, NumericClass, Value,
    VecType,
};

/// A kernel of either family. `steps` iterations of `unroll` groups, then `left` single groups.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    pub elem: Elem,
    pub contraction: Contraction,
    /// Rows of a block (taps), or lanes of a tile (rows).
    pub rows: i64,
    pub blocks: i64,
    pub unroll: i64,
    pub steps: i64,
    pub left: i64,
    /// Terms in the incomplete last group, 0 to 7.
    pub tail: i64,
}

impl Family {
    fn terms(&self) -> i64 {
        8 * (self.unroll * self.steps + self.left) + self.tail
    }

    fn padded(&self) -> i64 {
        (self.terms() + 7) / 8 * 8
    }

    fn accumulate(&self, b: &mut KernelBuilder, h: Value, x: Value, sum: Value) -> Value {
        match self.contraction {
            Contraction::Fma => b.fma(h, x, sum),
            Contraction::Separate => {
                let product = b.mul(h, x);
                b.add(product, sum)
            }
        }
    }

    fn start(&self, what: &str, h: i64) -> (KernelBuilder, [BufferId; 3]) {
        let name = format!(
            "{what}_{}_r{}_u{}",
            self.elem.name(),
            self.rows,
            self.unroll
        );
        let mut b = KernelBuilder::new(name, NumericClass::direct(self.contraction));
        let align = self.elem.bytes() as u32;
        let y = (self.rows * self.blocks) as u64;
        let buffers = [
            b.buffer("h", self.elem, h as u64, Access::ReadOnly, align),
            b.buffer("x", self.elem, self.terms() as u64, Access::ReadOnly, align),
            b.buffer("y", self.elem, y, Access::WriteOnly, align),
        ];
        (b, buffers)
    }

    /// Terms in lanes.
    pub fn taps(&self) -> Kernel {
        let block = self.rows * self.padded();
        let (mut b, [h, x, y]) = self.start("taps", block * self.blocks);
        let ty = VecType::new(self.elem, 8);
        let group = |b: &mut KernelBuilder, sums: &mut [Value], at_h: Affine, at_x: Affine, m| {
            let window = b.load_lanes(ty, x, at_x, m);
            for (r, sum) in sums.iter_mut().enumerate() {
                let taps = b.load(ty, h, at_h.clone().offset(8 * r as i64));
                *sum = self.accumulate(b, taps, window, *sum);
            }
        };
        let zero = b.constant(ty, 0.0);
        b.repeat(
            "b",
            Bound::Const(0),
            Bound::Const(self.blocks),
            &[],
            |b, block_var, _| {
                let base = Affine::at(0).plus(block_var, block);
                let init = vec![zero; self.rows as usize];
                let stride = 8 * self.rows;
                let mut sums = b.repeat(
                    "j",
                    Bound::Const(0),
                    Bound::Const(self.steps),
                    &init,
                    |b, j, sums| {
                        let mut sums = sums.to_vec();
                        for u in 0..self.unroll {
                            let at_h = base
                                .clone()
                                .plus(j, stride * self.unroll)
                                .offset(u * stride);
                            let at_x = Affine::at(8 * u).plus(j, 8 * self.unroll);
                            group(b, &mut sums, at_h, at_x, 8);
                        }
                        sums
                    },
                );
                let done = self.unroll * self.steps;
                for g in done..done + self.left {
                    group(
                        b,
                        &mut sums,
                        base.clone().offset(g * stride),
                        Affine::at(8 * g),
                        8,
                    );
                }
                if self.tail > 0 {
                    let g = done + self.left;
                    let m = self.tail as u16;
                    group(
                        b,
                        &mut sums,
                        base.clone().offset(g * stride),
                        Affine::at(8 * g),
                        m,
                    );
                }
                for (r, &sum) in sums.iter().enumerate() {
                    let total = b.reduce(sum);
                    let at = Affine::at(r as i64).plus(block_var, self.rows);
                    b.store(y, at, total, 1);
                }
                Vec::new()
            },
        );
        b.finish()
    }

    /// Rows in lanes.
    pub fn rows(&self) -> Kernel {
        let tile = self.rows * self.terms();
        let (mut b, [h, x, y]) = self.start("rows", tile * self.blocks);
        let ty = VecType::new(self.elem, self.rows as u16);
        let term = |b: &mut KernelBuilder, sum: &mut Value, at_h: Affine, at_x: Affine| {
            let taps = b.load(ty, h, at_h);
            let input = b.load_splat(ty, x, at_x);
            *sum = self.accumulate(b, taps, input, *sum);
        };
        let zero = b.constant(ty, 0.0);
        b.repeat(
            "b",
            Bound::Const(0),
            Bound::Const(self.blocks),
            &[],
            |b, block_var, _| {
                let base = Affine::at(0).plus(block_var, tile);
                let per = 8 * self.unroll;
                let mut sums = b.repeat(
                    "j",
                    Bound::Const(0),
                    Bound::Const(self.steps),
                    &[zero; 8],
                    |b, j, s| {
                        let mut sums = s.to_vec();
                        for i in 0..per {
                            let at_h = base.clone().plus(j, per * self.rows).offset(i * self.rows);
                            let at_x = Affine::at(i).plus(j, per);
                            term(b, &mut sums[i as usize % 8], at_h, at_x);
                        }
                        sums
                    },
                );
                for i in per * self.steps..self.terms() {
                    let at_h = base.clone().offset(i * self.rows);
                    term(b, &mut sums[i as usize % 8], at_h, Affine::at(i));
                }
                if self.tail > 0 {
                    for sum in &mut sums[self.tail as usize..] {
                        *sum = b.add(*sum, zero);
                    }
                }
                while sums.len() > 1 {
                    sums = sums.chunks(2).map(|pair| b.add(pair[0], pair[1])).collect();
                }
                let at = Affine::at(0).plus(block_var, self.rows);
                b.store(y, at, sums[0], self.rows as u16);
                Vec::new()
            },
        );
        b.finish()
    }
}
