//! The oracle: what a kernel means, one statement at a time.
//!
//! Slow and obvious, and shares nothing with any backend. Every lane of every value has one slot
//! of a flat array, allocated once; an `f32` lane is held as the `f64` of the same value, and its
//! arithmetic is done in `f32`. 1.1 million multiply-adds with their loads, 33 x 33 ports and 1000
//! taps, take 0.2 s in a release build and 1.6 s in a debug build.
//!
//! Indexing does not fail: [`crate::verify`] has proved that values are defined before use and
//! that every address lies within its extent, and the arguments are checked against the extents
//! before the first statement runs.

use crate::error::KirError;
use crate::ir::{Access, Affine, Bound, BufferId, Elem, Kernel, Loop, Op, Param, Stmt, Value, Var};
use crate::verify::Verified;

/// One argument of a call.
#[derive(Debug)]
pub enum KirArg<'a> {
    /// A readonly `f64` buffer.
    F64(&'a [f64]),
    /// An `f64` buffer of any access.
    F64Mut(&'a mut [f64]),
    /// A readonly `f32` buffer.
    F32(&'a [f32]),
    /// An `f32` buffer of any access.
    F32Mut(&'a mut [f32]),
    /// An index.
    Index(i64),
}

/// Runs a kernel.
///
/// Arguments stand in the order of the parameters; a buffer may be longer than its extent, and
/// the rest of it is not touched. Fails, before anything is written, when an argument has the
/// wrong type, is too short or out of range. Alignment is not checked: it changes no result.
pub fn interpret(k: &Verified, args: &mut [KirArg]) -> Result<(), KirError> {
    check_arguments(k, args)?;
    let mut first_lane = Vec::with_capacity(k.values.len());
    let mut lanes = 0;
    for value in &k.values {
        first_lane.push(lanes);
        lanes += usize::from(value.ty.lanes);
    }
    let mut machine = Machine {
        kernel: k,
        args,
        first_lane,
        slots: vec![0.0; lanes],
        vars: vec![0; k.vars.len()],
    };
    machine.bind_indices();
    machine.block(&k.body);
    Ok(())
}

fn check_arguments(kernel: &Kernel, args: &[KirArg]) -> Result<(), KirError> {
    if args.len() != kernel.params.len() {
        return Err(KirError::ArgumentCount {
            kernel: kernel.name.clone(),
            expected: kernel.params.len(),
            found: args.len(),
        });
    }
    for (param, arg) in kernel.params.iter().zip(args) {
        check_argument(kernel, param, arg)?;
    }
    Ok(())
}

fn check_argument(kernel: &Kernel, param: &Param, arg: &KirArg) -> Result<(), KirError> {
    let (name, expected) = match param {
        Param::Buffer(b) => (b.name.as_str(), expected_type(b.elem, b.access)),
        Param::Index { var, .. } => (kernel.var_name(*var), "an index"),
    };
    let (found, length) = describe(arg);
    match (param, arg) {
        (Param::Index { lo, hi, .. }, KirArg::Index(index)) => {
            if (lo..=hi).contains(&index) {
                return Ok(());
            }
            let (lo, hi, found) = (*lo, *hi, *index);
            return Err(KirError::ArgumentRange {
                param: name.into(),
                lo,
                hi,
                found,
            });
        }
        (Param::Buffer(b), _) => {
            let fits = matches!(
                (b.elem, b.access, arg),
                (Elem::F64, Access::ReadOnly, KirArg::F64(_))
                    | (Elem::F64, _, KirArg::F64Mut(_))
                    | (Elem::F32, Access::ReadOnly, KirArg::F32(_))
                    | (Elem::F32, _, KirArg::F32Mut(_))
            );
            if fits && (length as u64) < b.extent {
                let (expected, found) = (b.extent, length as u64);
                return Err(KirError::ArgumentLength {
                    param: name.into(),
                    expected,
                    found,
                });
            }
            if fits {
                return Ok(());
            }
        }
        _ => {}
    }
    Err(KirError::ArgumentType {
        param: name.into(),
        expected,
        found,
    })
}

fn expected_type(elem: Elem, access: Access) -> &'static str {
    match (elem, access) {
        (Elem::F64, Access::ReadOnly) => "an f64 buffer",
        (Elem::F64, _) => "a mutable f64 buffer",
        (Elem::F32, Access::ReadOnly) => "an f32 buffer",
        (Elem::F32, _) => "a mutable f32 buffer",
    }
}

fn describe(arg: &KirArg) -> (&'static str, usize) {
    match arg {
        KirArg::F64(s) => ("an f64 buffer", s.len()),
        KirArg::F64Mut(s) => ("a mutable f64 buffer", s.len()),
        KirArg::F32(s) => ("an f32 buffer", s.len()),
        KirArg::F32Mut(s) => ("a mutable f32 buffer", s.len()),
        KirArg::Index(_) => ("an index", 0),
    }
}

struct Machine<'k, 'c, 'a> {
    kernel: &'k Kernel,
    args: &'c mut [KirArg<'a>],
    /// Slot of lane 0 of each value.
    first_lane: Vec<usize>,
    slots: Vec<f64>,
    vars: Vec<i64>,
}

impl Machine<'_, '_, '_> {
    fn bind_indices(&mut self) {
        for (param, arg) in self.kernel.params.iter().zip(&*self.args) {
            if let (Param::Index { var, .. }, KirArg::Index(index)) = (param, arg) {
                self.vars[var.0 as usize] = *index;
            }
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Def { value, op } => self.define(*value, op),
                Stmt::Store {
                    buffer,
                    at,
                    value,
                    lanes,
                } => {
                    let (from, to) = (self.slot(*value), self.address(at));
                    for i in 0..usize::from(*lanes) {
                        self.write(*buffer, to + i, self.slots[from + i]);
                    }
                }
                Stmt::Loop(l) => self.repeat(l),
            }
        }
    }

    fn repeat(&mut self, l: &Loop) {
        for carry in &l.carried {
            self.copy(carry.init, carry.inner);
        }
        for counter in self.bound(l.lo)..self.bound(l.hi) {
            self.vars[l.var.0 as usize] = counter;
            self.block(&l.body);
            // All are read before any is written: one carry may yield another's inner value.
            let next: Vec<f64> = l
                .carried
                .iter()
                .flat_map(|c| self.lanes(c.next).to_vec())
                .collect();
            let mut next = next.into_iter();
            for carry in &l.carried {
                let to = self.slot(carry.inner);
                let lanes = self.lanes(carry.inner).len();
                for (slot, number) in self.slots[to..to + lanes].iter_mut().zip(&mut next) {
                    *slot = number;
                }
            }
        }
        for carry in &l.carried {
            self.copy(carry.inner, carry.result);
        }
    }

    fn define(&mut self, value: Value, op: &Op) {
        let ty = self.kernel.ty(value);
        let (to, all) = (self.slot(value), usize::from(ty.lanes));
        match op {
            Op::Const(number) => self.slots[to..to + all].fill(*number),
            Op::Splat(a) => {
                let number = self.slots[self.slot(*a)];
                self.slots[to..to + all].fill(number);
            }
            Op::Load { buffer, at, lanes } => {
                let from = self.address(at);
                for i in 0..all {
                    let loaded = i < usize::from(*lanes);
                    self.slots[to + i] = if loaded {
                        self.read(*buffer, from + i)
                    } else {
                        0.0
                    };
                }
            }
            Op::LoadSplat { buffer, at } => {
                let number = self.read(*buffer, self.address(at));
                self.slots[to..to + all].fill(number);
            }
            Op::Add(a, b) => self.each_lane(value, [*a, *b, *b], |e, [a, b, _]| add(e, a, b)),
            Op::Sub(a, b) => self.each_lane(value, [*a, *b, *b], |e, [a, b, _]| match e {
                Elem::F64 => a - b,
                Elem::F32 => f64::from(a as f32 - b as f32),
            }),
            Op::Mul(a, b) => self.each_lane(value, [*a, *b, *b], |e, [a, b, _]| match e {
                Elem::F64 => a * b,
                Elem::F32 => f64::from(a as f32 * b as f32),
            }),
            Op::Neg(a) => self.each_lane(value, [*a; 3], |_, [a, _, _]| -a),
            Op::Fma(a, b, c) => self.each_lane(value, [*a, *b, *c], |e, [a, b, c]| match e {
                Elem::F64 => a.mul_add(b, c),
                Elem::F32 => f64::from((a as f32).mul_add(b as f32, c as f32)),
            }),
            Op::Reduce(a) => {
                let mut level = self.lanes(*a).to_vec();
                while level.len() > 1 {
                    level = level
                        .chunks(2)
                        .map(|pair| add(ty.elem, pair[0], pair[1]))
                        .collect();
                }
                self.slots[to] = level[0];
            }
        }
    }

    fn each_lane(&mut self, value: Value, operands: [Value; 3], f: impl Fn(Elem, [f64; 3]) -> f64) {
        let ty = self.kernel.ty(value);
        let (to, from) = (self.slot(value), operands.map(|v| self.slot(v)));
        for i in 0..usize::from(ty.lanes) {
            self.slots[to + i] = f(ty.elem, from.map(|slot| self.slots[slot + i]));
        }
    }

    fn copy(&mut self, from: Value, to: Value) {
        let lanes = self.lanes(from).len();
        let (from, to) = (self.slot(from), self.slot(to));
        self.slots.copy_within(from..from + lanes, to);
    }

    fn slot(&self, value: Value) -> usize {
        self.first_lane[value.0 as usize]
    }

    fn lanes(&self, value: Value) -> &[f64] {
        let from = self.slot(value);
        &self.slots[from..from + usize::from(self.kernel.ty(value).lanes)]
    }

    fn bound(&self, bound: Bound) -> i64 {
        match bound {
            Bound::Const(value) => value,
            Bound::Param(Var(var)) => self.vars[var as usize],
        }
    }

    fn address(&self, at: &Affine) -> usize {
        let mut address = at.constant;
        for &(Var(var), coefficient) in &at.terms {
            address += coefficient * self.vars[var as usize];
        }
        address as usize
    }

    fn read(&self, buffer: BufferId, at: usize) -> f64 {
        match &self.args[buffer.0 as usize] {
            KirArg::F64(s) => s[at],
            KirArg::F64Mut(s) => s[at],
            KirArg::F32(s) => f64::from(s[at]),
            KirArg::F32Mut(s) => f64::from(s[at]),
            KirArg::Index(_) => f64::NAN,
        }
    }

    fn write(&mut self, buffer: BufferId, at: usize, number: f64) {
        match &mut self.args[buffer.0 as usize] {
            KirArg::F64Mut(s) => s[at] = number,
            KirArg::F32Mut(s) => s[at] = number as f32,
            KirArg::F64(_) | KirArg::F32(_) | KirArg::Index(_) => {}
        }
    }
}

fn add(elem: Elem, a: f64, b: f64) -> f64 {
    match elem {
        Elem::F64 => a + b,
        Elem::F32 => f64::from(a as f32 + b as f32),
    }
}
