//! Levels: the sets of instructions that code is generated for.
//!
//! On x86-64 these are the four levels of the psABI, each a superset of the one before. Levels of
//! different architectures are not comparable.

use crate::error::IsaError;
use crate::features::{Feature, Features};
use std::fmt;
use std::str::FromStr;

/// What code may use. Not ordered by `<`: see [`Level::includes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// x86-64: SSE2.
    Baseline,
    /// x86-64-v2: up to SSE4.2.
    V2,
    /// x86-64-v3: AVX2 and FMA.
    V3,
    /// x86-64-v4: AVX-512 F, BW, CD, DQ and VL.
    V4,
    /// AArch64, where 128-bit vectors with fused multiply-add are part of the base.
    Neon,
    /// Any other machine: no vectors assumed.
    Scalar,
}

const BASELINE: Features = Features::of(&[
    Feature::Fpu,
    Feature::Cx8,
    Feature::Cmov,
    Feature::Mmx,
    Feature::Fxsr,
    Feature::Sse,
    Feature::Sse2,
    Feature::Sce,
]);
const V2_ADDS: Features = Features::of(&[
    Feature::Cx16,
    Feature::Lahf,
    Feature::Popcnt,
    Feature::Sse3,
    Feature::Ssse3,
    Feature::Sse41,
    Feature::Sse42,
]);
const V3_ADDS: Features = Features::of(&[
    Feature::Osxsave,
    Feature::Avx,
    Feature::Avx2,
    Feature::Bmi1,
    Feature::Bmi2,
    Feature::F16c,
    Feature::Fma,
    Feature::Lzcnt,
    Feature::Movbe,
]);
const V4_ADDS: Features = Features::of(&[
    Feature::Avx512f,
    Feature::Avx512bw,
    Feature::Avx512cd,
    Feature::Avx512dq,
    Feature::Avx512vl,
]);

impl Level {
    /// Every level; those of x86-64 first, ascending.
    pub const ALL: [Level; 6] = [
        Level::Baseline,
        Level::V2,
        Level::V3,
        Level::V4,
        Level::Neon,
        Level::Scalar,
    ];

    /// The name in text and keys.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline => "x86-64",
            Level::V2 => "x86-64-v2",
            Level::V3 => "x86-64-v3",
            Level::V4 => "x86-64-v4",
            Level::Neon => "aarch64",
            Level::Scalar => "scalar",
        }
    }

    /// Features that the level needs; none for levels outside x86-64.
    ///
    /// `osfxsr`, which the psABI lists for the baseline, is invisible to CPUID and left out.
    pub fn requires(self) -> Features {
        match self {
            Level::Baseline => BASELINE,
            Level::V2 => BASELINE | V2_ADDS,
            Level::V3 => BASELINE | V2_ADDS | V3_ADDS,
            Level::V4 => BASELINE | V2_ADDS | V3_ADDS | V4_ADDS,
            Level::Neon | Level::Scalar => Features::NONE,
        }
    }

    /// Whether fused multiply-add is an instruction there.
    pub const fn has_fma(self) -> bool {
        matches!(self, Level::V3 | Level::V4 | Level::Neon)
    }

    /// Whether a machine of this level runs code made for `other`.
    pub fn includes(self, other: Level) -> bool {
        let x86_64 = self.is_x86_64() && other.is_x86_64();
        self == other || x86_64 && self.requires().superset(other.requires())
    }

    /// Whether this is a level of x86-64.
    pub const fn is_x86_64(self) -> bool {
        matches!(self, Level::Baseline | Level::V2 | Level::V3 | Level::V4)
    }

    /// The highest x86-64 level of a machine with these features.
    ///
    /// Never below [`Level::Baseline`]: a program for x86-64 that runs at all has it, whatever the
    /// probe says.
    pub fn highest(features: Features) -> Level {
        [Level::V4, Level::V3, Level::V2]
            .into_iter()
            .find(|level| features.superset(level.requires()))
            .unwrap_or(Level::Baseline)
    }

    /// All names, separated by commas.
    pub(crate) fn names() -> String {
        Level::ALL.map(Level::name).join(", ")
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = IsaError;

    fn from_str(text: &str) -> Result<Self, IsaError> {
        Level::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or_else(|| IsaError::UnknownLevel(text.into()))
    }
}
