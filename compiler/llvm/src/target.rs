//! LLVM's settings for a level, written out: nothing is detected.

use std::cell::RefCell;
use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetMachineOptions,
    TargetTriple,
};
use tdse_isa::{Level, Preference};

/// Whether there is code for `level`.
pub(crate) fn supports(level: Level) -> bool {
    processor(level).is_some()
}

/// Width in bytes of the vector registers used at a level.
pub(crate) const fn register_bytes(level: Level, width: Preference) -> usize {
    let most = match level {
        Level::V4 => 64,
        Level::V3 => 32,
        Level::Baseline | Level::V2 | Level::Neon | Level::Scalar => 16,
    };
    let wanted = match width {
        Preference::Widest | Preference::Bits512 => 64,
        Preference::Bits256 => 32,
        Preference::Bits128 => 16,
    };
    if wanted < most { wanted } else { most }
}

/// Whether lanes can be masked in loads and stores at full speed. `vmaskmov` of AVX is not: its
/// stores take tens of cycles on Zen.
pub(crate) fn has_masks(level: Level) -> bool {
    level == Level::V4
}

/// Triple and processor: the psABI's own names for its levels, whose features are exactly theirs.
fn processor(level: Level) -> Option<(&'static str, &'static str)> {
    const X86_64: &str = "x86_64-unknown-linux-gnu";
    match level {
        Level::Baseline => Some((X86_64, "x86-64")),
        Level::V2 => Some((X86_64, "x86-64-v2")),
        Level::V3 => Some((X86_64, "x86-64-v3")),
        Level::V4 => Some((X86_64, "x86-64-v4")),
        Level::Neon => Some(("aarch64-unknown-linux-gnu", "generic")),
        Level::Scalar => None,
    }
}

/// Lends the code generator of a level. Each thread makes its own, once: a tenth of a millisecond.
pub(crate) fn with_machine<T>(
    level: Level,
    run: impl FnOnce(&TargetMachine) -> Result<T, String>,
) -> Result<T, String> {
    thread_local! {
        static MADE: RefCell<Vec<(Level, TargetMachine)>> = const { RefCell::new(Vec::new()) };
    }
    MADE.with_borrow_mut(|made| {
        let at = match made.iter().position(|m| m.0 == level) {
            Some(at) => at,
            None => {
                made.push((level, machine(level)?));
                made.len() - 1
            }
        };
        run(&made[at].1)
    })
}

/// Code generation level `Less`: `None` is 2 to 4 times slower code, `Default` the same code.
/// Position-independent, so that constants are addressed relative to the code.
fn machine(level: Level) -> Result<TargetMachine, String> {
    let (triple, cpu) = processor(level).ok_or("no such target")?;
    // Once a process, before any thread emits code: LLVM reads what this writes without a lock.
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let config = InitializationConfig::default();
        Target::initialize_x86(&config);
        Target::initialize_aarch64(&config);
    });
    let triple = TargetTriple::create(triple);
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    let options = TargetMachineOptions::new()
        .set_cpu(cpu)
        .set_features("")
        .set_level(OptimizationLevel::Less)
        .set_reloc_mode(RelocMode::PIC)
        .set_code_model(CodeModel::Small);
    target
        .create_target_machine_from_options(&triple, options)
        .ok_or_else(|| format!("LLVM has no machine for {level}"))
}
