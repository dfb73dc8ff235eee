//! Rules of the statements: scopes, loops, addresses, work.

use super::interval::{self, Interval};
use super::scope::Scope;
use super::{Broken, operations, require};
use crate::estimate::bound_range;
use crate::ir::{Affine, Bound, Buffer, Carry, Kernel, Loop, Op, Stmt, Value, VecType};
use crate::limits::{MAX_DEPTH, MAX_INDEX, MAX_STATEMENTS, MAX_TERMS, MAX_WORK};
use crate::print::{stmt_line, yield_line};
use crate::rule::Rule;

pub(super) fn check(k: &Kernel) -> Result<(), Broken> {
    let scope = Scope::new(k);
    let mut checker = Checker {
        k,
        scope,
        statements: 0,
        work: 0,
    };
    checker.block(&k.body, Frame { depth: 0, times: 1 })?;
    let head = || format!("kernel {}", k.name);
    require(
        checker.scope.is_complete(),
        Rule::SingleDefinition,
        head,
        || "it lists values or variables that no statement defines".into(),
    )
}

/// Where a block stands.
#[derive(Clone, Copy)]
struct Frame {
    /// Loops around it.
    depth: usize,
    /// How often it runs in one call, at most; 0 where it never runs.
    times: u64,
}

struct Checker<'k> {
    k: &'k Kernel,
    scope: Scope<'k>,
    /// Statements so far.
    statements: usize,
    /// Work of one call so far.
    work: u64,
}

impl<'k> Checker<'k> {
    fn block(&mut self, stmts: &'k [Stmt], frame: Frame) -> Result<(), Broken> {
        let k = self.k;
        for stmt in stmts {
            let at = || stmt_line(k, stmt);
            self.statements += 1;
            require(
                self.statements <= MAX_STATEMENTS,
                Rule::SizeLimit,
                at,
                || format!("a kernel has at most {MAX_STATEMENTS} statements"),
            )?;
            match stmt {
                Stmt::Def { value, op } => self.define(*value, op, frame, stmt)?,
                Stmt::Store {
                    buffer,
                    at: place,
                    value,
                    lanes,
                } => {
                    self.scope.used(*value, &at)?;
                    let ty = k.ty(*value);
                    self.work(frame, ty.lanes, &at)?;
                    let buffer = operations::stored(k, *buffer, ty, stmt)?;
                    self.touches(buffer, place, (*lanes, ty), frame, &at)?;
                }
                Stmt::Loop(l) => self.repeat(l, frame, stmt)?,
            }
        }
        Ok(())
    }

    fn define(&mut self, value: Value, op: &Op, frame: Frame, stmt: &Stmt) -> Result<(), Broken> {
        let k = self.k;
        let at = || stmt_line(k, stmt);
        let operands = operations::operands(op);
        for &operand in &operands {
            self.scope.used(operand, &at)?;
        }
        let ty = self.scope.define(value, &at)?;
        let widest = operands
            .iter()
            .map(|&v| k.ty(v).lanes)
            .fold(ty.lanes, u16::max);
        self.work(frame, widest, &at)?;
        operations::check(k, ty, op, stmt)?;
        match op {
            Op::Load {
                buffer,
                at: place,
                lanes,
            } => {
                let buffer = operations::loaded(k, *buffer, ty, stmt)?;
                self.touches(buffer, place, (*lanes, ty), frame, &at)?;
            }
            Op::LoadSplat { buffer, at: place } => {
                let buffer = operations::loaded(k, *buffer, ty, stmt)?;
                self.touches(buffer, place, (1, ty), frame, &at)?;
            }
            _ => {}
        }
        self.scope.show(value);
        Ok(())
    }

    fn repeat(&mut self, l: &'k Loop, frame: Frame, stmt: &Stmt) -> Result<(), Broken> {
        let k = self.k;
        let at = || stmt_line(k, stmt);
        require(frame.depth < MAX_DEPTH, Rule::SizeLimit, at, || {
            format!("loops nest at most {MAX_DEPTH} deep")
        })?;
        let (range, trips) = self.range(l, &at)?;
        let inner = Frame {
            depth: frame.depth + 1,
            times: frame.times.saturating_mul(trips),
        };
        for carry in &l.carried {
            self.scope.used(carry.init, &at)?;
        }
        for carry in &l.carried {
            let ty = self.scope.define(carry.result, &at)?;
            agree(k, ty, carry, &at)?;
        }
        self.scope.open_counter(l.var, range, &at)?;
        let first = self.scope.next_value();
        let mut lanes = 1u16;
        for carry in &l.carried {
            let ty = self.scope.define(carry.inner, &at)?;
            agree(k, ty, carry, &at)?;
            self.scope.show(carry.inner);
            lanes = lanes.saturating_add(ty.lanes);
        }
        self.work(inner, lanes, &at)?;
        self.block(&l.body, inner)?;
        let at = || yield_line(k, &l.carried);
        for carry in &l.carried {
            self.scope.used(carry.next, &at)?;
            agree(k, k.ty(carry.next), carry, &at)?;
        }
        self.scope.close_counter(first);
        for carry in &l.carried {
            self.scope.show(carry.result);
        }
        Ok(())
    }

    /// Range of a loop's counter and the most iterations; where that is 0, the range is any.
    fn range(&self, l: &Loop, at: &impl Fn() -> String) -> Result<(Interval, u64), Broken> {
        let bound = |bound: Bound| {
            bound_range(self.k, bound).ok_or_else(|| {
                let reason = "a loop bound is a constant or an index parameter, not a loop counter";
                Broken::new(Rule::LoopBoundParam, at(), reason.into())
            })
        };
        let (lo, hi) = (bound(l.lo)?, bound(l.hi)?);
        let ordered = lo.1 <= hi.0 && lo.0 >= -MAX_INDEX && hi.1 <= MAX_INDEX;
        require(ordered, Rule::LoopBounds, at, || {
            format!(
                "a lower bound is never above the upper, both within -{MAX_INDEX} to {MAX_INDEX}"
            )
        })?;
        let trips = (hi.1 - lo.0) as u64;
        Ok((Interval::new(lo.0, lo.0.max(hi.1 - 1)), trips))
    }

    /// Adds the work of a statement that computes `lanes` lanes.
    fn work(&mut self, frame: Frame, lanes: u16, at: &impl Fn() -> String) -> Result<(), Broken> {
        self.work = self
            .work
            .saturating_add(frame.times.saturating_mul(lanes.into()));
        require(self.work <= MAX_WORK, Rule::WorkBound, at, || {
            format!("up to here one call does more than {MAX_WORK} lane operations")
        })
    }

    /// Checks an access to the first lanes of a vector, consecutive elements from `place`.
    fn touches(
        &self,
        buffer: &Buffer,
        place: &Affine,
        (lanes, ty): (u16, VecType),
        frame: Frame,
        at: &impl Fn() -> String,
    ) -> Result<(), Broken> {
        require((1..=ty.lanes).contains(&lanes), Rule::LaneCount, at, || {
            format!("1 to {} lanes of {ty} can be loaded or stored", ty.lanes)
        })?;
        require(place.terms.len() <= MAX_TERMS, Rule::SizeLimit, at, || {
            format!("an address has at most {MAX_TERMS} terms")
        })?;
        let ascending = place.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let known = place
            .terms
            .iter()
            .all(|&(var, c)| c != 0 && self.scope.range(var).is_some());
        require(ascending && known, Rule::IndexScope, at, || {
            "an address names variables in scope, ascending, once each, with a coefficient".into()
        })?;
        // Asked of accesses that never run as well: a backend walks their pointers in the loops
        // around them that do.
        let Some(found) = interval::of_address(place, |var| self.scope.range(var)) else {
            let reason = "a coefficient or partial sum of the address may not fit 64 bits".into();
            return Err(Broken::new(Rule::AddressBounds, at(), reason));
        };
        if frame.times == 0 {
            return Ok(());
        }
        let (first, last) = (found.lo, found.hi + i128::from(lanes) - 1);
        let inside = first >= 0 && last < i128::from(buffer.extent);
        require(inside, Rule::AddressBounds, at, || {
            let (name, extent) = (&buffer.name, buffer.extent);
            format!(
                "it may touch {name}[{first}] to {name}[{last}]; the extent of {name} is {extent}"
            )
        })
    }
}

/// Requires that one of the values of a carry has the type of its first value.
fn agree(k: &Kernel, ty: VecType, carry: &Carry, at: &impl Fn() -> String) -> Result<(), Broken> {
    let init = k.ty(carry.init);
    require(ty == init, Rule::CarryTypes, at, || {
        let name = k.value_name(carry.inner);
        format!(
            "{name} starts as {init} and would become {ty}; all values of a carry have one type"
        )
    })
}
