//! Which shuffles sum the lanes of a vector.
//!
//! The tree is fixed: neighbours 0+1, 2+3, ... and again until one sum is left. Where a partial sum
//! lies in a register is free, so registers are combined by shuffles that stay within 128 bits, each
//! one instruction, and the order in which sums then lie is remembered:
//!
//! ```text
//! f64   a [0 1 2 3]  b [4 5 6 7]
//!       low  [0 4 2 6] + high [1 5 3 7]  =  [01 45 23 67]     unpack, unpack, add
//!       low half + high half             =  [0123 4567]       extract, add
//! ```

use inkwell::values::{BasicValueEnum, VectorValue};
use tdse_kir::Value;

use crate::chunk::Chunks;
use crate::lane_ops::Binary;
use crate::lowering::{Lowering, Register, Written};

/// A register of sums: `order[i]` is the lane of sum `i`.
#[derive(Clone)]
struct Sums<'ctx> {
    register: VectorValue<'ctx>,
    order: Vec<usize>,
}

impl<'ctx> Lowering<'_, 'ctx> {
    /// The sum of all lanes by the tree, a scalar.
    pub(crate) fn reduce(&mut self, of: Value) -> Written<Register<'ctx>> {
        let chunks = self.chunks(of);
        if chunks.width == 1 {
            return Ok(self.register(of, 0));
        }
        let mut all: Vec<Sums<'ctx>> = (0..chunks.count)
            .map(|i| Sums {
                register: self.register(of, i).into_vector_value(),
                order: (0..chunks.width).collect(),
            })
            .collect();
        while all.len() > 1 {
            let pairs = all.chunks(2);
            all = pairs
                .map(|pair| self.neighbours(chunks, &pair[0], &pair[1]))
                .collect::<Written<_>>()?;
        }
        let mut sums = all.swap_remove(0);
        while sums.order.len() > 2 {
            sums = self.folded(&sums)?;
        }
        let [a, b] = [sums.order[0], sums.order[1]].map(|lane| {
            let lane = self.context.i32_type().const_int(lane as u64, false);
            self.ir.build_extract_element(sums.register, lane, "")
        });
        self.combined(Binary::Add, a?, b?)
    }

    /// The sums of neighbours of two registers in one: `a`'s, then `b`'s.
    fn neighbours(&self, chunks: Chunks, a: &Sums<'ctx>, b: &Sums<'ctx>) -> Written<Sums<'ctx>> {
        let width = a.order.len();
        let block = (16 / chunks.elem.bytes()).min(width);
        let pairs = |s: &Sums<'ctx>, base: usize| -> Vec<(usize, usize)> {
            let pairs = s.order.chunks(2);
            pairs.map(|p| (base + p[0], base + p[1])).collect()
        };
        let (of_a, of_b) = (pairs(a, 0), pairs(b, width));
        // Within 128 bits first a's pairs, then b's; each block gives as many as half its lanes.
        let each = block / 2;
        let mut taken = Vec::with_capacity(width);
        let mut order = vec![0; width];
        for from in (0..width / 2).step_by(each) {
            for (pairs, first) in [(&of_a, 0), (&of_b, width / 2)] {
                for (i, &pair) in (from..).zip(&pairs[from..from + each]) {
                    order[first + i] = taken.len();
                    taken.push(pair);
                }
            }
        }
        let register = self.pair_sums(a.register, b.register, &taken)?;
        Ok(Sums { register, order })
    }

    /// The sums of neighbours of one register, in half the lanes.
    fn folded(&self, sums: &Sums<'ctx>) -> Written<Sums<'ctx>> {
        let pairs: Vec<(usize, usize)> = sums.order.chunks(2).map(|p| (p[0], p[1])).collect();
        let mut taken = pairs.clone();
        taken.sort_unstable();
        let place = |pair| taken.iter().position(|t| t == pair).unwrap_or(0);
        let order = pairs.iter().map(place).collect();
        let register = self.pair_sums(sums.register, sums.register, &taken)?;
        Ok(Sums { register, order })
    }

    /// Lane `i` is the sum of the two lanes of pair `i`, counted through `a`, then `b`.
    fn pair_sums(
        &self,
        a: VectorValue<'ctx>,
        b: VectorValue<'ctx>,
        pairs: &[(usize, usize)],
    ) -> Written<VectorValue<'ctx>> {
        let lanes = |side: fn(&(usize, usize)) -> usize| -> Vec<Option<usize>> {
            pairs.iter().map(|p| Some(side(p))).collect()
        };
        let [low, high] = [lanes(|p| p.0), lanes(|p| p.1)].map(|lanes| {
            let mask = self.lanes_mask(&lanes);
            self.ir.build_shuffle_vector(a, b, mask, "")
        });
        Ok(self.ir.build_float_add(low?, high?, "")?)
    }

    /// A shuffle's mask; a lane that is `None` may hold anything.
    pub(crate) fn lanes_mask(&self, lanes: &[Option<usize>]) -> VectorValue<'ctx> {
        let index = self.context.i32_type();
        let lanes: Vec<BasicValueEnum<'ctx>> = lanes
            .iter()
            .map(|lane| match lane {
                Some(lane) => index.const_int(*lane as u64, false).into(),
                None => index.get_poison().into(),
            })
            .collect();
        inkwell::types::VectorType::const_vector(&lanes)
    }
}
