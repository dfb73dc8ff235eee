//! The text form of a kernel: one statement a line, every attribute written out.
//!
//! Total: a kernel that breaks rules prints too (an unknown id as `?`), since verifier errors
//! quote its statements.

use std::fmt::{self, Display};

use crate::hex_float;
use crate::ir::{
    Access, Affine, Bound, BufferId, Carry, Kernel, Loop, Op, Param, Stmt, Value, Var, VecType,
};

impl Display for VecType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => f.write_str(self.elem.name()),
            lanes => write!(f, "{}x{lanes}", self.elem.name()),
        }
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} {{", self.name)?;
        writeln!(f, "  class {}", self.class)?;
        for param in &self.params {
            writeln!(f, "  {}", param_line(self, param))?;
        }
        block(f, self, &self.body, 1)?;
        writeln!(f, "}}")
    }
}

/// The line of a parameter.
pub(crate) fn param_line(kernel: &Kernel, param: &Param) -> String {
    match param {
        Param::Buffer(b) => {
            let access = match b.access {
                Access::ReadOnly => "readonly",
                Access::WriteOnly => "writeonly",
                Access::ReadWrite => "readwrite",
            };
            let (name, elem) = (&b.name, b.elem.name());
            format!(
                "param {name} : {elem}[{}] {access} align {}",
                b.extent, b.align
            )
        }
        Param::Index { var, lo, hi } => {
            format!("param {} : index {lo}..={hi}", kernel.var_name(*var))
        }
    }
}

/// The line of a statement; of a loop, its head.
pub(crate) fn stmt_line(kernel: &Kernel, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Def { value, op } => {
            let operation = operation(kernel, *value, op);
            format!("{} = {operation}", kernel.value_name(*value))
        }
        Stmt::Store {
            buffer,
            at,
            value,
            lanes,
        } => {
            let (place, name) = (place(kernel, *buffer, at), kernel.value_name(*value));
            format!(
                "store {place}, {name}{}",
                lanes_suffix(kernel, *value, *lanes)
            )
        }
        Stmt::Loop(l) => loop_head(kernel, l),
    }
}

/// The `yield` line of a loop.
pub(crate) fn yield_line(kernel: &Kernel, carried: &[Carry]) -> String {
    format!(
        "yield {}",
        list(carried.iter().map(|c| kernel.value_name(c.next)))
    )
}

impl Kernel {
    pub(crate) fn value_name(&self, value: Value) -> &str {
        self.values
            .get(value.0 as usize)
            .map_or("?", |v| v.name.as_str())
    }

    pub(crate) fn var_name(&self, var: Var) -> &str {
        self.vars.get(var.0 as usize).map_or("?", String::as_str)
    }
}

fn block(f: &mut fmt::Formatter<'_>, k: &Kernel, stmts: &[Stmt], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for stmt in stmts {
        writeln!(f, "{indent}{}", stmt_line(k, stmt))?;
        if let Stmt::Loop(l) = stmt {
            block(f, k, &l.body, depth + 1)?;
            if !l.carried.is_empty() {
                writeln!(f, "{indent}  {}", yield_line(k, &l.carried))?;
            }
            writeln!(f, "{indent}}}")?;
        }
    }
    Ok(())
}

fn operation(k: &Kernel, value: Value, op: &Op) -> String {
    let ty = k
        .values
        .get(value.0 as usize)
        .map_or("?".into(), |v| v.ty.to_string());
    let name = |v: &Value| k.value_name(*v);
    match op {
        Op::Const(number) => format!("splat {ty} {}", hex_float::print(*number)),
        Op::Splat(a) => format!("splat {ty} {}", name(a)),
        Op::Load { buffer, at, lanes } => {
            let place = place(k, *buffer, at);
            format!("load {ty} {place}{}", lanes_suffix(k, value, *lanes))
        }
        Op::LoadSplat { buffer, at } => format!("load_splat {ty} {}", place(k, *buffer, at)),
        Op::Add(a, b) => format!("add {}, {}", name(a), name(b)),
        Op::Sub(a, b) => format!("sub {}, {}", name(a), name(b)),
        Op::Mul(a, b) => format!("mul {}, {}", name(a), name(b)),
        Op::Neg(a) => format!("neg {}", name(a)),
        Op::Fma(a, b, c) => format!("fma {}, {}, {}", name(a), name(b), name(c)),
        Op::Reduce(a) => format!("reduce {}", name(a)),
    }
}

fn loop_head(k: &Kernel, l: &Loop) -> String {
    let head = format!(
        "loop {} in {}..{}",
        k.var_name(l.var),
        bound(k, l.lo),
        bound(k, l.hi)
    );
    if l.carried.is_empty() {
        return head + " {";
    }
    let results = list(l.carried.iter().map(|c| k.value_name(c.result)));
    let pairs = l
        .carried
        .iter()
        .map(|c| (k.value_name(c.inner), k.value_name(c.init)));
    let carries = list(pairs.map(|(inner, init)| format!("{inner} = {init}")));
    format!("{results} = {head} carry ({carries}) {{")
}

fn bound(k: &Kernel, bound: Bound) -> String {
    match bound {
        Bound::Const(value) => value.to_string(),
        Bound::Param(var) => k.var_name(var).to_string(),
    }
}

/// ` lanes n`, unless all lanes of the type are meant.
fn lanes_suffix(k: &Kernel, value: Value, lanes: u16) -> String {
    match k.values.get(value.0 as usize) {
        Some(v) if v.ty.lanes == lanes => String::new(),
        _ => format!(" lanes {lanes}"),
    }
}

/// `buffer[4*j + n - 1]`.
fn place(k: &Kernel, buffer: BufferId, at: &Affine) -> String {
    let mut text = format!("{}[", k.buffer(buffer).map_or("?", |b| b.name.as_str()));
    let mut first = true;
    for &(var, coefficient) in &at.terms {
        let name = k.var_name(var);
        text += sign(first, coefficient);
        first = false;
        text += &match coefficient.unsigned_abs() {
            1 => name.to_string(),
            magnitude => format!("{magnitude}*{name}"),
        };
    }
    if first || at.constant != 0 {
        text += sign(first, at.constant);
        text += &at.constant.unsigned_abs().to_string();
    }
    text + "]"
}

fn sign(first: bool, number: i64) -> &'static str {
    match (first, number < 0) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    }
}

fn list<T: AsRef<str>>(items: impl Iterator<Item = T>) -> String {
    let mut text = String::new();
    for item in items {
        if !text.is_empty() {
            text += ", ";
        }
        text += item.as_ref();
    }
    text
}
