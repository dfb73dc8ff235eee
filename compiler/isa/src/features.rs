//! Features of an x86-64 machine and sets of them, ordered by inclusion.

use std::fmt;
use std::ops::BitOr;

macro_rules! features {
    ($($variant:ident $name:literal $doc:literal,)*) => {
        /// One feature that a level of the x86-64 psABI asks for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Feature { $(#[doc = $doc] $variant,)* }

        impl Feature {
            /// Every feature, in the order of the levels.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant,)*];

            /// The usual lower-case name.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name,)* }
            }
        }
    };
}

features! {
    Fpu "fpu" "x87.",
    Cx8 "cx8" "`cmpxchg8b`.",
    Cmov "cmov" "Conditional moves.",
    Mmx "mmx" "MMX.",
    Fxsr "fxsr" "`fxsave`.",
    Sse "sse" "SSE.",
    Sse2 "sse2" "SSE2.",
    Sce "sce" "`syscall`.",
    Cx16 "cx16" "`cmpxchg16b`.",
    Lahf "lahf" "`lahf` in 64-bit mode.",
    Popcnt "popcnt" "`popcnt`.",
    Sse3 "sse3" "SSE3.",
    Ssse3 "ssse3" "SSSE3.",
    Sse41 "sse4.1" "SSE4.1.",
    Sse42 "sse4.2" "SSE4.2.",
    Osxsave "osxsave" "The operating system saves extended state; XCR0 can be read.",
    Avx "avx" "AVX, its registers saved.",
    Avx2 "avx2" "AVX2.",
    Bmi1 "bmi1" "BMI1.",
    Bmi2 "bmi2" "BMI2.",
    F16c "f16c" "Half-precision conversion.",
    Fma "fma" "Fused multiply-add.",
    Lzcnt "lzcnt" "`lzcnt`.",
    Movbe "movbe" "`movbe`.",
    Avx512f "avx512f" "AVX-512 foundation, its registers saved.",
    Avx512bw "avx512bw" "AVX-512 byte and word.",
    Avx512cd "avx512cd" "AVX-512 conflict detection.",
    Avx512dq "avx512dq" "AVX-512 double and quad word.",
    Avx512vl "avx512vl" "AVX-512 at 128 and 256 bits.",
}

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Features(u32);

impl Features {
    /// No feature.
    pub const NONE: Features = Features(0);

    /// The set of the listed features.
    pub const fn of(list: &[Feature]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Features(bits)
    }

    /// Whether every feature of `other` is in this set.
    pub const fn superset(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the feature is in this set.
    pub const fn has(self, feature: Feature) -> bool {
        self.superset(Features::of(&[feature]))
    }

    /// This set with the feature.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Features(self.0 | Features::of(&[feature]).0)
    }

    /// This set without the feature.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Features(self.0 & !Features::of(&[feature]).0)
    }

    /// What this set has and `other` lacks.
    #[must_use]
    pub const fn minus(self, other: Features) -> Self {
        Features(self.0 & !other.0)
    }

    /// The features, in the order of the levels.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&f| self.has(f))
    }
}

impl BitOr for Features {
    type Output = Features;

    fn bitor(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }
}

/// Names separated by spaces.
impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, feature) in self.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(f, "{gap}{}", feature.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Features({self})")
    }
}
