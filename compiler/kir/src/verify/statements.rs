//! Rules of the statements: names, scopes, types, loops, addresses, work.

use std::collections::HashSet;

use super::interval::{self, Interval};
use super::{Broken, declarations, operations, require};
use crate::estimate::bound_range;
use crate::ir::{
    Affine, Bound, Buffer, Carry, Kernel, Loop, MAX_LANES, Op, Param, Stmt, Value, Var, VecType,
};
use crate::limits::{MAX_DEPTH, MAX_INDEX, MAX_STATEMENTS, MAX_TERMS, MAX_WORK};
use crate::print::{StmtText, yield_line};
use crate::rule::Rule;

pub(super) fn check(k: &Kernel) -> Result<(), Broken> {
    let mut checker = Checker::new(k);
    checker.block(&k.body, Frame { depth: 0, times: 1 })?;
    checker.finish()
}

/// Where a block stands.
#[derive(Clone, Copy)]
struct Frame {
    /// Loops around it.
    depth: usize,
    /// How often it runs in one call, at most; 0 where it never runs.
    times: u64,
}

/// What is known after the statements checked so far.
pub(super) struct Checker<'k> {
    pub(super) k: &'k Kernel,
    /// Values 0 to here are defined.
    next_value: u32,
    /// Whether each value is in scope.
    visible: Vec<bool>,
    value_names: HashSet<&'k str>,
    /// Names of buffers and variables, which no value may take.
    other_names: HashSet<&'k str>,
    /// Variables 0 to here are defined.
    next_var: u32,
    /// Range of each variable in scope.
    ranges: Vec<Option<Interval>>,
    /// The variables in scope: index parameters, then the counters of the open loops.
    scope: Vec<Var>,
    statements: usize,
    work: u64,
}

impl<'k> Checker<'k> {
    fn new(k: &'k Kernel) -> Self {
        let mut checker = Checker {
            k,
            next_value: 0,
            visible: vec![false; k.values.len()],
            value_names: HashSet::new(),
            other_names: k.vars.iter().map(String::as_str).collect(),
            next_var: 0,
            ranges: vec![None; k.vars.len()],
            scope: Vec::new(),
            statements: 0,
            work: 0,
        };
        for param in &k.params {
            match param {
                Param::Buffer(b) => {
                    checker.other_names.insert(&b.name);
                }
                Param::Index { var, lo, hi } => {
                    checker.ranges[var.0 as usize] = Some(Interval::new(*lo, *hi));
                    checker.scope.push(*var);
                    checker.next_var += 1;
                }
            }
        }
        checker
    }

    /// Everything numbered must have been defined.
    fn finish(&self) -> Result<(), Broken> {
        let values = self.next_value as usize == self.k.values.len();
        let vars = self.next_var as usize == self.k.vars.len();
        require(
            values && vars,
            Rule::SingleDefinition,
            || self.head(),
            || "it lists values or variables that no statement defines".into(),
        )
    }

    fn head(&self) -> String {
        format!("kernel {}", self.k.name)
    }

    fn block(&mut self, stmts: &'k [Stmt], frame: Frame) -> Result<(), Broken> {
        for stmt in stmts {
            let text = || {
                StmtText {
                    kernel: self.k,
                    stmt,
                }
                .to_string()
            };
            self.statements += 1;
            require(
                self.statements <= MAX_STATEMENTS,
                Rule::SizeLimit,
                text,
                || format!("a kernel has at most {MAX_STATEMENTS} statements"),
            )?;
            match stmt {
                Stmt::Def { value, op } => self.define(*value, op, frame, stmt)?,
                Stmt::Store {
                    buffer,
                    at,
                    value,
                    lanes,
                } => {
                    self.used(*value, stmt)?;
                    let ty = self.k.ty(*value);
                    self.work(frame, ty.lanes, stmt)?;
                    let buffer = operations::stored(self.k, *buffer, ty, stmt)?;
                    self.touches(buffer, at, *lanes, ty, frame, stmt)?;
                }
                Stmt::Loop(l) => self.repeat(l, frame, stmt)?,
            }
        }
        Ok(())
    }

    fn define(&mut self, value: Value, op: &Op, frame: Frame, stmt: &Stmt) -> Result<(), Broken> {
        let operands = operations::operands(op);
        for &operand in &operands {
            self.used(operand, stmt)?;
        }
        let ty = self.new_value(value, stmt)?;
        let widest = operands
            .iter()
            .map(|&v| self.k.ty(v).lanes)
            .fold(ty.lanes, u16::max);
        self.work(frame, widest, stmt)?;
        operations::check(self.k, ty, op, stmt)?;
        match op {
            Op::Load { buffer, at, lanes } => {
                let buffer = operations::loaded(self.k, *buffer, ty, stmt)?;
                self.touches(buffer, at, *lanes, ty, frame, stmt)?;
            }
            Op::LoadSplat { buffer, at } => {
                let buffer = operations::loaded(self.k, *buffer, ty, stmt)?;
                self.touches(buffer, at, 1, ty, frame, stmt)?;
            }
            _ => {}
        }
        self.visible[value.0 as usize] = true;
        Ok(())
    }

    /// Checks number, name and lanes of a value about to be defined; it is not visible yet.
    fn new_value(&mut self, value: Value, stmt: &Stmt) -> Result<VecType, Broken> {
        let text = || {
            StmtText {
                kernel: self.k,
                stmt,
            }
            .to_string()
        };
        let in_order = value.0 == self.next_value;
        let info = self.k.values.get(value.0 as usize).filter(|_| in_order);
        let Some(info) = info else {
            let reason = format!(
                "it defines value number {}, where the next new value is number {}; each value is \
                 defined once, in the order of the text",
                value.0, self.next_value
            );
            return Err(Broken {
                rule: Rule::SingleDefinition,
                at: text(),
                reason,
            });
        };
        self.next_value += 1;
        let name = info.name.as_str();
        declarations::identifier(name, &text)?;
        require(
            self.value_names.insert(name),
            Rule::SingleDefinition,
            text,
            || format!("{name} is defined before; choose another name"),
        )?;
        require(
            !self.other_names.contains(name),
            Rule::UniqueNames,
            text,
            || format!("{name} names a buffer or an index variable; choose another name"),
        )?;
        let lanes = info.ty.lanes;
        require(
            lanes.is_power_of_two() && lanes <= MAX_LANES,
            Rule::VectorLanes,
            text,
            || {
                format!(
                    "{name} has {lanes} lanes; a power of two, at most {MAX_LANES}, is possible"
                )
            },
        )?;
        Ok(info.ty)
    }

    fn used(&self, value: Value, stmt: &Stmt) -> Result<(), Broken> {
        let text = || {
            StmtText {
                kernel: self.k,
                stmt,
            }
            .to_string()
        };
        self.used_at(value, text)
    }

    fn used_at(&self, value: Value, at: impl Fn() -> String) -> Result<(), Broken> {
        let visible = self.visible.get(value.0 as usize).copied().unwrap_or(false);
        require(visible, Rule::DefinitionScope, at, || {
            let name = self
                .k
                .values
                .get(value.0 as usize)
                .map_or("?", |v| v.name.as_str());
            format!("{name} is not defined here, or only inside a loop that has ended")
        })
    }

    /// Adds the work of a statement that computes `lanes` lanes.
    fn work(&mut self, frame: Frame, lanes: u16, stmt: &Stmt) -> Result<(), Broken> {
        self.work = self
            .work
            .saturating_add(frame.times.saturating_mul(lanes.into()));
        let text = || {
            StmtText {
                kernel: self.k,
                stmt,
            }
            .to_string()
        };
        require(self.work <= MAX_WORK, Rule::WorkBound, text, || {
            format!("up to here one call does more than {MAX_WORK} lane operations")
        })
    }

    fn repeat(&mut self, l: &'k Loop, frame: Frame, stmt: &Stmt) -> Result<(), Broken> {
        let k = self.k;
        let text = || StmtText { kernel: k, stmt }.to_string();
        require(frame.depth < MAX_DEPTH, Rule::SizeLimit, text, || {
            format!("loops nest at most {MAX_DEPTH} deep")
        })?;
        let (lo, hi) = (self.bound(l.lo, &text)?, self.bound(l.hi, &text)?);
        let ordered = lo.1 <= hi.0 && lo.0 >= -MAX_INDEX && hi.1 <= MAX_INDEX;
        require(ordered, Rule::LoopBounds, text, || {
            format!(
                "the lower bound is never above the upper, both within -{MAX_INDEX} to {MAX_INDEX}"
            )
        })?;
        let trips = (hi.1 - lo.0) as u64;
        let inner = Frame {
            depth: frame.depth + 1,
            times: frame.times.saturating_mul(trips),
        };

        for carry in &l.carried {
            self.used(carry.init, stmt)?;
        }
        for carry in &l.carried {
            let ty = self.new_value(carry.result, stmt)?;
            require(ty == k.ty(carry.init), Rule::CarryTypes, text, || {
                carry_reason(k, carry)
            })?;
        }
        self.open_counter(l, &text)?;
        if trips > 0 {
            self.ranges[l.var.0 as usize] = Some(Interval::new(lo.0, hi.1 - 1));
        } else {
            // The body never runs, and `times` is 0: any range serves.
            self.ranges[l.var.0 as usize] = Some(Interval::new(lo.0, lo.0));
        }
        let first_inner = self.next_value;
        let mut lanes = 1u16;
        for carry in &l.carried {
            let ty = self.new_value(carry.inner, stmt)?;
            require(ty == k.ty(carry.init), Rule::CarryTypes, text, || {
                carry_reason(k, carry)
            })?;
            self.visible[carry.inner.0 as usize] = true;
            lanes = lanes.saturating_add(ty.lanes);
        }
        self.work(inner, lanes, stmt)?;
        self.block(&l.body, inner)?;
        for carry in &l.carried {
            let text = || yield_line(k, &l.carried);
            self.used_at(carry.next, text)?;
            let agrees = k.ty(carry.next) == k.ty(carry.init);
            require(agrees, Rule::CarryTypes, text, || carry_reason(k, carry))?;
        }
        self.ranges[l.var.0 as usize] = None;
        self.scope.pop();
        self.visible[first_inner as usize..self.next_value as usize].fill(false);
        for carry in &l.carried {
            self.visible[carry.result.0 as usize] = true;
        }
        Ok(())
    }

    /// Checks number and name of a loop's counter.
    fn open_counter(&mut self, l: &Loop, text: &impl Fn() -> String) -> Result<(), Broken> {
        let known = l.var.0 == self.next_var && (l.var.0 as usize) < self.k.vars.len();
        require(known, Rule::SingleDefinition, text, || {
            "index variables are numbered in the order of the text".into()
        })?;
        self.next_var += 1;
        let name = self.k.var_name(l.var);
        declarations::identifier(name, text)?;
        let taken = self
            .scope
            .iter()
            .any(|&other| self.k.var_name(other) == name)
            || self
                .k
                .params
                .iter()
                .any(|p| matches!(p, Param::Buffer(b) if b.name == name));
        require(!taken, Rule::UniqueNames, text, || {
            format!("{name} names a buffer or an index variable in scope; choose another name")
        })?;
        self.scope.push(l.var);
        Ok(())
    }

    /// Smallest and largest value of a loop bound.
    fn bound(&self, bound: Bound, text: &impl Fn() -> String) -> Result<(i64, i64), Broken> {
        bound_range(self.k, bound).ok_or_else(|| Broken {
            rule: Rule::LoopBoundParam,
            at: text(),
            reason: "a loop bound is a constant or an index parameter, not a loop counter".into(),
        })
    }

    /// Checks `lanes` consecutive elements from `at`.
    fn touches(
        &self,
        buffer: &Buffer,
        at: &Affine,
        lanes: u16,
        ty: VecType,
        frame: Frame,
        stmt: &Stmt,
    ) -> Result<(), Broken> {
        let text = || {
            StmtText {
                kernel: self.k,
                stmt,
            }
            .to_string()
        };
        require(
            (1..=ty.lanes).contains(&lanes),
            Rule::LaneCount,
            text,
            || format!("1 to {} lanes of {ty} can be loaded or stored", ty.lanes),
        )?;
        require(at.terms.len() <= MAX_TERMS, Rule::SizeLimit, text, || {
            format!("an address has at most {MAX_TERMS} terms")
        })?;
        let range = |var: Var| self.ranges.get(var.0 as usize).copied().flatten();
        let ascending = at.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let known = at
            .terms
            .iter()
            .all(|&(var, c)| c != 0 && range(var).is_some());
        require(ascending && known, Rule::IndexScope, text, || {
            "an address names variables in scope, ascending, once each, with a coefficient".into()
        })?;
        if frame.times == 0 {
            return Ok(());
        }
        let name = &buffer.name;
        let Some(found) = interval::of_address(at, range) else {
            let reason = "a partial sum of the address may not fit 64 bits".into();
            return Err(Broken {
                rule: Rule::AddressBounds,
                at: text(),
                reason,
            });
        };
        let (first, last) = (found.lo, found.hi + i128::from(lanes) - 1);
        let inside = first >= 0 && last < i128::from(buffer.extent);
        require(inside, Rule::AddressBounds, text, || {
            let extent = buffer.extent;
            format!(
                "it may touch {name}[{first}] to {name}[{last}]; the extent of {name} is {extent}"
            )
        })
    }
}

fn carry_reason(k: &Kernel, carry: &Carry) -> String {
    let ty = |v: Value| {
        k.values
            .get(v.0 as usize)
            .map_or("?".into(), |info| info.ty.to_string())
    };
    format!(
        "it starts as {}, is carried as {}, yields {} and results in {}; all four are one type",
        ty(carry.init),
        ty(carry.inner),
        ty(carry.next),
        ty(carry.result)
    )
}
