//! From a verified kernel to a program.
//!
//! Straight-line definitions between stores and loops form a *run*. First [`crate::tiles`] takes
//! what it knows whole; of each run, and of each loop body, [`crate::chains`] then takes the
//! multiply-accumulates that walk evenly; the rest becomes
//! micro-operations, register by register. Values get registers when defined and give them back
//! after their last use; a value used in a deeper loop keeps its registers until that loop ends.

use crate::levels::Instance;
use crate::program::{
    Address, LANES, Limit, Mac, Micro, Program, REGISTERS, Reg, Step, Tile, VARS,
};
use crate::registers::Registers;
use crate::uses::{count_uses, operands};
use tdse_kir::{
    Affine, Bound, BufferId, Carry, Elem, Kernel, Loop, Op, Param, Stmt, Value, Var, VecType,
};

/// A construct that does not fit, in words for the refusal.
pub(crate) type Unfit = String;

/// Lowers a kernel with the instantiation of a level.
pub(crate) fn lower(kernel: &Kernel, instance: Instance) -> Result<Program, Unfit> {
    let uses = count_uses(kernel);
    let mut lowering = Lowering {
        kernel,
        instance,
        left: uses.clone(),
        uses,
        homes: vec![Home::default(); kernel.values.len()],
        registers: Registers::new(),
        vars: vec![0; kernel.vars.len()],
        open_vars: 0,
        deferred: vec![Vec::new()],
        steps: Vec::new(),
        macs: Vec::new(),
        tiles: Vec::new(),
        terms: Vec::new(),
    };
    let mut indices = Vec::new();
    for (slot, param) in kernel.params.iter().enumerate() {
        if let Param::Index { var, .. } = param {
            indices.push((narrow(slot, "parameters")?, lowering.open_var(*var)?));
        }
    }
    lowering.block(&kernel.body)?;
    Ok(Program {
        kernel: kernel.name.clone(),
        run: instance.run,
        steps: lowering.steps,
        macs: lowering.macs,
        tiles: lowering.tiles,
        terms: lowering.terms,
        indices,
        registers: lowering.registers.used,
    })
}

/// Where a value lives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Home {
    pub(crate) reg: Reg,
    /// Number of open loops at its definition.
    depth: usize,
    /// Inside of a carried value: its registers belong to the carry.
    lent: bool,
}

pub(crate) struct Lowering<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) instance: Instance,
    pub(crate) uses: Vec<u32>,
    /// Uses not yet lowered.
    pub(crate) left: Vec<u32>,
    pub(crate) homes: Vec<Home>,
    registers: Registers,
    /// Variable slot of each index variable in scope.
    vars: Vec<u16>,
    open_vars: usize,
    /// For each open loop, and for the kernel itself, the outer values last used inside.
    deferred: Vec<Vec<Value>>,
    pub(crate) steps: Vec<Step>,
    pub(crate) macs: Vec<Mac>,
    pub(crate) tiles: Vec<Tile>,
    terms: Vec<(u16, i64)>,
}

impl<'k> Lowering<'k> {
    fn block(&mut self, stmts: &'k [Stmt]) -> Result<(), Unfit> {
        let mut rest = stmts;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first {
                Stmt::Loop(l) => self.repeat(l)?,
                Stmt::Store {
                    buffer,
                    at,
                    value,
                    lanes,
                } => {
                    self.store(*buffer, at, *value, usize::from(*lanes))?;
                }
                // Apart from the run, so that chains can start from it.
                Stmt::Def {
                    value,
                    op: op @ Op::Const(_),
                } => self.define(*value, op)?,
                Stmt::Def { .. } => {
                    let taken = self.straight_tile(&stmts[stmts.len() - after.len() - 1..])?;
                    if taken > 0 {
                        rest = &after[taken - 1..];
                        continue;
                    }
                    let start = stmts.len() - after.len() - 1;
                    let is_def = |s: &&Stmt| matches!(s, Stmt::Def { .. });
                    let count = stmts[start..].iter().take_while(is_def).count();
                    self.run(&stmts[start..start + count])?;
                    rest = &stmts[start + count..];
                }
            }
        }
        Ok(())
    }

    /// Definitions without stores or loops between them.
    fn run(&mut self, stmts: &'k [Stmt]) -> Result<(), Unfit> {
        let replaced = self.straight_chains(stmts)?;
        for (i, stmt) in stmts.iter().enumerate() {
            let replaced = replaced.get(i).copied().unwrap_or(false);
            if let (false, Stmt::Def { value, op }) = (replaced, stmt) {
                self.define(*value, op)?;
            }
        }
        Ok(())
    }

    fn repeat(&mut self, l: &'k Loop) -> Result<(), Unfit> {
        if self.tile_loop(l)? || self.chain_loop(l)? {
            return Ok(());
        }
        self.plain_loop(l)
    }

    fn plain_loop(&mut self, l: &'k Loop) -> Result<(), Unfit> {
        let mut slots = Vec::new();
        for carry in &l.carried {
            let registers = registers_of(self.kernel.ty(carry.inner));
            let slot = self.take(registers)?;
            self.copy(slot, self.homes[carry.init.0 as usize].reg, registers);
            slots.push((slot, registers));
        }
        for carry in &l.carried {
            self.release(carry.init);
        }
        let (lo, hi) = (self.limit(l.lo), self.limit(l.hi));
        let var = self.open_var(l.var)?;
        let enter = self.steps.len();
        self.steps.push(Step::Enter {
            var,
            lo,
            hi,
            end: 0,
        });
        self.deferred.push(Vec::new());
        let depth = self.deferred.len() - 1;
        for (carry, &(reg, _)) in l.carried.iter().zip(&slots) {
            self.homes[carry.inner.0 as usize] = Home {
                reg,
                depth,
                lent: true,
            };
        }
        self.block(&l.body)?;
        self.yield_values(&l.carried, &slots)?;
        let end = narrow(self.steps.len() + 1, "steps")?;
        self.steps.push(Step::Again {
            var,
            hi,
            body: enter as u32 + 1,
        });
        self.steps[enter] = Step::Enter { var, lo, hi, end };
        self.open_vars -= 1;
        for value in self.deferred.pop().unwrap_or_default() {
            self.retire(value);
        }
        for (carry, &(slot, _)) in l.carried.iter().zip(&slots) {
            self.bind(carry.result, slot);
        }
        Ok(())
    }

    /// Copies what an iteration yields to the carried registers, all at once.
    fn yield_values(&mut self, carried: &[Carry], slots: &[(Reg, usize)]) -> Result<(), Unfit> {
        let from = |this: &Self, carry: &Carry| this.homes[carry.next.0 as usize].reg;
        // A yielded value that sits in another carry's registers would be overwritten.
        let crossed = carried.iter().zip(slots).any(|(carry, &(to, _))| {
            let from = from(self, carry);
            from != to && slots.iter().any(|&(slot, _)| slot == from)
        });
        let mut moves = Vec::new();
        for (carry, &(to, registers)) in carried.iter().zip(slots) {
            let mut source = from(self, carry);
            if crossed {
                let aside = self.take(registers)?;
                self.copy(aside, source, registers);
                source = aside;
            }
            moves.push((to, source, registers));
        }
        for &(to, source, registers) in &moves {
            if to != source {
                self.copy(to, source, registers);
            }
            if crossed {
                self.registers.free(source, registers);
            }
        }
        for carry in carried {
            self.release(carry.next);
        }
        Ok(())
    }

    /// Micro-operations of one definition.
    fn define(&mut self, value: Value, op: &Op) -> Result<(), Unfit> {
        let ty = self.kernel.ty(value);
        let registers = registers_of(ty);
        let to = self.take(registers)?;
        for r in 0..registers {
            let micro = self.micro(to + r as Reg, op, r)?;
            self.push(ty.elem, micro);
        }
        for operand in operands(op) {
            self.release(operand);
        }
        self.bind(value, to);
        Ok(())
    }

    /// The micro-operation for register `r` of a value.
    fn micro(&mut self, to: Reg, op: &Op, r: usize) -> Result<Micro, Unfit> {
        let lane = (r * LANES) as i64;
        let home = |v: &Value| self.homes[v.0 as usize].reg;
        let part = |v: &Value| home(v) + r as Reg;
        Ok(match op {
            Op::Const(number) => Micro::Const(to, *number),
            Op::Splat(a) => Micro::Splat(to, home(a)),
            Op::Load { buffer, at, lanes } => {
                match usize::from(*lanes).saturating_sub(r * LANES).min(LANES) {
                    0 => Micro::Const(to, 0.0),
                    here => Micro::Load(to, self.address(*buffer, at, lane)?, here as u8),
                }
            }
            Op::LoadSplat { buffer, at } => Micro::LoadSplat(to, self.address(*buffer, at, 0)?),
            Op::Add(a, b) => Micro::Add(to, part(a), part(b)),
            Op::Sub(a, b) => Micro::Sub(to, part(a), part(b)),
            Op::Mul(a, b) => Micro::Mul(to, part(a), part(b)),
            Op::Neg(a) => Micro::Neg(to, part(a)),
            Op::Fma(a, b, c) => Micro::Fma(to, part(a), part(b), part(c)),
            Op::Reduce(a) => Micro::Reduce(to, home(a), self.kernel.ty(*a).lanes as u8),
        })
    }

    fn store(
        &mut self,
        buffer: BufferId,
        at: &Affine,
        value: Value,
        lanes: usize,
    ) -> Result<(), Unfit> {
        let elem = self.kernel.ty(value).elem;
        let from = self.homes[value.0 as usize].reg;
        for r in 0..lanes.div_ceil(LANES) {
            let at = self.address(buffer, at, (r * LANES) as i64)?;
            let here = (lanes - r * LANES).min(LANES) as u8;
            self.push(elem, Micro::Store(at, from + r as Reg, here));
        }
        self.release(value);
        Ok(())
    }

    pub(crate) fn address(
        &mut self,
        buffer: BufferId,
        at: &Affine,
        lane: i64,
    ) -> Result<Address, Unfit> {
        let bytes = self.kernel.buffer(buffer).map_or(1, |b| b.elem.bytes()) as i64;
        let first = narrow(self.terms.len(), "address terms")?;
        for &(var, by) in &at.terms {
            self.terms
                .push((self.vars[var.0 as usize], by.wrapping_mul(bytes)));
        }
        Ok(Address {
            param: narrow(buffer.0 as usize, "parameters")?,
            count: narrow(at.terms.len(), "terms of an address")?,
            first,
            constant: at.constant.wrapping_add(lane).wrapping_mul(bytes),
        })
    }

    pub(crate) fn limit(&self, bound: Bound) -> Limit {
        match bound {
            Bound::Const(number) => Limit::Const(number),
            Bound::Param(var) => Limit::Var(self.vars[var.0 as usize]),
        }
    }

    fn open_var(&mut self, var: Var) -> Result<u16, Unfit> {
        if self.open_vars == VARS {
            return Err(format!("more than {VARS} index variables at once"));
        }
        self.vars[var.0 as usize] = self.open_vars as u16;
        self.open_vars += 1;
        Ok(self.vars[var.0 as usize])
    }

    fn push(&mut self, elem: Elem, micro: Micro) {
        self.steps.push(match elem {
            Elem::F64 => Step::F64(micro),
            Elem::F32 => Step::F32(micro),
        });
    }

    pub(crate) fn copy(&mut self, to: Reg, from: Reg, registers: usize) {
        for r in 0..registers as Reg {
            self.steps.push(Step::Copy(to + r, from + r));
        }
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<Reg, Unfit> {
        self.registers
            .take(count)
            .ok_or_else(|| format!("more than {REGISTERS} vectors of eight lanes at once"))
    }

    /// Gives a defined value its registers; one that is never used gives them back at once.
    pub(crate) fn bind(&mut self, value: Value, reg: Reg) {
        let depth = self.deferred.len() - 1;
        self.homes[value.0 as usize] = Home {
            reg,
            depth,
            lent: false,
        };
        if self.left[value.0 as usize] == 0 {
            self.retire(value);
        }
    }

    /// Counts one use of a value as lowered.
    pub(crate) fn release(&mut self, value: Value) {
        let left = &mut self.left[value.0 as usize];
        *left -= 1;
        if *left == 0 {
            self.retire(value);
        }
    }

    /// Frees a value's registers, or leaves that to the end of the loop that uses it last.
    fn retire(&mut self, value: Value) {
        let Home { reg, depth, lent } = self.homes[value.0 as usize];
        let open = self.deferred.len() - 1;
        if lent {
            return;
        }
        if depth < open {
            self.deferred[open].push(value);
            return;
        }
        self.registers
            .free(reg, registers_of(self.kernel.ty(value)));
    }
}

/// Registers of a value.
pub(crate) fn registers_of(ty: VecType) -> usize {
    usize::from(ty.lanes).div_ceil(LANES)
}

/// A count in the width that programs store it in.
pub(crate) fn narrow<T: TryFrom<usize>>(count: usize, what: &str) -> Result<T, Unfit> {
    T::try_from(count).map_err(|_| format!("{count} {what}"))
}
