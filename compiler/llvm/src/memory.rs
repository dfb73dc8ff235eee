//! Loads and stores. Exactly the elements that the kernel names are touched.
//!
//! ```text
//! 7 of 8 lanes    AVX-512: one masked access       otherwise: 4, then 2, then 1
//! ```

use inkwell::types::{BasicType, VectorType};
use inkwell::values::{BasicValue, FloatValue, PointerValue, VectorValue};
use tdse_backend::Walk;
use tdse_kir::{Affine, BufferId, Value, Var};

use crate::chunk::Chunks;
use crate::lowering::{Broken, Lowering, Register, Written};

/// Where a register's elements lie, and the alignment in bytes that is certain.
#[derive(Clone, Copy)]
struct Place<'ctx> {
    pointer: PointerValue<'ctx>,
    align: u32,
}

/// Lanes `0..present` in pieces whose sizes are powers of two: `(first lane, lanes)`.
fn pieces(present: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let left = present - done;
        let size = 1 << left.checked_ilog2()?;
        let piece = (done, size);
        done += size;
        Some(piece)
    })
}

impl<'ctx> Lowering<'_, 'ctx> {
    /// Loads register `chunk` of a vector of which the first `lanes` lanes are read.
    pub(crate) fn load(
        &mut self,
        chunks: Chunks,
        buffer: BufferId,
        at: &Affine,
        lanes: u16,
        chunk: usize,
    ) -> Written<Register<'ctx>> {
        let present = chunks.lanes_below(lanes, chunk);
        if present == 0 {
            return Ok(self.constant(chunks, 0.0));
        }
        let offset = chunk as i64 * chunks.bytes();
        if present == chunks.width {
            let place = self.place(buffer, at, offset)?;
            return self.load_at(chunks.register(self.context), place);
        }
        if self.masks && !present.is_power_of_two() {
            let place = self.place(buffer, at, offset)?;
            return self.masked_load(chunks, place, present);
        }
        let zero = self.constant(chunks, 0.0).into_vector_value();
        let mut register = zero;
        for (first, size) in pieces(present) {
            let offset = offset + (first * chunks.elem.bytes()) as i64;
            let place = self.place(buffer, at, offset)?;
            register = self.inserted(chunks, register, place, first, size)?;
        }
        Ok(register.into())
    }

    /// `register` with `size` lanes from `first` on read from memory.
    fn inserted(
        &self,
        chunks: Chunks,
        register: VectorValue<'ctx>,
        place: Place<'ctx>,
        first: usize,
        size: usize,
    ) -> Written<VectorValue<'ctx>> {
        if size == 1 {
            let lane = self.load_at(chunks.lane(self.context), place)?;
            let at = self.context.i32_type().const_int(first as u64, false);
            return Ok(self.ir.build_insert_element(register, lane, at, "")?);
        }
        let piece = self.load_at(chunks.vector(self.context, size), place)?;
        let piece = piece.into_vector_value();
        let wide: Vec<Option<usize>> = (0..chunks.width).map(|i| (i < size).then_some(i)).collect();
        let wide = self
            .ir
            .build_shuffle_vector(piece, piece, self.lanes_mask(&wide), "")?;
        let new = first..first + size;
        let merged: Vec<Option<usize>> = (0..chunks.width)
            .map(|i| {
                Some(if new.contains(&i) {
                    chunks.width + i - first
                } else {
                    i
                })
            })
            .collect();
        let mask = self.lanes_mask(&merged);
        Ok(self.ir.build_shuffle_vector(register, wide, mask, "")?)
    }

    /// Loads one element.
    pub(crate) fn load_element(
        &mut self,
        chunks: Chunks,
        buffer: BufferId,
        at: &Affine,
    ) -> Written<FloatValue<'ctx>> {
        let place = self.place(buffer, at, 0)?;
        let lane = self.load_at(chunks.lane(self.context), place)?;
        Ok(lane.into_float_value())
    }

    /// Stores the first `lanes` lanes of a value.
    pub(crate) fn store(
        &mut self,
        buffer: BufferId,
        at: &Affine,
        value: Value,
        lanes: u16,
    ) -> Written<()> {
        let chunks = self.chunks(value);
        for chunk in 0..chunks.count {
            let present = chunks.lanes_below(lanes, chunk);
            let register = self.register(value, chunk);
            let offset = chunk as i64 * chunks.bytes();
            if present == 0 {
                return Ok(());
            }
            if present == chunks.width {
                let place = self.place(buffer, at, offset)?;
                self.store_at(place, register)?;
            } else if self.masks && !present.is_power_of_two() {
                let place = self.place(buffer, at, offset)?;
                self.masked_store(chunks, place, register, present)?;
            } else {
                for (first, size) in pieces(present) {
                    let offset = offset + (first * chunks.elem.bytes()) as i64;
                    let place = self.place(buffer, at, offset)?;
                    let piece = self.piece(register.into_vector_value(), first, size)?;
                    self.store_at(place, piece)?;
                }
            }
        }
        Ok(())
    }

    /// `size` lanes of a register, from `first` on.
    fn piece(
        &self,
        register: VectorValue<'ctx>,
        first: usize,
        size: usize,
    ) -> Written<Register<'ctx>> {
        if size == 1 {
            let at = self.context.i32_type().const_int(first as u64, false);
            return Ok(self.ir.build_extract_element(register, at, "")?);
        }
        let lanes: Vec<Option<usize>> = (first..first + size).map(Some).collect();
        let mask = self.lanes_mask(&lanes);
        let piece = self.ir.build_shuffle_vector(register, register, mask, "")?;
        Ok(piece.into())
    }

    fn masked_load(
        &self,
        chunks: Chunks,
        place: Place<'ctx>,
        present: usize,
    ) -> Written<Register<'ctx>> {
        let vector = chunks.register(self.context);
        let types = [vector, place.pointer.get_type().into()];
        let arguments = [
            place.pointer.into(),
            self.lower_lanes(chunks, present).into(),
            self.constant(chunks, 0.0).into(),
        ];
        let loaded = self.intrinsic("llvm.masked.load", &types, &arguments)?;
        loaded.ok_or_else(|| Broken("llvm.masked.load gives nothing".into()))
    }

    fn masked_store(
        &self,
        chunks: Chunks,
        place: Place<'ctx>,
        register: Register<'ctx>,
        present: usize,
    ) -> Written<()> {
        let vector = chunks.register(self.context);
        let types = [vector, place.pointer.get_type().into()];
        let mask = self.lower_lanes(chunks, present);
        let arguments = [register.into(), place.pointer.into(), mask.into()];
        self.intrinsic("llvm.masked.store", &types, &arguments)?;
        Ok(())
    }

    /// A mask of the lowest `present` lanes.
    fn lower_lanes(&self, chunks: Chunks, present: usize) -> VectorValue<'ctx> {
        let bit = self.context.bool_type();
        let bits: Vec<_> = (0..chunks.width)
            .map(|i| bit.const_int((i < present).into(), false))
            .collect();
        VectorType::const_vector(&bits)
    }

    /// The pointer of a walk; made here when no enclosing loop carries it.
    pub(crate) fn pointer(
        &mut self,
        buffer: BufferId,
        terms: &[(Var, i64)],
    ) -> Written<PointerValue<'ctx>> {
        if let Some(pointer) = self.pointers.find(buffer, terms) {
            return Ok(pointer);
        }
        // Loops carry every walk that moves with them, so what is missing are index parameters,
        // and an empty walk is there from the start.
        let Some((&(var, coefficient), rest)) = terms.split_last() else {
            return Err(Broken("a buffer without its slot".into()));
        };
        let start = self.pointer(buffer, rest)?;
        let factor = coefficient.wrapping_mul(self.elem_bytes(buffer));
        let pointer = self.advanced(start, self.index(var), factor)?;
        let terms = terms.to_vec();
        self.pointers.push(Walk { buffer, terms }, pointer);
        Ok(pointer)
    }

    /// Size of a buffer's elements.
    pub(crate) fn elem_bytes(&self, buffer: BufferId) -> i64 {
        self.kernel
            .buffer(buffer)
            .map_or(1, |b| b.elem.bytes() as i64)
    }

    fn place(&mut self, buffer: BufferId, at: &Affine, offset: i64) -> Written<Place<'ctx>> {
        let pointer = self.pointer(buffer, &at.terms)?;
        let bytes = self.elem_bytes(buffer);
        let displacement = at.constant.wrapping_mul(bytes).wrapping_add(offset);
        Ok(Place {
            pointer: self.displaced(pointer, displacement)?,
            align: self.align(buffer, at, displacement),
        })
    }

    /// The largest power of two, at most the buffer's alignment, that divides every part of an
    /// address.
    fn align(&self, buffer: BufferId, at: &Affine, displacement: i64) -> u32 {
        let Some(buffer) = self.kernel.buffer(buffer) else {
            return 1;
        };
        let bytes = buffer.elem.bytes() as i64;
        let mut align = buffer.align.min(64);
        let parts = at.terms.iter().map(|t| t.1.wrapping_mul(bytes));
        for part in parts.chain([displacement]) {
            align = align.min(1 << part.trailing_zeros().min(6));
        }
        align
    }

    fn load_at<T: BasicType<'ctx>>(&self, ty: T, place: Place<'ctx>) -> Written<Register<'ctx>> {
        let loaded = self.ir.build_load(ty, place.pointer, "")?;
        if let Some(instruction) = loaded.as_instruction_value() {
            let aligned = instruction.set_alignment(place.align);
            aligned.map_err(|e| Broken(e.to_string()))?;
        }
        Ok(loaded)
    }

    fn store_at(&self, place: Place<'ctx>, register: Register<'ctx>) -> Written<()> {
        let stored = self.ir.build_store(place.pointer, register)?;
        let aligned = stored.set_alignment(place.align);
        aligned.map_err(|e| Broken(e.to_string()))
    }
}
