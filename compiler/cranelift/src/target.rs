//! Cranelift's settings for a level, written out: nothing is detected.

use std::sync::OnceLock;

use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetError};
use tdse_backend::Refusal;
use tdse_isa::Level;

use crate::NAME;

/// The code generator for `level`. Made once a process and level; making one takes some 20 us.
pub(crate) fn isa(level: Level) -> Result<OwnedTargetIsa, Refusal> {
    static MADE: [OnceLock<OwnedTargetIsa>; Level::ALL.len()] =
        [const { OnceLock::new() }; Level::ALL.len()];
    let unsupported = Refusal::LevelUnsupported {
        backend: NAME,
        level,
    };
    let Some(slot) = Level::ALL
        .iter()
        .position(|&l| l == level)
        .map(|i| &MADE[i])
    else {
        return Err(unsupported);
    };
    if let Some(isa) = slot.get() {
        return Ok(isa.clone());
    }
    let (name, features) = instructions(level).ok_or(unsupported)?;
    let isa = make(name, features).map_err(|message| Refusal::Generator {
        backend: NAME,
        kernel: format!("(target {level})"),
        message,
    })?;
    Ok(slot.get_or_init(|| isa).clone())
}

/// Whether this build holds a code generator for `level`: that of its own architecture, and with
/// the feature `all-arch` the others.
pub(crate) fn supports(level: Level) -> bool {
    instructions(level).is_some_and(|(name, _)| isa::lookup_by_name(name).is_ok())
}

/// Cranelift's name of the architecture, and its names of the extensions.
///
/// AVX-512 adds nothing: Cranelift would use it at 128 bits, and for conversions only.
fn instructions(level: Level) -> Option<(&'static str, &'static [&'static str])> {
    const V2: &[&str] = &[
        "has_cmpxchg16b",
        "has_sse3",
        "has_ssse3",
        "has_sse41",
        "has_sse42",
        "has_popcnt",
    ];
    const V3: &[&str] = &[
        "has_cmpxchg16b",
        "has_sse3",
        "has_ssse3",
        "has_sse41",
        "has_sse42",
        "has_popcnt",
        "has_avx",
        "has_avx2",
        "has_fma",
        "has_bmi1",
        "has_bmi2",
        "has_lzcnt",
    ];
    match level {
        Level::Baseline => Some(("x86_64", &[])),
        Level::V2 => Some(("x86_64", V2)),
        Level::V3 | Level::V4 => Some(("x86_64", V3)),
        Level::Neon => Some(("aarch64", &[])),
        Level::Scalar => None,
    }
}

fn make(name: &str, features: &[&str]) -> Result<OwnedTargetIsa, String> {
    let flags = shared_flags().map_err(|e| e.to_string())?;
    let mut builder = isa::lookup_by_name(name).map_err(|e| e.to_string())?;
    for feature in features {
        builder
            .enable(feature)
            .map_err(|e| format!("{feature}: {e}"))?;
    }
    builder.finish(flags).map_err(|e| e.to_string())
}

/// `opt_level = none`: its mid-end sinks multiply-adds below the loads, which stay, and spills (2
/// to 4 times slower, measured on Zen 4). `single_pass` register allocation gives code 3 times
/// slower. Kernels neither unwind nor trap. One that spills more than a page touches every page of its
/// frame first, so that a short stack ends at its guard page and nowhere beyond it.
fn shared_flags() -> Result<settings::Flags, SetError> {
    let mut flags = settings::builder();
    flags.set("opt_level", "none")?;
    flags.set("regalloc_algorithm", "backtracking")?;
    flags.set(
        "enable_verifier",
        if cfg!(debug_assertions) {
            "true"
        } else {
            "false"
        },
    )?;
    flags.set("enable_alias_analysis", "false")?;
    flags.set("enable_probestack", "true")?;
    flags.set("probestack_strategy", "inline")?;
    flags.set("unwind_info", "false")?;
    flags.set("preserve_frame_pointers", "false")?;
    flags.set("machine_code_cfg_info", "false")?;
    flags.set("is_pic", "false")?;
    Ok(settings::Flags::new(flags))
}
