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
//! So a body has no address arithmetic besides one addition for each pointer.

use cranelift_codegen::ir::Value as Register;
use tdse_kir::{Affine, BufferId, Loop, Stmt, Var};

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

/// The pointers that are in registers, innermost loop last.
#[derive(Debug, Default)]
pub(crate) struct Pointers {
    live: Vec<(Walk, Register)>,
}

impl Pointers {
    /// The pointer for a walk, if it is in a register.
    pub(crate) fn find(&self, buffer: BufferId, terms: &[(Var, i64)]) -> Option<Register> {
        let found = self
            .live
            .iter()
            .rev()
            .find(|(w, _)| w.buffer == buffer && w.terms == terms);
        found.map(|&(_, register)| register)
    }

    /// Adds a pointer, valid until [`Pointers::leave`].
    pub(crate) fn push(&mut self, walk: Walk, register: Register) {
        self.live.push((walk, register));
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
            Stmt::Def { op, .. } => {
                if let tdse_kir::Op::Load { buffer, at, .. }
                | tdse_kir::Op::LoadSplat { buffer, at } = op
                {
                    note(*buffer, at, var, in_scope, walks);
                }
            }
            Stmt::Store { buffer, at, .. } => note(*buffer, at, var, in_scope, walks),
            Stmt::Loop(l) => collect(&l.body, var, in_scope, walks),
        }
    }
}

fn note(buffer: BufferId, at: &Affine, var: Var, in_scope: &[Var], walks: &mut Vec<Walk>) {
    if at.coefficient(var) == 0 {
        return;
    }
    let visible = |v: Var| v == var || in_scope.contains(&v);
    let mut terms = at.terms.iter().copied().filter(|t| visible(t.0));
    let known = walks
        .iter()
        .any(|w| w.buffer == buffer && terms.clone().eq(w.terms.iter().copied()));
    if !known {
        walks.push(Walk {
            buffer,
            terms: terms.by_ref().collect(),
        });
    }
}
