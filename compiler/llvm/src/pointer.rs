//! A pointer and a distance, as LLVM's address computation.

use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::values::{IntValue, PointerValue};

/// `pointer + bytes`, as an address computation that may wrap.
pub(crate) fn displaced<'ctx>(
    ir: &Builder<'ctx>,
    context: &'ctx Context,
    pointer: PointerValue<'ctx>,
    bytes: IntValue<'ctx>,
) -> Result<PointerValue<'ctx>, BuilderError> {
    // SAFETY: this writes an instruction and touches no memory. Its requirement is an index list
    // that fits the type: one index into bytes. That the address computed when the kernel runs lies
    // in its buffer is what the verifier proved.
    unsafe { ir.build_gep(context.i8_type(), pointer, &[bytes], "") }
}
