//! One operation on one register, and the reduction.

use cranelift_codegen::ir::{ConstantData, InstBuilder, Value as Register};
use tdse_kir::{Elem, Op, Value};

use crate::chunk::Chunks;
use crate::lowering::Lowering;

impl Lowering<'_> {
    /// Emits register `chunk` of a lane-wise operation.
    pub(crate) fn lane_op(&mut self, value: Value, op: &Op, chunk: usize) -> Register {
        let chunks = self.chunks(value);
        match op {
            Op::Const(number) => self.constant(chunks, *number),
            Op::Splat(scalar) => {
                let lane = self.register(*scalar, 0);
                self.in_every_lane(chunks, lane)
            }
            Op::Load { buffer, at, lanes } => self.load(chunks, *buffer, at, *lanes, chunk),
            Op::LoadSplat { buffer, at } => {
                let lane = self.load_element(chunks, *buffer, at);
                self.in_every_lane(chunks, lane)
            }
            Op::Add(a, b) => {
                let (a, b) = (self.register(*a, chunk), self.register(*b, chunk));
                self.clif.ins().fadd(a, b)
            }
            Op::Sub(a, b) => {
                let (a, b) = (self.register(*a, chunk), self.register(*b, chunk));
                self.clif.ins().fsub(a, b)
            }
            Op::Mul(a, b) => {
                let (a, b) = (self.register(*a, chunk), self.register(*b, chunk));
                self.clif.ins().fmul(a, b)
            }
            Op::Neg(a) => {
                let a = self.register(*a, chunk);
                self.clif.ins().fneg(a)
            }
            Op::Fma(a, b, c) => {
                let (a, b) = (self.register(*a, chunk), self.register(*b, chunk));
                let c = self.register(*c, chunk);
                self.clif.ins().fma(a, b, c)
            }
            // Not lane-wise; `run::lane_wise` keeps it out of runs.
            Op::Reduce(of) => self.reduce(*of),
        }
    }

    /// The sum of all lanes: neighbours 0+1, 2+3, ..., then again until one is left.
    pub(crate) fn reduce(&mut self, of: Value) -> Register {
        let chunks = self.chunks(of);
        let mut sums: Vec<Register> = Vec::with_capacity(chunks.count * chunks.width);
        for i in 0..chunks.count {
            let register = self.register(of, i);
            if chunks.width == 1 {
                sums.push(register);
                continue;
            }
            // Pairs first, so that few lanes are out of their vector at a time.
            for lane in (0..chunks.width).step_by(2) {
                let a = self.clif.ins().extractlane(register, lane as u8);
                let b = self.clif.ins().extractlane(register, lane as u8 + 1);
                sums.push(self.clif.ins().fadd(a, b));
            }
        }
        while sums.len() > 1 {
            sums = sums
                .chunks(2)
                .map(|pair| self.clif.ins().fadd(pair[0], pair[1]))
                .collect();
        }
        sums[0]
    }

    /// A constant in every lane.
    pub(crate) fn constant(&mut self, chunks: Chunks, number: f64) -> Register {
        if chunks.width > 1 && number.to_bits() == 0 {
            // One instruction, unlike a scalar zero in every lane.
            let zero = self
                .clif
                .func
                .dfg
                .constants
                .insert(ConstantData::from([0_u8; 16].as_slice()));
            return self.clif.ins().vconst(chunks.ty, zero);
        }
        let lane = match chunks.elem {
            Elem::F32 => self.clif.ins().f32const(number as f32),
            Elem::F64 => self.clif.ins().f64const(number),
        };
        self.in_every_lane(chunks, lane)
    }

    fn in_every_lane(&mut self, chunks: Chunks, lane: Register) -> Register {
        if chunks.width == 1 {
            lane
        } else {
            self.clif.ins().splat(chunks.ty, lane)
        }
    }
}
