//! Programs: a kernel as a flat list of steps over a file of eight-lane registers.
//!
//! A virtual vector of more than eight lanes takes several registers; one of fewer takes a whole
//! register, whose upper lanes hold numbers that nothing reads. Loops are two steps that jump.

use crate::execution::Run;
use crate::mac::{MacFn, TileFn, TileWalk};
use std::fmt;
use tdse_kir::Elem;

/// Lanes of a register.
pub(crate) const LANES: usize = 8;
/// Registers of a program: 16 KiB of stack.
pub(crate) const REGISTERS: usize = 256;
/// Index variables alive at once: index parameters and open loops.
pub(crate) const VARS: usize = 32;

/// A register.
pub(crate) type Reg = u16;

/// A kernel lowered for one level.
pub(crate) struct Program {
    /// The kernel's name.
    pub(crate) kernel: String,
    /// Instantiation of the interpreter loop for the level.
    pub(crate) run: Run,
    /// What to do, in order.
    pub(crate) steps: Vec<Step>,
    /// Loops of multiply-accumulates, apart so that steps stay small.
    pub(crate) macs: Vec<Mac>,
    /// Tiles, apart for the same reason.
    pub(crate) tiles: Vec<Tile>,
    /// Terms of all addresses: index variable, bytes per unit.
    pub(crate) terms: Vec<(u16, i64)>,
    /// Parameters that are indices, with the variable that each sets.
    pub(crate) indices: Vec<(u16, u16)>,
    /// Registers used, for [`fmt::Display`].
    pub(crate) registers: usize,
}

/// A byte address in a buffer: `constant + sum(terms)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    /// Slot of the buffer.
    pub(crate) param: u16,
    /// Number of terms.
    pub(crate) count: u16,
    /// First term in [`Program::terms`].
    pub(crate) first: u32,
    /// Constant part in bytes.
    pub(crate) constant: i64,
}

/// A loop bound.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// A number.
    Const(i64),
    /// An index variable.
    Var(u16),
}

/// A micro-operation on registers of one element type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Micro {
    /// The number in every lane.
    Const(Reg, f64),
    /// Lane 0 in every lane.
    Splat(Reg, Reg),
    /// `lanes` elements, 1 to 8; +0 above.
    Load(Reg, Address, u8),
    /// One element in every lane.
    LoadSplat(Reg, Address),
    Add(Reg, Reg, Reg),
    Sub(Reg, Reg, Reg),
    Mul(Reg, Reg, Reg),
    Neg(Reg, Reg),
    /// First register is the result, then `a * b + c`.
    Fma(Reg, Reg, Reg, Reg),
    /// Sum of the lanes of consecutive registers by the neighbour tree, to lane 0.
    Reduce(Reg, Reg, u8),
    /// Stores `lanes` elements, 1 to 8.
    Store(Address, Reg, u8),
}

/// A whole loop of multiply-accumulates.
#[derive(Clone, Copy)]
pub(crate) struct Mac {
    /// Instantiation for the level, element type, form, size and rounding.
    pub(crate) body: MacFn,
    /// First accumulator.
    pub(crate) acc: Reg,
    /// Registers from one accumulator to the next.
    pub(crate) acc_stride: u16,
    /// First element of `h` and of `x`.
    pub(crate) h: Address,
    pub(crate) x: Address,
    /// Trips are `(hi - lo) * unroll`, none when negative.
    pub(crate) lo: Limit,
    pub(crate) hi: Limit,
    pub(crate) unroll: u32,
    /// Bytes from one trip to the next.
    pub(crate) h_step: i64,
    pub(crate) x_step: i64,
    /// Bytes from one accumulator's operand to the next one's.
    pub(crate) h_acc: i64,
    pub(crate) x_acc: i64,
    /// What it is, for [`fmt::Display`].
    pub(crate) form: Form,
    pub(crate) elem: Elem,
    /// Number of accumulators and lanes of each in this pass.
    pub(crate) accs: u8,
    pub(crate) lanes: u8,
}

/// Which operands a loop of multiply-accumulates shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// All accumulators meet one vector of `x`.
    Taps,
    /// Each accumulator meets its own element of `x`, in every lane.
    Rows,
}

/// Tiles of sums, with their terms and the loops around them.
pub(crate) struct Tile {
    /// Instantiation for the level, element type, form, size and rounding.
    pub(crate) body: TileFn,
    /// The first sum, the first row's own operand, the operand that rows share.
    pub(crate) y: Address,
    pub(crate) own: Address,
    pub(crate) shared: Address,
    pub(crate) walk: TileWalk,
    /// What it is, for [`fmt::Display`].
    pub(crate) form: TileForm,
    pub(crate) elem: Elem,
    pub(crate) rows: u8,
    pub(crate) lanes: u8,
}

/// What a tile computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TileForm {
    /// One sum a row: an element of its own times a vector that rows share.
    Columns,
    /// Two sums a row: a complex vector of its own times one that rows share.
    Complex,
}

/// One step.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    F64(Micro),
    F32(Micro),
    /// Copies a register.
    Copy(Reg, Reg),
    /// Sets a variable to `lo` and jumps to `end` when the loop does not run.
    Enter {
        var: u16,
        lo: Limit,
        hi: Limit,
        end: u32,
    },
    /// Counts and jumps back to `body` while the loop runs.
    Again {
        var: u16,
        hi: Limit,
        body: u32,
    },
    /// One of [`Program::macs`].
    Mac(u32),
    /// One of [`Program::tiles`].
    Tile(u32),
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} registers", self.kernel, self.registers)?;
        let mut depth = 1;
        for step in &self.steps {
            if matches!(step, Step::Again { .. }) {
                depth -= 1;
            }
            write!(f, "{:1$}", "", 2 * depth)?;
            match step {
                Step::Mac(index) => writeln!(f, "{}", self.macs[*index as usize])?,
                Step::Tile(index) => writeln!(f, "{}", self.tiles[*index as usize])?,
                _ => writeln!(f, "{step}")?,
            }
            if matches!(step, Step::Enter { .. }) {
                depth += 1;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::F64(micro) => write!(f, "f64 {micro}"),
            Step::F32(micro) => write!(f, "f32 {micro}"),
            Step::Copy(to, from) => write!(f, "r{to} = r{from}"),
            Step::Enter { var, lo, hi, .. } => write!(f, "loop i{var} in {lo}..{hi}"),
            Step::Again { .. } => f.write_str("end"),
            Step::Mac(index) => write!(f, "mac {index}"),
            Step::Tile(index) => write!(f, "tile {index}"),
        }
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mac {
            elem,
            accs,
            lanes,
            lo,
            hi,
            unroll,
            ..
        } = self;
        let elem = elem.name();
        match self.form {
            Form::Taps => write!(f, "mac_taps {elem} r={accs}")?,
            Form::Rows => write!(f, "mac_rows {elem} w={lanes} a={accs}")?,
        }
        match (lo, hi) {
            (Limit::Const(lo), Limit::Const(hi)) => write!(f, " n={}", hi.saturating_sub(*lo))?,
            _ => write!(f, " n={lo}..{hi}")?,
        }
        write!(f, " x{unroll}")
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tile {
            elem, rows, lanes, ..
        } = self;
        let form = match self.form {
            TileForm::Columns => "columns",
            TileForm::Complex => "complex",
        };
        let [far, near] = self.walk.outer;
        let elem = elem.name();
        write!(
            f,
            "mac_{form} {elem} r={rows} w={lanes} tiles={}x{}",
            far.trips, near.trips
        )?;
        f.write_str(" n=")?;
        for (i, terms) in self.walk.terms.iter().enumerate() {
            let (outer, inner) = (terms.outer.trips, terms.inner.trips);
            match (i, outer) {
                (_, 0) => {}
                (0, _) => write!(f, "{outer}x{inner}")?,
                _ => write!(f, "+{outer}x{inner}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Const(number) => write!(f, "{number}"),
            Limit::Var(var) => write!(f, "i{var}"),
        }
    }
}

impl fmt::Display for Micro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Micro::Const(to, value) => write!(f, "r{to} = {value:?}"),
            Micro::Splat(to, a) => write!(f, "r{to} = splat r{a}"),
            Micro::Load(to, at, lanes) => write!(f, "r{to} = load p{} lanes {lanes}", at.param),
            Micro::LoadSplat(to, at) => write!(f, "r{to} = load_splat p{}", at.param),
            Micro::Add(to, a, b) => write!(f, "r{to} = r{a} + r{b}"),
            Micro::Sub(to, a, b) => write!(f, "r{to} = r{a} - r{b}"),
            Micro::Mul(to, a, b) => write!(f, "r{to} = r{a} * r{b}"),
            Micro::Neg(to, a) => write!(f, "r{to} = -r{a}"),
            Micro::Fma(to, a, b, c) => write!(f, "r{to} = fma r{a} r{b} r{c}"),
            Micro::Reduce(to, a, lanes) => write!(f, "r{to} = reduce r{a} lanes {lanes}"),
            Micro::Store(at, a, lanes) => write!(f, "store p{} r{a} lanes {lanes}", at.param),
        }
    }
}

const _: () = assert!(size_of::<Step>() <= 40, "steps stay small");
