//! Detection: the minimum of what the processor says and what the operating system saves.

use crate::features::{Feature, Features};

/// Where CPUID and XCR0 are read: the machine, or a test's table.
pub trait Probe {
    /// CPUID `leaf`, subleaf `sub`: EAX, EBX, ECX, EDX.
    fn cpuid(&self, leaf: u32, sub: u32) -> [u32; 4];

    /// The extended control register, or `None` where it cannot be read. Asked for only when
    /// CPUID reports OSXSAVE.
    fn xcr0(&self) -> Option<u64>;
}

const EXTENDED: u32 = 0x8000_0000;
/// State of the SSE and the upper AVX halves.
const YMM_STATE: u64 = 0b110;
/// The same, with mask registers, upper halves of the lower sixteen vectors, and the upper sixteen.
const ZMM_STATE: u64 = 0b1110_0110;

/// EAX, EBX, ECX, EDX.
const EBX: usize = 1;
const ECX: usize = 2;
const EDX: usize = 3;

/// Leaf, register, bit and the feature it announces.
const BITS: [(u32, usize, u32, Feature); 29] = [
    (1, EDX, 0, Feature::Fpu),
    (1, EDX, 8, Feature::Cx8),
    (1, EDX, 15, Feature::Cmov),
    (1, EDX, 23, Feature::Mmx),
    (1, EDX, 24, Feature::Fxsr),
    (1, EDX, 25, Feature::Sse),
    (1, EDX, 26, Feature::Sse2),
    (1, ECX, 0, Feature::Sse3),
    (1, ECX, 9, Feature::Ssse3),
    (1, ECX, 12, Feature::Fma),
    (1, ECX, 13, Feature::Cx16),
    (1, ECX, 19, Feature::Sse41),
    (1, ECX, 20, Feature::Sse42),
    (1, ECX, 22, Feature::Movbe),
    (1, ECX, 23, Feature::Popcnt),
    (1, ECX, 27, Feature::Osxsave),
    (1, ECX, 28, Feature::Avx),
    (1, ECX, 29, Feature::F16c),
    (7, EBX, 3, Feature::Bmi1),
    (7, EBX, 5, Feature::Avx2),
    (7, EBX, 8, Feature::Bmi2),
    (7, EBX, 16, Feature::Avx512f),
    (7, EBX, 17, Feature::Avx512dq),
    (7, EBX, 28, Feature::Avx512cd),
    (7, EBX, 30, Feature::Avx512bw),
    (7, EBX, 31, Feature::Avx512vl),
    (EXTENDED + 1, ECX, 0, Feature::Lahf),
    (EXTENDED + 1, ECX, 5, Feature::Lzcnt),
    (EXTENDED + 1, EDX, 11, Feature::Sce),
];

/// Features that need the 256-bit registers saved, and AVX itself.
const NEED_YMM: Features =
    Features::of(&[Feature::Avx, Feature::Avx2, Feature::F16c, Feature::Fma]);
/// Features that need the 512-bit registers saved, and AVX-512 F itself.
const NEED_ZMM: Features = Features::of(&[
    Feature::Avx512f,
    Feature::Avx512bw,
    Feature::Avx512cd,
    Feature::Avx512dq,
    Feature::Avx512vl,
]);

/// What may be executed: announced by CPUID, its registers saved by the operating system.
///
/// A feature whose foundation is missing is dropped as well (FMA without AVX, AVX-512 BW without
/// F): hypervisors that mask one bit and forget the rest produce such sets.
pub fn detect(probe: &dyn Probe) -> Features {
    let announced = announced(probe);
    let saved = saved_state(probe, announced);
    let mut features = announced;
    if saved & YMM_STATE != YMM_STATE || !features.has(Feature::Avx) {
        features = features.minus(NEED_YMM);
    }
    let wide = features.superset(Features::of(&[
        Feature::Avx2,
        Feature::Fma,
        Feature::Avx512f,
    ]));
    if saved & ZMM_STATE != ZMM_STATE || !wide {
        features = features.minus(NEED_ZMM);
    }
    features
}

/// What CPUID says. A leaf above the highest one repeats other data and is not read.
fn announced(probe: &dyn Probe) -> Features {
    let mut features = Features::NONE;
    let mut read = (u32::MAX, [0; 4]);
    for (leaf, register, bit, feature) in BITS {
        if read.0 != leaf {
            let highest = probe.cpuid(leaf & EXTENDED, 0)[0];
            let known = highest >= leaf && highest & EXTENDED == leaf & EXTENDED;
            read = (leaf, if known { probe.cpuid(leaf, 0) } else { [0; 4] });
        }
        if read.1[register] >> bit & 1 == 1 {
            features = features.with(feature);
        }
    }
    features
}

/// Register files that the operating system enabled and that leaf 0xD confirms to exist.
fn saved_state(probe: &dyn Probe, announced: Features) -> u64 {
    if !announced.has(Feature::Osxsave) || probe.cpuid(0, 0)[0] < 0xD {
        return 0;
    }
    let [low, _, _, high] = probe.cpuid(0xD, 0);
    let exists = u64::from(high) << 32 | u64::from(low);
    probe.xcr0().unwrap_or(0) & exists
}
