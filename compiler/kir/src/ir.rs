//! The kernel IR: what a kernel is made of.
//!
//! A [`Kernel`] is a list of parameters and a structured body: definitions, stores and counted
//! loops that carry values. There is no control flow besides loops, no pointer arithmetic besides
//! affine addresses, and nothing undefined once [`crate::verify`] has accepted the kernel.
//!
//! Values are **virtual vectors** ([`VecType`]): their lane count is part of the kernel, never of
//! the machine. A backend splits a virtual vector into whatever registers it has and may not
//! change what a lane computes. Lanes are independent, except in [`Op::Reduce`], a fixed tree.
//!
//! docs/kernel-ir.md gives the text form and the meaning of each construct.

use crate::class::NumericClass;

/// Element type of buffers and vector lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elem {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Elem {
    /// Size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Elem::F32 => 4,
            Elem::F64 => 8,
        }
    }

    /// The name used in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Elem::F32 => "f32",
            Elem::F64 => "f64",
        }
    }
}

/// A virtual vector type; one lane is a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VecType {
    /// Type of every lane.
    pub elem: Elem,
    /// Number of lanes: a power of two, at most [`MAX_LANES`].
    pub lanes: u16,
}

/// The widest virtual vector.
pub const MAX_LANES: u16 = 64;

impl VecType {
    /// A vector type of `lanes` lanes.
    pub const fn new(elem: Elem, lanes: u16) -> Self {
        VecType { elem, lanes }
    }

    /// The scalar type.
    pub const fn scalar(elem: Elem) -> Self {
        VecType { elem, lanes: 1 }
    }
}

/// An SSA value: index into [`Kernel::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// An index variable (a loop counter or an index parameter): index into [`Kernel::vars`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A buffer parameter: index into [`Kernel::params`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// An element offset `constant + sum(coefficient * variable)`.
///
/// Terms are sorted by variable, each variable at most once, no zero coefficient.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    /// The constant part, in elements.
    pub constant: i64,
    /// Coefficient of each variable, in elements per unit of the variable.
    pub terms: Vec<(Var, i64)>,
}

impl Affine {
    /// The constant offset `at`.
    pub fn at(at: i64) -> Self {
        Affine {
            constant: at,
            terms: Vec::new(),
        }
    }

    /// This offset plus `coefficient * var`.
    pub fn plus(mut self, var: Var, coefficient: i64) -> Self {
        match self.terms.binary_search_by_key(&var, |&(v, _)| v) {
            Ok(i) => {
                self.terms[i].1 = self.terms[i].1.wrapping_add(coefficient);
                if self.terms[i].1 == 0 {
                    self.terms.remove(i);
                }
            }
            Err(i) if coefficient != 0 => self.terms.insert(i, (var, coefficient)),
            Err(_) => {}
        }
        self
    }

    /// This offset plus the constant `by`.
    pub fn offset(mut self, by: i64) -> Self {
        self.constant = self.constant.wrapping_add(by);
        self
    }

    /// Coefficient of `var`, 0 when it does not occur.
    pub fn coefficient(&self, var: Var) -> i64 {
        self.terms.iter().find(|t| t.0 == var).map_or(0, |t| t.1)
    }
}

/// What a kernel may do with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Loads only.
    ReadOnly,
    /// Stores only, and every element exactly once.
    WriteOnly,
    /// Loads and stores.
    ReadWrite,
}

/// A buffer parameter. Buffers of one call never overlap (the caller's duty, checked by the typed call).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Name in the text form.
    pub name: String,
    /// Element type.
    pub elem: Elem,
    /// Number of elements.
    pub extent: u64,
    /// Permitted accesses.
    pub access: Access,
    /// Alignment of the first element in bytes: a power of two, at least the element size.
    pub align: u32,
}

/// A kernel parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Param {
    /// A buffer.
    Buffer(Buffer),
    /// An index with its declared inclusive range.
    Index {
        /// The variable it defines.
        var: Var,
        /// Smallest legal value.
        lo: i64,
        /// Largest legal value.
        hi: i64,
    },
}

/// What defines a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// A constant in every lane. For `f32` the number must be exactly representable there.
    Const(f64),
    /// The scalar value in every lane.
    Splat(Value),
    /// `lanes` consecutive elements from `at`; the lanes above are +0.
    Load {
        /// Buffer read.
        buffer: BufferId,
        /// Offset of lane 0, in elements.
        at: Affine,
        /// Lanes read, 1 to the lanes of the type.
        lanes: u16,
    },
    /// One element in every lane.
    LoadSplat {
        /// Buffer read.
        buffer: BufferId,
        /// Offset of the element.
        at: Affine,
    },
    /// Lane by lane, one rounding.
    Add(Value, Value),
    /// Lane by lane, one rounding.
    Sub(Value, Value),
    /// Lane by lane, one rounding.
    Mul(Value, Value),
    /// Sign flip, lane by lane.
    Neg(Value),
    /// `a * b + c` with one rounding, lane by lane.
    Fma(Value, Value, Value),
    /// Sum of the lanes as a scalar: neighbours 0+1, 2+3, ... then again until one is left.
    Reduce(Value),
}

/// A bound of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// A constant.
    Const(i64),
    /// An index parameter.
    Param(Var),
}

/// A value carried round a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carry {
    /// The value outside, after the loop (equals `init` when the loop does not run).
    pub result: Value,
    /// The value inside, at the start of an iteration.
    pub inner: Value,
    /// The value before the loop.
    pub init: Value,
    /// The value yielded at the end of an iteration.
    pub next: Value,
}

/// A counted loop: `var` takes `lo, lo+1, ..., hi-1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// The counter.
    pub var: Var,
    /// First value.
    pub lo: Bound,
    /// One past the last value.
    pub hi: Bound,
    /// Carried values.
    pub carried: Vec<Carry>,
    /// The body.
    pub body: Vec<Stmt>,
}

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// Defines a value.
    Def {
        /// The value defined; its type stands in [`Kernel::values`].
        value: Value,
        /// What it is.
        op: Op,
    },
    /// Writes the first `lanes` lanes of a value.
    Store {
        /// Buffer written.
        buffer: BufferId,
        /// Offset of lane 0, in elements.
        at: Affine,
        /// The value.
        value: Value,
        /// Lanes written, 1 to the lanes of the value.
        lanes: u16,
    },
    /// Repeats.
    Loop(Loop),
}

/// Name and type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueInfo {
    /// Name in the text form, unique in the kernel.
    pub name: String,
    /// Type.
    pub ty: VecType,
}

/// A kernel. Values and variables are numbered in the order in which the text form defines them.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The kernel's key: family, element type, shape, class and schedule.
    pub name: String,
    /// Order of the arithmetic, which every backend keeps.
    pub class: NumericClass,
    /// Parameters, in the order of the call.
    pub params: Vec<Param>,
    /// Statements.
    pub body: Vec<Stmt>,
    /// Every value.
    pub values: Vec<ValueInfo>,
    /// Name of every index variable.
    pub vars: Vec<String>,
}

impl Kernel {
    /// Type of a value. Panics on a value of another kernel.
    pub fn ty(&self, value: Value) -> VecType {
        self.values[value.0 as usize].ty
    }

    /// The buffer behind an id, or `None` when the parameter is an index or absent.
    pub fn buffer(&self, id: BufferId) -> Option<&Buffer> {
        match self.params.get(id.0 as usize) {
            Some(Param::Buffer(b)) => Some(b),
            _ => None,
        }
    }
}
