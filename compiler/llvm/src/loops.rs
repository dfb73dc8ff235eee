//! Counted loops, without a counter.
//!
//! ```text
//! before:             [none to run ? exit]
//! body(pointers, carried):  ...; next pointers; pointer == end ? exit : body
//! ```
//!
//! The end of the first pointer that moves is computed before the loop and compared with; only a
//! loop whose body addresses nothing through its variable counts down. A loop of one iteration is
//! no loop, and one of none disappears.

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{IntValue, PhiValue, PointerValue};
use tdse_backend::{Walk, moving_walks};
use tdse_kir::{Bound, Carry, Loop};

use crate::lowering::{Broken, Lowering, Register, Written};

/// How often a loop runs.
enum Trips<'ctx> {
    Const(i64),
    /// A number known when the kernel runs; the verifier keeps it from being negative.
    Runtime(IntValue<'ctx>),
}

/// What an iteration adds to a pointer.
struct Advance<'ctx> {
    walk: Walk,
    start: PointerValue<'ctx>,
    bytes: i64,
}

/// What tells the end of a loop: a pointer and its end, or a counter of what is left.
enum Test<'ctx> {
    Pointer(PointerValue<'ctx>),
    Counter(PhiValue<'ctx>),
}

impl<'ctx> Lowering<'_, 'ctx> {
    /// Lowers a loop.
    pub(crate) fn repeat(&mut self, l: &Loop) -> Written<()> {
        let trips = self.trips(l)?;
        if let Trips::Const(..=0) = trips {
            self.bind(l, |c| c.result, |s, c, i| s.register(c.init, i));
            return Ok(());
        }
        let mark = self.pointers.enter();
        let advances = self.advances(l)?;
        self.scope.push(l.var);
        if let Trips::Const(1) = trips {
            for a in advances {
                self.pointers.push(a.walk, a.start);
            }
            self.bind(l, |c| c.inner, |s, c, i| s.register(c.init, i));
            self.block(&l.body)?;
            self.bind(l, |c| c.result, |s, c, i| s.register(c.next, i));
        } else {
            self.rotated(l, &trips, &advances)?;
        }
        self.scope.pop();
        self.pointers.leave(mark);
        Ok(())
    }

    /// The loop proper: a body that tests at its end, behind a test for no iteration at all where
    /// that is possible.
    fn rotated(
        &mut self,
        l: &Loop,
        trips: &Trips<'ctx>,
        advances: &[Advance<'ctx>],
    ) -> Written<()> {
        let before = self.here()?;
        let body = self.context.append_basic_block(self.function, "");
        let exit = self.context.append_basic_block(self.function, "");
        let count = match trips {
            Trips::Const(n) => self.integer(*n),
            Trips::Runtime(count) => *count,
        };
        let end = match (advances.first(), trips) {
            (Some(a), Trips::Const(n)) => Some(self.displaced(a.start, a.bytes.wrapping_mul(*n))?),
            (Some(a), Trips::Runtime(count)) => Some(self.advanced(a.start, *count, a.bytes)?),
            (None, _) => None,
        };
        match trips {
            Trips::Const(_) => self.ir.build_unconditional_branch(body)?,
            Trips::Runtime(count) => {
                let zero = self.integer(0);
                let some = self
                    .ir
                    .build_int_compare(IntPredicate::NE, *count, zero, "")?;
                self.ir.build_conditional_branch(some, body, exit)?
            }
        };

        self.ir.position_at_end(body);
        let mut moving = Vec::with_capacity(advances.len());
        for a in advances {
            let phi = self.ir.build_phi(a.start.get_type(), "")?;
            phi.add_incoming(&[(&a.start, before)]);
            let pointer = phi.as_basic_value().into_pointer_value();
            self.pointers.push(a.walk.clone(), pointer);
            moving.push(phi);
        }
        let test = match end {
            Some(end) => Test::Pointer(end),
            None => {
                let left = self.ir.build_phi(self.context.i64_type(), "")?;
                left.add_incoming(&[(&count, before)]);
                Test::Counter(left)
            }
        };
        let carried = self.phis(l)?;
        for (phi, register) in carried.iter().zip(self.registers(l, |c| c.init)) {
            phi.add_incoming(&[(&register, before)]);
        }
        let mut inner = carried.iter();
        self.bind_all(l, |c| c.inner, &mut inner);

        self.block(&l.body)?;

        let latch = self.here()?;
        let mut next_pointers = Vec::with_capacity(advances.len());
        for (a, phi) in advances.iter().zip(&moving) {
            let pointer = phi.as_basic_value().into_pointer_value();
            let next = self.displaced(pointer, a.bytes)?;
            phi.add_incoming(&[(&next, latch)]);
            next_pointers.push(next);
        }
        let nexts = self.registers(l, |c| c.next);
        for (phi, register) in carried.iter().zip(&nexts) {
            phi.add_incoming(&[(register, latch)]);
        }
        let done = match test {
            Test::Pointer(end) => {
                let first = next_pointers[0];
                self.ir
                    .build_int_compare(IntPredicate::EQ, first, end, "")?
            }
            Test::Counter(left) => {
                let (one, zero) = (self.integer(1), self.integer(0));
                let now = left.as_basic_value().into_int_value();
                let next = self.ir.build_int_sub(now, one, "")?;
                left.add_incoming(&[(&next, latch)]);
                self.ir
                    .build_int_compare(IntPredicate::EQ, next, zero, "")?
            }
        };
        self.ir.build_conditional_branch(done, exit, body)?;

        self.ir.position_at_end(exit);
        match trips {
            Trips::Const(_) => self.bind(l, |c| c.result, |s, c, i| s.register(c.next, i)),
            Trips::Runtime(_) => {
                let results = self.phis(l)?;
                let inits = self.registers(l, |c| c.init);
                for ((phi, init), next) in results.iter().zip(&inits).zip(&nexts) {
                    phi.add_incoming(&[(init, before), (next, latch)]);
                }
                self.bind_all(l, |c| c.result, &mut results.iter());
            }
        }
        Ok(())
    }

    fn here(&self) -> Written<BasicBlock<'ctx>> {
        let block = self.ir.get_insert_block();
        block.ok_or_else(|| Broken("no block to write to".into()))
    }

    fn trips(&mut self, l: &Loop) -> Written<Trips<'ctx>> {
        if let (Bound::Const(lo), Bound::Const(hi)) = (l.lo, l.hi) {
            return Ok(Trips::Const(hi.saturating_sub(lo)));
        }
        let (lo, hi) = (self.bound(l.lo), self.bound(l.hi));
        Ok(Trips::Runtime(self.ir.build_int_sub(hi, lo, "")?))
    }

    fn bound(&self, bound: Bound) -> IntValue<'ctx> {
        match bound {
            Bound::Const(value) => self.integer(value),
            Bound::Param(var) => self.index(var),
        }
    }

    /// The pointers that move with the loop, each at its start.
    fn advances(&mut self, l: &Loop) -> Written<Vec<Advance<'ctx>>> {
        let walks = moving_walks(l, &self.scope);
        let mut advances = Vec::with_capacity(walks.len());
        for walk in walks {
            let outer = walk.without(l.var);
            let base = self.pointer(outer.buffer, &outer.terms)?;
            let bytes = walk
                .coefficient(l.var)
                .wrapping_mul(self.elem_bytes(walk.buffer));
            let start = match l.lo {
                Bound::Const(lo) => self.displaced(base, bytes.wrapping_mul(lo))?,
                Bound::Param(var) => self.advanced(base, self.index(var), bytes)?,
            };
            advances.push(Advance { walk, start, bytes });
        }
        Ok(advances)
    }

    /// A phi for each register of every carried value.
    fn phis(&self, l: &Loop) -> Written<Vec<PhiValue<'ctx>>> {
        let mut phis = Vec::new();
        for carry in &l.carried {
            let chunks = self.chunks(carry.inner);
            let ty: BasicTypeEnum<'ctx> = chunks.register(self.context);
            for _ in 0..chunks.count {
                phis.push(self.ir.build_phi(ty, "")?);
            }
        }
        Ok(phis)
    }

    /// The registers of one side of every carried value.
    fn registers(&self, l: &Loop, side: impl Fn(&Carry) -> tdse_kir::Value) -> Vec<Register<'ctx>> {
        let values = l.carried.iter().map(side);
        values
            .flat_map(|v| (0..self.chunks(v).count).map(move |i| (v, i)))
            .map(|(v, i)| self.register(v, i))
            .collect()
    }

    fn bind_all<'p>(
        &mut self,
        l: &Loop,
        side: impl Fn(&Carry) -> tdse_kir::Value,
        phis: &mut impl Iterator<Item = &'p PhiValue<'ctx>>,
    ) where
        'ctx: 'p,
    {
        for value in l.carried.iter().map(side) {
            for (i, phi) in (0..self.chunks(value).count).zip(phis.by_ref()) {
                self.define(value, i, phi.as_basic_value());
            }
        }
    }

    /// Defines one side of every carried value, register by register.
    fn bind(
        &mut self,
        l: &Loop,
        side: impl Fn(&Carry) -> tdse_kir::Value,
        register: impl Fn(&Self, &Carry, usize) -> Register<'ctx>,
    ) {
        let mut defined = Vec::new();
        for carry in &l.carried {
            for i in 0..self.chunks(side(carry)).count {
                defined.push((side(carry), i, register(self, carry, i)));
            }
        }
        for (value, i, register) in defined {
            self.define(value, i, register);
        }
    }
}
