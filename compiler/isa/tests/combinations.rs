//! Every combination of what CPUID announces and what the operating system saves, against the
//! expected set written out here as conditions.

use std::cell::Cell;

use tdse_isa::{Cap, Feature, Features, Level, Probe, detect};

const ECX: usize = 2;

/// Bits of a level that no other feature stands on: leaf, register, bit. Baseline, then what v2
/// adds.
const BASELINE: [(u32, usize, u32); 8] = [
    (1, 3, 0),
    (1, 3, 8),
    (1, 3, 15),
    (1, 3, 23),
    (1, 3, 24),
    (1, 3, 25),
    (1, 3, 26),
    (0x8000_0001, 3, 11),
];
const V2: [(u32, usize, u32); 7] = [
    (1, ECX, 0),
    (1, ECX, 9),
    (1, ECX, 13),
    (1, ECX, 19),
    (1, ECX, 20),
    (1, ECX, 23),
    (0x8000_0001, ECX, 0),
];
/// What v3 adds without vectors: BMI1, BMI2, LZCNT, MOVBE.
const V3_SCALAR: [(u32, usize, u32); 4] =
    [(7, 1, 3), (7, 1, 8), (0x8000_0001, ECX, 5), (1, ECX, 22)];
const OSXSAVE: (u32, usize, u32) = (1, ECX, 27);
/// AVX, AVX2, FMA, F16C, then AVX-512 F, BW, CD, DQ, VL.
const VECTORS: [(u32, usize, u32); 9] = [
    (1, ECX, 28),
    (7, 1, 5),
    (1, ECX, 12),
    (1, ECX, 29),
    (7, 1, 16),
    (7, 1, 30),
    (7, 1, 28),
    (7, 1, 17),
    (7, 1, 31),
];
/// State components of XCR0: x87, SSE, upper AVX, masks, upper ZMM, upper sixteen.
const STATES: [u32; 6] = [0, 1, 2, 5, 6, 7];
const KNOWN_STATE: u64 = 0b1110_0111;

/// A machine in five words. It counts how often XCR0 is read.
#[derive(Clone, Default)]
struct Machine {
    leaf_1: [u32; 4],
    leaf_7: [u32; 4],
    extended: [u32; 4],
    xcr0: u64,
    xcr0_reads: Cell<u32>,
}

impl Machine {
    fn of(bits: impl IntoIterator<Item = (u32, usize, u32)>, xcr0: u64) -> Machine {
        let mut machine = Machine {
            xcr0,
            ..Machine::default()
        };
        for (leaf, register, bit) in bits {
            let words = match leaf {
                1 => &mut machine.leaf_1,
                7 => &mut machine.leaf_7,
                _ => &mut machine.extended,
            };
            words[register] |= 1 << bit;
        }
        machine
    }
}

impl Probe for Machine {
    fn cpuid(&self, leaf: u32, _sub: u32) -> [u32; 4] {
        match leaf {
            0 => [0x16, 0, 0, 0],
            1 => self.leaf_1,
            7 => self.leaf_7,
            // Every component exists, known or not.
            0xD => [u32::MAX, 0, 0, u32::MAX],
            0x8000_0000 => [0x8000_0008, 0, 0, 0],
            0x8000_0001 => self.extended,
            _ => [u32::MAX; 4],
        }
    }

    fn xcr0(&self) -> Option<u64> {
        self.xcr0_reads.set(self.xcr0_reads.get() + 1);
        Some(self.xcr0)
    }
}

/// The elements of `all` whose bits are set in `subset`.
fn subset<T: Copy>(all: &[T], subset: u32) -> impl Iterator<Item = T> {
    let chosen = move |i: &usize| subset >> i & 1 == 1;
    (0..all.len()).filter(chosen).map(|i| all[i])
}

#[test]
fn every_vector_feature_with_every_saved_state() {
    let mut seen = [0_u32; 4];
    for groups in 0..8_u32 {
        let [osxsave, v2, scalar] = [0, 1, 2].map(|i| groups >> i & 1 == 1);
        for states in 0..1_u32 << STATES.len() {
            let xcr0 = subset(&STATES, states).fold(0, |word, bit| word | 1_u64 << bit);
            let state = |bits: &[u32]| osxsave && bits.iter().all(|bit| xcr0 >> bit & 1 == 1);
            let (ymm, zmm) = (state(&[1, 2]), state(&[1, 2, 5, 6, 7]));
            for vectors in 0..1_u32 << VECTORS.len() {
                let bits = BASELINE
                    .into_iter()
                    .chain(V2.into_iter().filter(|_| v2))
                    .chain(V3_SCALAR.into_iter().filter(|_| scalar))
                    .chain(osxsave.then_some(OSXSAVE))
                    .chain(subset(&VECTORS, vectors));
                let machine = Machine::of(bits, xcr0);
                let found = detect(&machine);

                let says = |i: u32| vectors >> i & 1 == 1;
                let avx = says(0) && ymm;
                let (avx2, fma, f16c) = (avx && says(1), avx && says(2), avx && says(3));
                let f = says(4) && avx2 && fma && zmm;
                let expected = [
                    (Feature::Osxsave, osxsave),
                    (Feature::Cx16, v2),
                    (Feature::Movbe, scalar),
                    (Feature::Avx, avx),
                    (Feature::Avx2, avx2),
                    (Feature::Fma, fma),
                    (Feature::F16c, f16c),
                    (Feature::Avx512f, f),
                    (Feature::Avx512bw, f && says(5)),
                    (Feature::Avx512cd, f && says(6)),
                    (Feature::Avx512dq, f && says(7)),
                    (Feature::Avx512vl, f && says(8)),
                ];
                let what = || format!("groups {groups:#b} xcr0 {xcr0:#b} vectors {vectors:#b}");
                for (feature, has) in expected {
                    assert_eq!(found.has(feature), has, "{feature:?}: {}", what());
                }
                let v3 = v2 && scalar && avx2 && fma && f16c;
                let v4 = v3 && f && vectors >> 5 == 0b1111;
                let rank = usize::from(v2) + usize::from(v3) + usize::from(v4);
                seen[rank] += 1;
                let level = [Level::Baseline, Level::V2, Level::V3, Level::V4][rank];
                assert_eq!(Level::highest(found), level, "{}", what());
                // XGETBV faults where the operating system did not enable it.
                let reads = machine.xcr0_reads.get();
                assert!(osxsave || reads == 0, "{reads} reads: {}", what());
            }
        }
    }
    // 8 groups, 64 states, 512 sets of vector features.
    assert_eq!(seen.iter().sum::<u32>(), 8 * 64 * 512);
    // v4: one group, x87 saved or not, one set. v3: 16 state sets with SSE and AVX and 32 sets of
    // AVX-512 features, less those of v4.
    assert_eq!(seen[3], 2);
    assert_eq!(seen[2], 16 * 32 - 2);
    assert_eq!(seen[1], 4 * 64 * 512 - 16 * 32);
}

#[test]
fn every_scalar_feature_with_every_group_of_saved_state() {
    let groups = [0b1_u64, 0b110, 0b1110_0000];
    for scalars in 0..1_u32 << 11 {
        let (v2, v3) = (scalars & 0x7f, scalars >> 7);
        for states in 0..1_u32 << groups.len() {
            let xcr0 = subset(&groups, states).fold(0, |word, bits| word | bits);
            let bits = BASELINE
                .into_iter()
                .chain(subset(&V2, v2))
                .chain(subset(&V3_SCALAR, v3))
                .chain([OSXSAVE])
                .chain(VECTORS);
            let found = detect(&Machine::of(bits, xcr0));
            let level = match (v2 == 0x7f, v3 == 0xf, states >> 1) {
                (false, ..) => Level::Baseline,
                (true, true, 0b11) => Level::V4,
                (true, true, 0b01) => Level::V3,
                // The upper ZMM state without the upper AVX state is of no use.
                _ => Level::V2,
            };
            assert_eq!(
                Level::highest(found),
                level,
                "scalars {scalars:#b} xcr0 {xcr0:#b}"
            );
        }
    }
}

#[test]
fn what_is_not_known_is_off_and_changes_nothing() {
    let known = || {
        let all = BASELINE.into_iter().chain(V2).chain(V3_SCALAR);
        all.chain([OSXSAVE]).chain(VECTORS)
    };
    // State components that nothing here knows, AMX and APX among them, are worth nothing.
    let unknown = Machine::of(known(), !KNOWN_STATE);
    assert_eq!(Level::highest(detect(&unknown)), Level::V2);
    // Beside known ones each changes nothing.
    for states in 0..1_u32 << STATES.len() {
        let xcr0 = subset(&STATES, states).fold(0, |word, bit| word | 1_u64 << bit);
        let plain = detect(&Machine::of(known(), xcr0));
        for bit in (0..64).filter(|bit| KNOWN_STATE >> bit & 1 == 0) {
            let with = detect(&Machine::of(known(), xcr0 | 1 << bit));
            assert_eq!(with, plain, "xcr0 {xcr0:#b} with bit {bit}");
        }
        assert_eq!(detect(&Machine::of(known(), xcr0 | !KNOWN_STATE)), plain);
    }
    // Neither is any bit of CPUID that stands for no feature here.
    let is_known = |leaf, register, bit| known().any(|k| k == (leaf, register, bit));
    let mut others = Vec::new();
    for leaf in [1, 7, 0x8000_0001] {
        for register in 0..4 {
            let unknown = (0..32).filter(|&bit| !is_known(leaf, register, bit));
            others.extend(unknown.map(|bit| (leaf, register, bit)));
        }
    }
    assert_eq!(others.len(), 3 * 4 * 32 - Feature::ALL.len());
    assert_eq!(
        detect(&Machine::of(others.clone(), u64::MAX)),
        Features::NONE
    );
    let all = detect(&Machine::of(known().chain(others), u64::MAX));
    assert_eq!(all, detect(&Machine::of(known(), u64::MAX)));
    assert_eq!(Level::highest(all), Level::V4);
}

#[test]
fn no_cap_raises_any_machine() {
    for best in Level::ALL {
        for cap in Level::ALL.map(Some).into_iter().chain([None]) {
            let used = Cap::apply(best, cap).level;
            assert!(best.includes(used), "{best} under {cap:?} gave {used}");
            let expected = cap.filter(|&cap| best.includes(cap)).unwrap_or(best);
            assert_eq!(used, expected, "{best} under {cap:?}");
        }
    }
}

#[test]
fn a_level_is_always_named_by_what_it_has() {
    let mut texts = vec![format!("{}", Level::V4.requires())];
    texts.extend(Level::ALL.map(|level| level.to_string()));
    for best in Level::ALL {
        texts.extend(Level::ALL.map(|cap| Cap::apply(best, Some(cap)).to_string()));
    }
    for text in &texts {
        assert!(!text.to_lowercase().contains("native"), "{text}");
    }
    assert!("native".parse::<Level>().is_err());
    assert!("native".parse::<tdse_isa::Preference>().is_err());
}
