//! Detection over injected machines: each way of having less, and each way of lying about it.

use std::collections::HashMap;
use tdse_isa::{Feature, Features, Hardware, Level, Probe, detect};

const YMM: u64 = 0b110;
const ZMM: u64 = 0b1110_0000;
const ALL_STATE: u64 = 1 | YMM | ZMM;

/// A machine of registers in a table. Reading XCR0 without OSXSAVE is a fault, as on real ones.
#[derive(Clone)]
struct Table {
    leaves: HashMap<u32, [u32; 4]>,
    xcr0: Option<u64>,
}

impl Probe for Table {
    fn cpuid(&self, leaf: u32, sub: u32) -> [u32; 4] {
        assert_eq!(sub, 0, "only subleaf 0 is needed");
        self.leaves.get(&leaf).copied().unwrap_or([0; 4])
    }

    fn xcr0(&self) -> Option<u64> {
        assert!(self.leaves[&1][2] >> 27 & 1 == 1, "XGETBV without OSXSAVE");
        self.xcr0
    }
}

/// A machine with every bit that a level asks for.
fn v4() -> Table {
    let bits = |list: &[u32]| list.iter().fold(0u32, |word, bit| word | 1 << bit);
    let leaves = HashMap::from([
        (0, [0x16, 0, 0, 0]),
        (
            1,
            [
                0,
                0,
                bits(&[0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29]),
                bits(&[0, 8, 15, 23, 24, 25, 26]),
            ],
        ),
        (7, [0, bits(&[3, 5, 8, 16, 17, 28, 30, 31]), 0, 0]),
        (0xD, [ALL_STATE as u32, 0, 0, 0]),
        (0x8000_0000, [0x8000_0008, 0, 0, 0]),
        (0x8000_0001, [0, 0, bits(&[0, 5]), bits(&[11])]),
    ]);
    Table {
        leaves,
        xcr0: Some(ALL_STATE),
    }
}

fn level(table: &Table) -> Level {
    Level::highest(detect(table))
}

fn without(mut table: Table, leaf: u32, register: usize, bit: u32) -> Table {
    let word = &mut table.leaves.get_mut(&leaf).expect("leaf")[register];
    assert!(
        *word >> bit & 1 == 1,
        "the full machine has bit {bit} of leaf {leaf:#x}"
    );
    *word &= !(1 << bit);
    table
}

#[test]
fn full_machine_has_every_feature() {
    assert_eq!(detect(&v4()), Level::V4.requires());
    assert_eq!(detect(&v4()).iter().count(), Feature::ALL.len());
}

#[test]
fn each_missing_feature_lowers_the_level() {
    const EBX: usize = 1;
    const ECX: usize = 2;
    const EXT: u32 = 0x8000_0001;
    // leaf, register, bit, what goes, level left
    let rows = [
        (1, ECX, 0, "sse3", Level::Baseline),
        (1, ECX, 9, "ssse3", Level::Baseline),
        (1, ECX, 13, "cx16", Level::Baseline),
        (1, ECX, 19, "sse4.1", Level::Baseline),
        (1, ECX, 20, "sse4.2", Level::Baseline),
        (1, ECX, 23, "popcnt", Level::Baseline),
        (EXT, ECX, 0, "lahf", Level::Baseline),
        (1, ECX, 12, "fma", Level::V2),
        (1, ECX, 22, "movbe", Level::V2),
        (1, ECX, 27, "osxsave", Level::V2),
        (1, ECX, 28, "avx", Level::V2),
        (1, ECX, 29, "f16c", Level::V2),
        (7, EBX, 3, "bmi1", Level::V2),
        (7, EBX, 5, "avx2", Level::V2),
        (7, EBX, 8, "bmi2", Level::V2),
        (EXT, ECX, 5, "lzcnt", Level::V2),
        (7, EBX, 16, "avx512f", Level::V3),
        (7, EBX, 17, "avx512dq", Level::V3),
        (7, EBX, 28, "avx512cd", Level::V3),
        (7, EBX, 30, "avx512bw", Level::V3),
        (7, EBX, 31, "avx512vl", Level::V3),
    ];
    for (leaf, register, bit, name, left) in rows {
        let table = without(v4(), leaf, register, bit);
        let lost: Vec<_> = Level::V4.requires().minus(detect(&table)).iter().collect();
        assert!(
            lost.iter().any(|f| f.name() == name),
            "{name}: lost {lost:?}"
        );
        assert_eq!(level(&table), left, "without {name}");
    }
    let above_baseline = Level::V4.requires().minus(Level::Baseline.requires());
    assert_eq!(
        rows.len(),
        above_baseline.iter().count(),
        "a row for each feature"
    );
}

#[test]
fn a_missing_foundation_takes_what_stands_on_it() {
    let no_avx = detect(&without(v4(), 1, 2, 28));
    for feature in [Feature::Avx2, Feature::Fma, Feature::F16c, Feature::Avx512f] {
        assert!(!no_avx.has(feature), "{feature:?} without avx");
    }
    assert!(
        no_avx.has(Feature::Bmi2),
        "integer instructions need no vector state"
    );
    let no_f = detect(&without(v4(), 7, 1, 16));
    assert!(!no_f.has(Feature::Avx512bw) && !no_f.has(Feature::Avx512vl));
}

#[test]
fn every_combination_of_saved_state() {
    for state in 0..256u64 {
        for exists in [state, ALL_STATE, 0] {
            let mut table = v4();
            table.xcr0 = Some(state);
            table.leaves.insert(0xD, [exists as u32, 0, 0, 0]);
            let both = state & exists;
            let expected = if both & (YMM | ZMM) == YMM | ZMM {
                Level::V4
            } else if both & YMM == YMM {
                Level::V3
            } else {
                Level::V2
            };
            assert_eq!(
                level(&table),
                expected,
                "xcr0 {state:#b}, leaf 0xd {exists:#b}"
            );
        }
    }
}

#[test]
fn lying_machines() {
    // A full machine but for XCR0 and EAX of one leaf; what is left.
    let full = Some(ALL_STATE);
    let rows = [
        ("XCR0 unreadable", None, 0xD, ALL_STATE as u32, Level::V2),
        ("XCR0 zero", Some(0), 0xD, ALL_STATE as u32, Level::V2),
        ("XCR0 above leaf 0xD", full, 0xD, 0b111, Level::V3),
        ("leaf 0xD above the highest", full, 0, 0xC, Level::V2),
        ("leaf 7 above the highest", full, 0, 6, Level::V2),
        ("no extended leaves", full, 0x8000_0000, 0, Level::Baseline),
        (
            "extended answers basic",
            full,
            0x8000_0000,
            0x16,
            Level::Baseline,
        ),
    ];
    for (what, xcr0, leaf, eax, left) in rows {
        let mut table = v4();
        table.xcr0 = xcr0;
        table.leaves.insert(leaf, [eax, 0, 0, 0]);
        assert_eq!(level(&table), left, "{what}");
    }
    let mut nothing = v4();
    nothing.leaves = HashMap::from([(1, [0; 4])]);
    nothing.xcr0 = Some(u64::MAX);
    assert_eq!(detect(&nothing), Features::NONE);
    assert_eq!(
        level(&nothing),
        Level::Baseline,
        "a running program has the baseline"
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn agrees_with_the_standard_library() {
    let found = detect(&Hardware);
    macro_rules! compare {
        ($($feature:ident $name:tt,)*) => {
            $(assert_eq!(found.has(Feature::$feature), is_x86_feature_detected!($name), $name);)*
        };
    }
    compare! {
        Sse "sse", Sse2 "sse2", Fxsr "fxsr", Cx16 "cmpxchg16b", Popcnt "popcnt", Sse3 "sse3",
        Ssse3 "ssse3", Sse41 "sse4.1", Sse42 "sse4.2", Avx "avx", Avx2 "avx2", Bmi1 "bmi1",
        Bmi2 "bmi2", F16c "f16c", Fma "fma", Lzcnt "lzcnt", Movbe "movbe", Avx512f "avx512f",
        Avx512bw "avx512bw", Avx512cd "avx512cd", Avx512dq "avx512dq", Avx512vl "avx512vl",
    }
    assert!(found.superset(Features::of(&[Feature::Fpu, Feature::Cmov, Feature::Sce])));
}
