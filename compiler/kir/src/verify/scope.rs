//! What is defined, and what is visible, after the statements checked so far.

use std::collections::HashSet;

use super::interval::Interval;
use super::{Broken, declarations, require};
use crate::ir::{Kernel, MAX_LANES, Param, Value, Var, VecType};
use crate::rule::Rule;

/// Values and index variables.
///
/// Both are numbered in the order of the text, so that a number says whether something is defined,
/// and the values of a loop's body are a range of numbers.
pub(super) struct Scope<'k> {
    k: &'k Kernel,
    /// Values below this number are defined.
    next_value: u32,
    /// Whether each value is visible.
    visible: Vec<bool>,
    value_names: HashSet<&'k str>,
    /// Names of buffers and variables, which no value may take.
    other_names: HashSet<&'k str>,
    /// Variables below this number are defined.
    next_var: u32,
    /// Range of each variable in scope.
    ranges: Vec<Option<Interval>>,
    /// The variables in scope: index parameters, then the counters of the open loops.
    open: Vec<Var>,
}

impl<'k> Scope<'k> {
    /// The scope of a kernel's first statement; its declarations are checked already.
    pub(super) fn new(k: &'k Kernel) -> Self {
        let mut scope = Scope {
            k,
            next_value: 0,
            visible: vec![false; k.values.len()],
            value_names: HashSet::new(),
            other_names: k.vars.iter().map(String::as_str).collect(),
            next_var: 0,
            ranges: vec![None; k.vars.len()],
            open: Vec::new(),
        };
        for param in &k.params {
            match param {
                Param::Buffer(b) => {
                    scope.other_names.insert(&b.name);
                }
                Param::Index { var, lo, hi } => {
                    scope.ranges[var.0 as usize] = Some(Interval::new(*lo, *hi));
                    scope.open.push(*var);
                    scope.next_var += 1;
                }
            }
        }
        scope
    }

    /// Whether all values and variables that the kernel lists were defined.
    pub(super) fn is_complete(&self) -> bool {
        self.next_value as usize == self.k.values.len()
            && self.next_var as usize == self.k.vars.len()
    }

    /// The number of the next value.
    pub(super) fn next_value(&self) -> u32 {
        self.next_value
    }

    /// Checks number, name and lanes of a new value; [`Scope::show`] makes it visible.
    pub(super) fn define(
        &mut self,
        value: Value,
        at: &impl Fn() -> String,
    ) -> Result<VecType, Broken> {
        let (number, next) = (value.0, self.next_value);
        let info = self.k.values.get(number as usize);
        let Some(info) = info.filter(|_| number == next) else {
            let reason = format!(
                "it defines value number {number}, the next new value is number {next}; each value \
                 is defined once, in the order of the text"
            );
            return Err(Broken::new(Rule::SingleDefinition, at(), reason));
        };
        self.next_value += 1;
        let name = info.name.as_str();
        declarations::identifier(name, at)?;
        require(
            self.value_names.insert(name),
            Rule::SingleDefinition,
            at,
            || format!("{name} is defined before; choose another name"),
        )?;
        require(
            !self.other_names.contains(name),
            Rule::UniqueNames,
            at,
            || format!("{name} names a buffer or an index variable; choose another name"),
        )?;
        let lanes = info.ty.lanes;
        let possible = lanes.is_power_of_two() && lanes <= MAX_LANES;
        require(possible, Rule::VectorLanes, at, || {
            format!("{name} has {lanes} lanes; a power of two, at most {MAX_LANES}, is possible")
        })?;
        Ok(info.ty)
    }

    /// Makes a defined value visible to what follows.
    pub(super) fn show(&mut self, value: Value) {
        self.visible[value.0 as usize] = true;
    }

    /// Requires that a value is visible.
    pub(super) fn used(&self, value: Value, at: &impl Fn() -> String) -> Result<(), Broken> {
        let visible = self.visible.get(value.0 as usize).copied().unwrap_or(false);
        require(visible, Rule::DefinitionScope, at, || {
            let name = self.k.value_name(value);
            format!("{name} is not defined here, or only inside a loop that has ended")
        })
    }

    /// Checks number and name of a loop's counter, which then has this range.
    pub(super) fn open_counter(
        &mut self,
        var: Var,
        range: Interval,
        at: &impl Fn() -> String,
    ) -> Result<(), Broken> {
        let known = var.0 == self.next_var && (var.0 as usize) < self.k.vars.len();
        require(known, Rule::SingleDefinition, at, || {
            "index variables are numbered in the order of the text".into()
        })?;
        self.next_var += 1;
        let name = self.k.var_name(var);
        declarations::identifier(name, at)?;
        let is_buffer = |p: &Param| matches!(p, Param::Buffer(b) if b.name == name);
        let taken = self
            .open
            .iter()
            .any(|&other| self.k.var_name(other) == name)
            || self.k.params.iter().any(is_buffer);
        require(!taken, Rule::UniqueNames, at, || {
            format!("{name} names a buffer or an index variable in scope; choose another name")
        })?;
        self.open.push(var);
        self.ranges[var.0 as usize] = Some(range);
        Ok(())
    }

    /// Ends the loop of the newest counter, whose values begin at number `first`.
    pub(super) fn close_counter(&mut self, first: u32) {
        if let Some(var) = self.open.pop() {
            self.ranges[var.0 as usize] = None;
        }
        self.visible[first as usize..self.next_value as usize].fill(false);
    }

    /// Range of a variable, `None` when it is not in scope.
    pub(super) fn range(&self, var: Var) -> Option<Interval> {
        self.ranges.get(var.0 as usize).copied().flatten()
    }
}
