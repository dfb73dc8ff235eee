//! Builds a kernel in code: the way templates describe one.
//!
//! The builder numbers values and variables in the order of the text form, so that a built kernel
//! equals its printed and parsed self. It checks nothing; [`crate::verify`] does.

use crate::class::NumericClass;
use crate::ir::{
    Access, Affine, Bound, Buffer, BufferId, Carry, Elem, Kernel, Loop, Op, Param, Stmt, Value,
    ValueInfo, Var, VecType,
};

/// A kernel under construction.
pub struct KernelBuilder {
    kernel: Kernel,
    open: Vec<Vec<Stmt>>,
}

impl KernelBuilder {
    /// Starts a kernel.
    pub fn new(name: impl Into<String>, class: NumericClass) -> Self {
        let kernel = Kernel {
            name: name.into(),
            class,
            params: Vec::new(),
            body: Vec::new(),
            values: Vec::new(),
            vars: Vec::new(),
        };
        KernelBuilder {
            kernel,
            open: vec![Vec::new()],
        }
    }

    /// Adds a buffer parameter.
    pub fn buffer(
        &mut self,
        name: &str,
        elem: Elem,
        extent: u64,
        access: Access,
        align: u32,
    ) -> BufferId {
        let id = BufferId(self.kernel.params.len() as u32);
        let buffer = Buffer {
            name: name.into(),
            elem,
            extent,
            access,
            align,
        };
        self.kernel.params.push(Param::Buffer(buffer));
        id
    }

    /// Adds an index parameter with an inclusive range.
    pub fn index(&mut self, name: &str, lo: i64, hi: i64) -> Var {
        let var = self.var(name);
        self.kernel.params.push(Param::Index { var, lo, hi });
        var
    }

    /// A constant in every lane.
    pub fn constant(&mut self, ty: VecType, value: f64) -> Value {
        self.define(ty, Op::Const(value))
    }

    /// Loads all lanes.
    pub fn load(&mut self, ty: VecType, buffer: BufferId, at: Affine) -> Value {
        self.load_lanes(ty, buffer, at, ty.lanes)
    }

    /// Loads the first `lanes` lanes; the others are +0.
    pub fn load_lanes(&mut self, ty: VecType, buffer: BufferId, at: Affine, lanes: u16) -> Value {
        self.define(ty, Op::Load { buffer, at, lanes })
    }

    /// Loads one element into every lane.
    pub fn load_splat(&mut self, ty: VecType, buffer: BufferId, at: Affine) -> Value {
        self.define(ty, Op::LoadSplat { buffer, at })
    }

    /// `a + b`.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.define(self.kernel.ty(a), Op::Add(a, b))
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.define(self.kernel.ty(a), Op::Mul(a, b))
    }

    /// `a * b + c`, one rounding.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.define(self.kernel.ty(a), Op::Fma(a, b, c))
    }

    /// Sum of the lanes by the fixed tree.
    pub fn reduce(&mut self, a: Value) -> Value {
        self.define(VecType::scalar(self.kernel.ty(a).elem), Op::Reduce(a))
    }

    /// Defines a value by any operation.
    pub fn define(&mut self, ty: VecType, op: Op) -> Value {
        let value = self.value(ty);
        self.push(Stmt::Def { value, op });
        value
    }

    /// Stores the first `lanes` lanes.
    pub fn store(&mut self, buffer: BufferId, at: Affine, value: Value, lanes: u16) {
        self.push(Stmt::Store {
            buffer,
            at,
            value,
            lanes,
        });
    }

    /// A loop over `lo..hi`. `body` receives the counter and the carried values and returns what
    /// the iteration yields, one value for each of `init`; the result is the carried values after
    /// the loop. Panics when fewer are yielded.
    pub fn repeat(
        &mut self,
        name: &str,
        lo: Bound,
        hi: Bound,
        init: &[Value],
        body: impl FnOnce(&mut Self, Var, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let results: Vec<Value> = init
            .iter()
            .map(|&v| self.value(self.kernel.ty(v)))
            .collect();
        let var = self.var(name);
        let inner: Vec<Value> = init
            .iter()
            .map(|&v| self.value(self.kernel.ty(v)))
            .collect();
        self.open.push(Vec::new());
        let next = body(self, var, &inner);
        let body = self.open.pop().unwrap_or_default();
        let carried = (0..init.len())
            .map(|i| Carry {
                result: results[i],
                inner: inner[i],
                init: init[i],
                next: next[i],
            })
            .collect();
        self.push(Stmt::Loop(Loop {
            var,
            lo,
            hi,
            carried,
            body,
        }));
        results
    }

    /// The finished kernel.
    pub fn finish(mut self) -> Kernel {
        self.kernel.body = self.open.pop().unwrap_or_default();
        self.kernel
    }

    fn push(&mut self, stmt: Stmt) {
        if let Some(block) = self.open.last_mut() {
            block.push(stmt);
        }
    }

    fn value(&mut self, ty: VecType) -> Value {
        let id = self.kernel.values.len() as u32;
        self.kernel.values.push(ValueInfo {
            name: format!("v{id}"),
            ty,
        });
        Value(id)
    }

    fn var(&mut self, name: &str) -> Var {
        let id = self.kernel.vars.len() as u32;
        self.kernel.vars.push(name.into());
        Var(id)
    }
}
