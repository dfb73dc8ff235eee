//! What this backend lowers. Everything it refuses, it refuses here, before it emits a byte.

use tdse_backend::Refusal;
use tdse_isa::{Level, Preference};
use tdse_kir::{Contraction, Kernel, Op, Stmt};

use crate::backend::NAME;
use crate::chunk::Chunks;
use crate::target;

/// The most operations on registers that a kernel may expand to, each counted once however often
/// it runs; a register carried round a loop counts as one. LLVM's time grows faster than its input: at
/// this size it takes about half a second.
const MAX_OPERATIONS: usize = 10_000;

/// Refuses what cannot be lowered for `level`.
pub(crate) fn admit(kernel: &Kernel, level: Level, width: Preference) -> Result<(), Refusal> {
    if !target::supports(level) {
        return Err(Refusal::LevelUnsupported {
            backend: NAME,
            level,
        });
    }
    // LLVM would call a library function for each lane. The verifier keeps `fma` out of other
    // classes.
    if kernel.class.contraction == Contraction::Fma && !level.has_fma() {
        return Err(Refusal::NoFma {
            kernel: kernel.name.clone(),
            level,
        });
    }
    let count = Count {
        kernel,
        register_bytes: target::register_bytes(level, width),
    };
    let operations = count.block(&kernel.body);
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

struct Count<'a> {
    kernel: &'a Kernel,
    register_bytes: usize,
}

impl Count<'_> {
    fn registers(&self, value: tdse_kir::Value) -> usize {
        Chunks::of(self.kernel.ty(value), self.register_bytes).count
    }

    fn block(&self, body: &[Stmt]) -> usize {
        body.iter()
            .map(|stmt| match stmt {
                Stmt::Def {
                    op: Op::Reduce(of), ..
                } => usize::from(self.kernel.ty(*of).lanes),
                Stmt::Def { value, .. } | Stmt::Store { value, .. } => self.registers(*value),
                Stmt::Loop(l) => {
                    let carried = l.carried.iter().map(|c| self.registers(c.inner));
                    carried.fold(self.block(&l.body), usize::saturating_add)
                }
            })
            .fold(0, usize::saturating_add)
    }
}
