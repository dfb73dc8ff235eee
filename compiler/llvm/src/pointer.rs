//! Addresses: one pointer for each way in which a buffer is walked.
//!
//! An address is `buffer + constant + sum(coefficient * variable)`. All addresses that differ only
//! in the constant share one pointer, and the constant becomes the displacement of the load. A
//! loop keeps such a pointer in a register and adds `coefficient * size` once an iteration:
//!
//! ```text
//! loop b, loop j:  h[96 b + 24 j + 8]     ->  pointer (h; 96 b, 24 j), displacement 64
//! outside b        p0 = h
//! loop b carries   p1 = (h; 96 b)         starts at p0, + 768 bytes an iteration
//! loop j carries   p2 = (h; 96 b, 24 j)   starts at p1, + 192 bytes an iteration
//! ```
//!
//! LLVM may merge pointers further; it never has to multiply in a loop.

use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::values::{IntValue, PointerValue};
use tdse_kir::{Affine, BufferId, Loop, Op, Stmt, Var};

/// A way of walking a buffer: an address without its constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Walk {
    /// The buffer.
    pub(crate) buffer: BufferId,
    /// Coefficients in elements, sorted by variable.
    pub(crate) terms: Vec<(Var, i64)>,
}

impl Walk {
    /// The same walk with `var` held at zero.
    pub(crate) fn without(&self, var: Var) -> Walk {
        let terms = self.terms.iter().copied().filter(|t| t.0 != var).collect();
        Walk {
            buffer: self.buffer,
            terms,
        }
    }

    /// Coefficient of `var`, in elements.
    pub(crate) fn coefficient(&self, var: Var) -> i64 {
        self.terms.iter().find(|t| t.0 == var).map_or(0, |t| t.1)
    }
}

/// The pointers that have a value, innermost loop last.
#[derive(Debug, Default)]
pub(crate) struct Pointers<'ctx> {
    live: Vec<(Walk, PointerValue<'ctx>)>,
}

impl<'ctx> Pointers<'ctx> {
    /// The pointer for a walk, if there is one.
    pub(crate) fn find(
        &self,
        buffer: BufferId,
        terms: &[(Var, i64)],
    ) -> Option<PointerValue<'ctx>> {
        let found = self
            .live
            .iter()
            .rev()
            .find(|(w, _)| w.buffer == buffer && w.terms == terms);
        found.map(|&(_, pointer)| pointer)
    }

    /// Adds a pointer, valid until [`Pointers::leave`].
    pub(crate) fn push(&mut self, walk: Walk, pointer: PointerValue<'ctx>) {
        self.live.push((walk, pointer));
    }

    /// Marks the start of a scope.
    pub(crate) fn enter(&self) -> usize {
        self.live.len()
    }

    /// Forgets the pointers added since `mark`.
    pub(crate) fn leave(&mut self, mark: usize) {
        self.live.truncate(mark);
    }
}

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

/// The walks inside `l`, inner loops included, that move with its counter, in order of use.
/// `in_scope` says which variables have a value inside `l`, besides its own counter.
pub(crate) fn moving_walks(l: &Loop, in_scope: &[Var]) -> Vec<Walk> {
    let mut walks = Vec::new();
    collect(&l.body, l.var, in_scope, &mut walks);
    walks
}

fn collect(body: &[Stmt], var: Var, in_scope: &[Var], walks: &mut Vec<Walk>) {
    for stmt in body {
        match stmt {
            Stmt::Def {
                op: Op::Load { buffer, at, .. } | Op::LoadSplat { buffer, at },
                ..
            }
            | Stmt::Store { buffer, at, .. } => note(*buffer, at, var, in_scope, walks),
            Stmt::Def { .. } => {}
            Stmt::Loop(l) => collect(&l.body, var, in_scope, walks),
        }
    }
}

fn note(buffer: BufferId, at: &Affine, var: Var, in_scope: &[Var], walks: &mut Vec<Walk>) {
    if at.coefficient(var) == 0 {
        return;
    }
    let visible = |v: Var| v == var || in_scope.contains(&v);
    let terms: Vec<(Var, i64)> = at.terms.iter().copied().filter(|t| visible(t.0)).collect();
    let walk = Walk { buffer, terms };
    if !walks.contains(&walk) {
        walks.push(walk);
    }
}
