//! One operation on one register, and the reduction.

use cranelift_codegen::ir::{ConstantData, InstBuilder, Value as Register, types};
use tdse_kir::{Elem, Op, Value};

use crate::chunk::Chunks;
use crate::lowering::Lowering;
use crate::memory::lane_order;

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
        let mut sums: Vec<Register> = (0..chunks.count).map(|i| self.register(of, i)).collect();
        if chunks.ty == types::F32X4 {
            return self.sum_of_fours(sums);
        }
        if chunks.width == 2 {
            sums = sums
                .into_iter()
                .map(|pair| self.sum_of_lanes(pair))
                .collect();
        }
        while sums.len() > 1 {
            sums = sums
                .chunks(2)
                .map(|pair| self.clif.ins().fadd(pair[0], pair[1]))
                .collect();
        }
        sums[0]
    }

    /// The sum of the lanes of registers of four, a power of two of them.
    ///
    /// Even and odd lanes of two registers are gathered and added, which is a third fewer
    /// instructions than taking each lane out.
    fn sum_of_fours(&mut self, mut registers: Vec<Register>) -> Register {
        while registers.len() > 1 {
            let pairs = registers.chunks(2);
            registers = pairs
                .map(|pair| self.neighbours(pair[0], pair[1]))
                .collect();
        }
        let two = self.neighbours(registers[0], registers[0]);
        self.sum_of_lanes(two)
    }

    /// Lanes 0+1 and 2+3 of one register, then of the other.
    fn neighbours(&mut self, a: Register, b: Register) -> Register {
        let even = self.gathered(a, b, 0);
        let odd = self.gathered(a, b, 1);
        self.clif.ins().fadd(even, odd)
    }

    /// Lanes `first`, `first + 2` of one register, then of the other.
    fn gathered(&mut self, a: Register, b: Register, first: u8) -> Register {
        let bytes = |lane: u8| (0..4).map(move |byte| 4 * lane + byte);
        let lanes = [first, first + 2, first + 4, first + 6];
        let mask: Vec<u8> = lanes.into_iter().flat_map(bytes).collect();
        let mask = self.clif.func.dfg.immediates.push(mask.into());
        let a = self.clif.ins().bitcast(types::I8X16, lane_order(), a);
        let b = self.clif.ins().bitcast(types::I8X16, lane_order(), b);
        let lanes = self.clif.ins().shuffle(a, b, mask);
        self.clif.ins().bitcast(types::F32X4, lane_order(), lanes)
    }

    /// Lane 0 plus lane 1.
    fn sum_of_lanes(&mut self, register: Register) -> Register {
        let a = self.clif.ins().extractlane(register, 0);
        let b = self.clif.ins().extractlane(register, 1);
        self.clif.ins().fadd(a, b)
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
