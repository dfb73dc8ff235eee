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
//! So a body has no address arithmetic besides one addition for each pointer. What a pointer is, is the code
//! generator's.

use tdse_kir::{Affine, BufferId, Loop, Op, Stmt, Var};

/// A way of walking a buffer: an address without its constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// The buffer.
    pub buffer: BufferId,
    /// Coefficients in elements, sorted by variable.
    pub terms: Vec<(Var, i64)>,
}

impl Walk {
    /// The same walk with `var` held at zero.
    pub fn without(&self, var: Var) -> Walk {
        let terms = self.terms.iter().copied().filter(|t| t.0 != var).collect();
        Walk {
            buffer: self.buffer,
            terms,
        }
    }

    /// Coefficient of `var`, in elements.
    pub fn coefficient(&self, var: Var) -> i64 {
        self.terms.iter().find(|t| t.0 == var).map_or(0, |t| t.1)
    }
}

/// The pointers that have a value `P` of the code generator, innermost loop last.
#[derive(Debug)]
pub struct Pointers<P> {
    live: Vec<(Walk, P)>,
}

impl<P> Default for Pointers<P> {
    fn default() -> Self {
        Pointers { live: Vec::new() }
    }
}

impl<P: Copy> Pointers<P> {
    /// The pointer for a walk, if there is one.
    pub fn find(&self, buffer: BufferId, terms: &[(Var, i64)]) -> Option<P> {
        let mut newest = self.live.iter().rev();
        let found = newest.find(|(w, _)| w.buffer == buffer && w.terms == terms);
        found.map(|&(_, pointer)| pointer)
    }

    /// Adds a pointer, valid until [`Pointers::leave`].
    pub fn push(&mut self, walk: Walk, pointer: P) {
        self.live.push((walk, pointer));
    }

    /// Marks the start of a scope.
    pub fn enter(&self) -> usize {
        self.live.len()
    }

    /// Forgets the pointers added since `mark`.
    pub fn leave(&mut self, mark: usize) {
        self.live.truncate(mark);
    }
}

/// The walks inside `l`, inner loops included, that move with its counter, in order of use.
/// `in_scope` says which variables have a value inside `l`, besides its own counter.
pub fn moving_walks(l: &Loop, in_scope: &[Var]) -> Vec<Walk> {
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
