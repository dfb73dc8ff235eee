//! Loads and stores. Exactly the elements that the kernel names are touched: a tail of three
//! `f32` is a load of two and a load of one, never a load of four.

use cranelift_codegen::ir::{
    Endianness, InstBuilder, MemFlagsData, Type, Value as Register, types,
};
use tdse_backend::Walk;
use tdse_kir::{Affine, BufferId, Value, Var};

use crate::chunk::Chunks;
use crate::lowering::Lowering;

/// Where a register's elements lie: pointer and displacement in bytes.
#[derive(Clone, Copy)]
struct Place {
    pointer: Register,
    displacement: i32,
    flags: MemFlagsData,
}

impl Lowering<'_> {
    /// Loads register `chunk` of a vector of which the first `lanes` lanes are read.
    pub(crate) fn load(
        &mut self,
        chunks: Chunks,
        buffer: BufferId,
        at: &Affine,
        lanes: u16,
        chunk: usize,
    ) -> Register {
        let present = chunks.lanes_below(lanes, chunk);
        if present == 0 {
            return self.constant(chunks, 0.0);
        }
        let place = self.place(buffer, at, chunk as i64 * chunks.bytes());
        if present == chunks.width {
            return self.load_at(chunks.ty, place, 0);
        }
        if chunks.lane == types::F64 || present == 1 {
            let lane = self.load_at(chunks.lane, place, 0);
            return self.clif.ins().scalar_to_vector(chunks.ty, lane);
        }
        // Two or three f32: two of them travel as one f64, whose bits are only moved.
        let two = self.load_at(types::F64, place, 0);
        let two = self.clif.ins().scalar_to_vector(types::F64X2, two);
        let two = self.clif.ins().bitcast(types::F32X4, lane_order(), two);
        if present == 2 {
            return two;
        }
        let third = self.load_at(types::F32, place, 8);
        self.clif.ins().insertlane(two, third, 2)
    }

    /// Loads one element.
    pub(crate) fn load_element(
        &mut self,
        chunks: Chunks,
        buffer: BufferId,
        at: &Affine,
    ) -> Register {
        let place = self.place(buffer, at, 0);
        self.load_at(chunks.lane, place, 0)
    }

    /// Stores the first `lanes` lanes of a value.
    pub(crate) fn store(&mut self, buffer: BufferId, at: &Affine, value: Value, lanes: u16) {
        let chunks = self.chunks(value);
        for chunk in 0..chunks.count {
            let present = chunks.lanes_below(lanes, chunk);
            if present == 0 {
                return;
            }
            let register = self.register(value, chunk);
            let place = self.place(buffer, at, chunk as i64 * chunks.bytes());
            if present == chunks.width {
                self.store_at(place, 0, register);
            } else if chunks.lane == types::F64 || present == 1 {
                let lane = self.clif.ins().extractlane(register, 0);
                self.store_at(place, 0, lane);
            } else {
                let pairs = self
                    .clif
                    .ins()
                    .bitcast(types::F64X2, lane_order(), register);
                let two = self.clif.ins().extractlane(pairs, 0);
                self.store_at(place, 0, two);
                if present == 3 {
                    let third = self.clif.ins().extractlane(register, 2);
                    self.store_at(place, 8, third);
                }
            }
        }
    }

    /// The pointer of a walk; made here when no enclosing loop carries it.
    pub(crate) fn pointer(&mut self, buffer: BufferId, terms: &[(Var, i64)]) -> Register {
        if let Some(pointer) = self.pointers.find(buffer, terms) {
            return pointer;
        }
        // Loops carry every walk that moves with them, so what is missing are index parameters,
        // and an empty walk is there from the start.
        let Some((&(var, coefficient), rest)) = terms.split_last() else {
            return self.clif.ins().iconst(types::I64, 0);
        };
        let base = self.pointer(buffer, rest);
        let index = self.index(var);
        let factor = coefficient.wrapping_mul(self.elem_bytes(buffer));
        let pointer = self.advanced(base, index, factor);
        self.pointers.push(
            Walk {
                buffer,
                terms: terms.to_vec(),
            },
            pointer,
        );
        pointer
    }

    /// Size of a buffer's elements.
    pub(crate) fn elem_bytes(&self, buffer: BufferId) -> i64 {
        self.kernel
            .buffer(buffer)
            .map_or(1, |b| b.elem.bytes() as i64)
    }

    fn place(&mut self, buffer: BufferId, at: &Affine, offset: i64) -> Place {
        let pointer = self.pointer(buffer, &at.terms);
        let bytes = self.elem_bytes(buffer);
        let displacement = at.constant.wrapping_mul(bytes).wrapping_add(offset);
        let flags = self.flags(buffer, at, displacement);
        // Room for the second part of a tail.
        match i32::try_from(displacement) {
            Ok(d) if d <= i32::MAX - 16 => Place {
                pointer,
                displacement: d,
                flags,
            },
            _ => {
                let pointer = self.clif.ins().iadd_imm_s(pointer, displacement);
                Place {
                    pointer,
                    displacement: 0,
                    flags,
                }
            }
        }
    }

    /// Verified accesses do not trap. They are marked aligned only where they provably start at a
    /// multiple of 16: without AVX, an operand in memory faults otherwise.
    fn flags(&self, buffer: BufferId, at: &Affine, displacement: i64) -> MemFlagsData {
        let flags = MemFlagsData::new().with_notrap();
        let Some(buffer) = self.kernel.buffer(buffer) else {
            return flags;
        };
        let bytes = buffer.elem.bytes() as i64;
        let whole = |x: i64| x % 16 == 0;
        let steps = at.terms.iter().all(|t| whole(t.1.wrapping_mul(bytes)));
        if buffer.align >= 16 && whole(displacement) && steps {
            flags.with_aligned()
        } else {
            flags
        }
    }

    fn load_at(&mut self, ty: Type, place: Place, offset: i32) -> Register {
        self.clif
            .ins()
            .load(ty, place.flags, place.pointer, place.displacement + offset)
    }

    fn store_at(&mut self, place: Place, offset: i32, value: Register) {
        self.clif.ins().store(
            place.flags,
            value,
            place.pointer,
            place.displacement + offset,
        );
    }
}

/// Lane 0 is the lowest in memory, on every target.
pub(crate) fn lane_order() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}
