//! What this backend lowers. Everything it refuses, it refuses here, before it emits a byte.

use tdse_backend::Refusal;
use tdse_isa::Level;
use tdse_kir::{Contraction, Kernel, Op, Stmt};

use crate::NAME;
use crate::chunk::Chunks;
use crate::target;

/// The most operations on registers that a kernel may expand to, each counted once however often
/// it runs; a register carried round a loop counts as one. Cranelift's time grows faster than its input: at this size it takes about 0.1 s.
const MAX_OPERATIONS: usize = 40_000;

/// Refuses what cannot be lowered for `level`.
pub(crate) fn admit(kernel: &Kernel, level: Level) -> Result<(), Refusal> {
    if !target::supports(level) {
        return Err(Refusal::LevelUnsupported {
            backend: NAME,
            level,
        });
    }
    // Cranelift would call a library function for each lane. The verifier keeps `fma` out of other
    // classes.
    if kernel.class.contraction == Contraction::Fma && !level.has_fma() {
        return Err(Refusal::NoFma {
            kernel: kernel.name.clone(),
            level,
        });
    }
    let operations = operations(kernel, &kernel.body);
    if operations > MAX_OPERATIONS {
        return Err(Refusal::Construct {
            backend: NAME,
            kernel: kernel.name.clone(),
            construct: format!(
                "a body of {operations} register operations (at most {MAX_OPERATIONS})"
            ),
        });
    }
    Ok(())
}

fn operations(kernel: &Kernel, body: &[Stmt]) -> usize {
    body.iter()
        .map(|stmt| match stmt {
            Stmt::Def {
                value,
                op: Op::Reduce(of),
            } => usize::from(kernel.ty(*of).lanes) + Chunks::of(kernel.ty(*value)).count,
            Stmt::Def { value, .. } | Stmt::Store { value, .. } => {
                Chunks::of(kernel.ty(*value)).count
            }
            Stmt::Loop(l) => {
                let carried = l
                    .carried
                    .iter()
                    .map(|c| Chunks::of(kernel.ty(c.inner)).count);
                carried.fold(operations(kernel, &l.body), usize::saturating_add)
            }
        })
        .fold(0, usize::saturating_add)
}
