//! How often each value is used.

use tdse_kir::{Kernel, Op, Stmt, Value};

/// Uses of every value in the text of the kernel: operands, stores, and carried values.
pub(crate) fn count_uses(kernel: &Kernel) -> Vec<u32> {
    let mut uses = vec![0; kernel.values.len()];
    count_block(&kernel.body, &mut |value| uses[value.0 as usize] += 1);
    uses
}

fn count_block(stmts: &[Stmt], count: &mut impl FnMut(Value)) {
    for stmt in stmts {
        match stmt {
            Stmt::Def { op, .. } => operands(op).for_each(&mut *count),
            Stmt::Store { value, .. } => count(*value),
            Stmt::Loop(l) => {
                for carry in &l.carried {
                    count(carry.init);
                    count(carry.next);
                }
                count_block(&l.body, count);
            }
        }
    }
}

/// Operands of an operation, one entry a use.
pub(crate) fn operands(op: &Op) -> impl Iterator<Item = Value> {
    let list = match *op {
        Op::Const(_) | Op::Load { .. } | Op::LoadSplat { .. } => [None; 3],
        Op::Splat(a) | Op::Neg(a) | Op::Reduce(a) => [Some(a), None, None],
        Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => [Some(a), Some(b), None],
        Op::Fma(a, b, c) => [Some(a), Some(b), Some(c)],
    };
    list.into_iter().flatten()
}
