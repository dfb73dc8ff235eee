//! Counted loops, without a counter.
//!
//! ```text
//! header(pointers, carried):  pointer == end ? exit : body      exit uses what the header carries
//! body:                       ...; jump header(pointers + steps, yielded)
//! ```
//!
//! The end of the first pointer that moves is computed before the loop and compared with; only a
//! loop whose body addresses nothing through its variable counts down. A loop of one iteration is
//! no loop, and one of none disappears.
//!
//! The test stands at the top although it costs a jump: so what an iteration yields is used once,
//! by the jump back. Cranelift folds a load into its user only if the user's result is used once,
//! and a test at the bottom would use it in two places (48 against 57 GB/s, two rows of f64x8 in
//! L2, on a busy Zen 4 guest).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value as Register, types};
use tdse_backend::{Walk, moving_walks};
use tdse_kir::{Bound, Loop};

use crate::lowering::Lowering;

/// How often a loop runs.
enum Trips {
    Const(i64),
    /// A number known when the kernel runs; the verifier keeps it from being negative.
    Runtime(Register),
}

/// What an iteration adds to a pointer.
struct Advance {
    walk: Walk,
    start: Register,
    bytes: i64,
}

impl Lowering<'_> {
    /// Lowers a loop.
    pub(crate) fn repeat(&mut self, l: &Loop) {
        let trips = self.trips(l);
        if let Trips::Const(..=0) = trips {
            return self.bind(l, |c| c.result, |s, c, i| s.register(c.init, i));
        }
        let mark = self.pointers.enter();
        let advances = self.advances(l);
        self.scope.push(l.var);
        if let Trips::Const(1) = trips {
            for a in advances {
                self.pointers.push(a.walk, a.start);
            }
            self.bind(l, |c| c.inner, |s, c, i| s.register(c.init, i));
            self.block(&l.body);
            self.bind(l, |c| c.result, |s, c, i| s.register(c.next, i));
        } else {
            self.rotated(l, &trips, advances);
        }
        self.scope.pop();
        self.pointers.leave(mark);
    }

    /// The loop proper: a header that tests, a body that jumps back to it.
    fn rotated(&mut self, l: &Loop, trips: &Trips, advances: Vec<Advance>) {
        let header = self.clif.create_block();
        let body = self.clif.create_block();
        let exit = self.clif.create_block();
        let end = self.end(trips, advances.first());
        let mut enter: Vec<BlockArg> = advances.iter().map(|a| a.start.into()).collect();
        if advances.is_empty() {
            enter.push(end.into());
        }
        enter.extend(self.initial(l));
        self.clif.ins().jump(header, &enter);

        self.clif.switch_to_block(header);
        let moving: Vec<Register> = (0..advances.len().max(1))
            .map(|_| self.clif.append_block_param(header, types::I64))
            .collect();
        self.bind(
            l,
            |c| c.inner,
            |s, c, _| {
                let ty = s.chunks(c.inner).ty;
                s.clif.append_block_param(header, ty)
            },
        );
        self.bind(l, |c| c.result, |s, c, i| s.register(c.inner, i));
        let done = if advances.is_empty() {
            self.clif.ins().icmp_imm_s(IntCC::Equal, moving[0], 0)
        } else {
            self.clif.ins().icmp(IntCC::Equal, moving[0], end)
        };
        // In this order of successors Cranelift lays the body out right behind its header.
        self.clif.ins().brif(done, exit, &[], body, &[]);

        self.clif.switch_to_block(body);
        for (a, &register) in advances.iter().zip(&moving) {
            self.pointers.push(a.walk.clone(), register);
        }
        self.block(&l.body);
        let mut back: Vec<BlockArg> = Vec::with_capacity(enter.len());
        if advances.is_empty() {
            back.push(self.clif.ins().iadd_imm_s(moving[0], -1).into());
        }
        for (a, &register) in advances.iter().zip(&moving) {
            back.push(self.clif.ins().iadd_imm_s(register, a.bytes).into());
        }
        back.extend(self.carried(l, |c| c.next));
        self.clif.ins().jump(header, &back);

        self.clif.switch_to_block(exit);
    }

    fn trips(&mut self, l: &Loop) -> Trips {
        if let (Bound::Const(lo), Bound::Const(hi)) = (l.lo, l.hi) {
            return Trips::Const(hi.saturating_sub(lo));
        }
        let lo = self.bound(l.lo);
        let hi = self.bound(l.hi);
        Trips::Runtime(self.clif.ins().isub(hi, lo))
    }

    fn bound(&mut self, bound: Bound) -> Register {
        match bound {
            Bound::Const(value) => self.clif.ins().iconst(types::I64, value),
            Bound::Param(var) => self.index(var),
        }
    }

    /// The pointers that move with the loop, each at its start.
    fn advances(&mut self, l: &Loop) -> Vec<Advance> {
        let walks = moving_walks(l, &self.scope);
        let mut advances = Vec::with_capacity(walks.len());
        for walk in walks {
            let outer = walk.without(l.var);
            let base = self.pointer(outer.buffer, &outer.terms);
            let bytes = walk
                .coefficient(l.var)
                .wrapping_mul(self.elem_bytes(walk.buffer));
            let start = match l.lo {
                Bound::Const(0) => base,
                Bound::Const(lo) => self.clif.ins().iadd_imm_s(base, bytes.wrapping_mul(lo)),
                Bound::Param(var) => {
                    let lo = self.index(var);
                    self.advanced(base, lo, bytes)
                }
            };
            advances.push(Advance { walk, start, bytes });
        }
        advances
    }

    /// What the moving value of the test is compared with: the first pointer's end. Without one,
    /// the number of iterations.
    fn end(&mut self, trips: &Trips, first: Option<&Advance>) -> Register {
        match (trips, first) {
            (Trips::Const(n), Some(a)) => self
                .clif
                .ins()
                .iadd_imm_s(a.start, a.bytes.wrapping_mul(*n)),
            (Trips::Runtime(count), Some(a)) => self.advanced(a.start, *count, a.bytes),
            (Trips::Const(n), None) => self.clif.ins().iconst(types::I64, *n),
            (Trips::Runtime(count), None) => *count,
        }
    }

    /// The registers of every carried value before the loop. Zeros are made anew: that costs no
    /// more than a copy, and a zero that lives on through the loop would cost a register.
    fn initial(&mut self, l: &Loop) -> Vec<BlockArg> {
        let mut registers = self.carried(l, |c| c.init).into_iter();
        let mut initial = Vec::with_capacity(registers.len());
        for value in l.carried.iter().map(|c| c.init) {
            let chunks = self.chunks(value);
            let zero = self.zeros.contains(&value);
            for register in registers.by_ref().take(chunks.count) {
                initial.push(if zero {
                    self.constant(chunks, 0.0).into()
                } else {
                    register
                });
            }
        }
        initial
    }

    /// The registers of one side of every carried value.
    fn carried(
        &self,
        l: &Loop,
        side: impl Fn(&tdse_kir::Carry) -> tdse_kir::Value,
    ) -> Vec<BlockArg> {
        let mut registers = Vec::new();
        for value in l.carried.iter().map(side) {
            let count = self.chunks(value).count;
            registers.extend((0..count).map(|i| BlockArg::from(self.register(value, i))));
        }
        registers
    }

    /// Defines one side of every carried value, register by register.
    fn bind(
        &mut self,
        l: &Loop,
        side: impl Fn(&tdse_kir::Carry) -> tdse_kir::Value,
        mut register: impl FnMut(&mut Self, &tdse_kir::Carry, usize) -> Register,
    ) {
        for carry in &l.carried {
            let value = side(carry);
            for i in 0..self.chunks(value).count {
                let r = register(self, carry, i);
                self.define(value, i, r);
            }
        }
    }
}
