//! What a kernel should cost: cycles counted from the IR.
//!
//! The model is a core that starts two vector loads and two vector operations a cycle and gives an
//! operation's result after four, which is close to every x86-64 core of the last ten years with
//! data in its first-level cache. A virtual vector counts as many operations as it fills registers.
//! A loop costs, per iteration, the largest of: loads / 2, arithmetic / 2, and 4 for each operation
//! on the longest chain through a carried value. Nothing is said about caches beyond the first;
//! the model ranks schedules of one kernel and predicts no absolute time.

use tdse_kir::{Bound, Kernel, Loop, Op, Stmt, Value, VecType};

/// Clock that turns predicted cycles into nanoseconds in reports.
pub const REFERENCE_GHZ: f64 = 3.0;

/// Latency of an addition, multiplication or multiply-add in cycles.
const LATENCY: f64 = 4.0;

/// Predicted cycles of one call on a machine with vector registers of `register_bytes`.
pub fn predicted_cycles(kernel: &Kernel, register_bytes: usize) -> f64 {
    let mut model = Model {
        kernel,
        register_bytes,
        depth: vec![0.0; kernel.values.len()],
    };
    model.block(&kernel.body).cycles()
}

/// Statements executed outside innermost loops: what a tier that interprets its program pays for.
pub(crate) fn program_steps(kernel: &Kernel) -> f64 {
    steps(&kernel.body)
}

fn steps(body: &[Stmt]) -> f64 {
    let innermost = |l: &Loop| !l.body.iter().any(|stmt| matches!(stmt, Stmt::Loop(_)));
    body.iter()
        .map(|stmt| match stmt {
            Stmt::Loop(l) if innermost(l) => 1.0,
            Stmt::Loop(l) => trips(l) * steps(&l.body),
            Stmt::Def { .. } | Stmt::Store { .. } => 1.0,
        })
        .sum()
}

/// Iterations of a loop with constant bounds; templates write no others.
fn trips(l: &Loop) -> f64 {
    match (l.lo, l.hi) {
        (Bound::Const(lo), Bound::Const(hi)) => hi.saturating_sub(lo).max(0) as f64,
        _ => 0.0,
    }
}

/// Work of a block, overlapping parts kept apart.
#[derive(Default)]
struct Work {
    loads: f64,
    arithmetic: f64,
    chain: f64,
    loops: f64,
}

impl Work {
    fn cycles(&self) -> f64 {
        (self.loads / 2.0)
            .max(self.arithmetic / 2.0)
            .max(self.chain)
            + self.loops
    }
}

struct Model<'a> {
    kernel: &'a Kernel,
    register_bytes: usize,
    /// Latency from the start of the current block to each value.
    depth: Vec<f64>,
}

impl Model<'_> {
    fn block(&mut self, body: &[Stmt]) -> Work {
        let mut work = Work::default();
        for stmt in body {
            match stmt {
                Stmt::Def { value, op } => self.def(&mut work, *value, op),
                Stmt::Store { value, .. } => {
                    work.arithmetic += self.registers(self.kernel.ty(*value));
                    work.chain = work.chain.max(self.depth[value.0 as usize]);
                }
                Stmt::Loop(l) => work.loops += self.repeat(l),
            }
        }
        work
    }

    fn def(&mut self, work: &mut Work, value: Value, op: &Op) {
        let registers = self.registers(self.kernel.ty(value));
        let depth = |v: &Value| self.depth[v.0 as usize];
        let ready = match op {
            Op::Const(_) => 0.0,
            Op::Load { .. } => {
                work.loads += registers;
                0.0
            }
            Op::LoadSplat { .. } => {
                // One load feeds all registers; narrow machines add a shuffle.
                work.loads += 1.0;
                work.arithmetic += if self.register_bytes < 32 { 1.0 } else { 0.0 };
                0.0
            }
            Op::Splat(a) | Op::Neg(a) => {
                work.arithmetic += registers;
                depth(a) + 1.0
            }
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => {
                work.arithmetic += registers;
                depth(a).max(depth(b)) + LATENCY
            }
            Op::Fma(a, b, c) => {
                work.arithmetic += registers;
                depth(a).max(depth(b)).max(depth(c)) + LATENCY
            }
            Op::Reduce(a) => {
                let lanes = f64::from(self.kernel.ty(*a).lanes);
                // An addition and a shuffle for each pair.
                work.arithmetic += 2.0 * (lanes - 1.0);
                depth(a) + lanes.log2() * (LATENCY + 1.0)
            }
        };
        self.depth[value.0 as usize] = ready;
    }

    fn repeat(&mut self, l: &Loop) -> f64 {
        for carry in &l.carried {
            self.depth[carry.inner.0 as usize] = 0.0;
        }
        let mut body = self.block(&l.body);
        let carried = l.carried.iter().map(|c| self.depth[c.next.0 as usize]);
        // Without carried values iterations overlap, and latency does not count.
        body.chain = carried.fold(0.0, f64::max);
        for carry in &l.carried {
            self.depth[carry.result.0 as usize] = 0.0;
        }
        let overhead = 1.0;
        trips(l) * (body.cycles() + overhead)
    }

    /// Machine registers that a virtual vector fills.
    fn registers(&self, ty: VecType) -> f64 {
        let bytes = usize::from(ty.lanes) * ty.elem.bytes();
        bytes.div_ceil(self.register_bytes) as f64
    }
}
