//! Every backend, at every level of this machine, gives the bits of the interpreter.
//!
//! The interpreter itself is held against the definition of the numeric class, written out here
//! once more without any IR.

#![allow(clippy::panic)]

use std::sync::Arc;

use tdse_backend::{Backend, Lowered};
use tdse_bundle::{AlignedBuffer, Executable, Loader};
use tdse_compiler::{Real, Tier};
use tdse_cranelift::Cranelift;
use tdse_isa::{Host, Level, Proof};
use tdse_kir::{Contraction, KirArg, Verified, interpret, verify};
use tdse_portable::Portable;
use tdse_templates::{
    BlockLayout, BlockSchedule, BlockShape, DirectShape, Layout, Schedule, SpectralLayout,
    SpectralSchedule, SpectralShape, direct, spectral_mac, temporal_block,
};
use tdse_tests::random::Random;

const PORTS: [usize; 12] = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33];
/// nh - 1 for nh of 2, 3, 5, 8, 33, 255, 257, 1000, and nh of 1 as the direct term's one tap.
const TAPS: [usize; 8] = [1, 2, 4, 7, 32, 254, 256, 999];

/// What the oracle needs of an element type besides [`Real`].
trait Oracle: Real {
    fn args<'a>(h: &'a [Self], x: &'a [Self], y: &'a mut [Self]) -> [KirArg<'a>; 3];
    fn fused(a: Self, b: Self, c: Self) -> Self;
    fn separate(a: Self, b: Self, c: Self) -> Self;
    fn sum(a: Self, b: Self) -> Self;
    fn minus(a: Self) -> Self;
    fn bits(self) -> u64;

    /// `a * b + c`, rounded as the class says.
    fn accumulate(contraction: Contraction, a: Self, b: Self, c: Self) -> Self {
        match contraction {
            Contraction::Fma => Self::fused(a, b, c),
            Contraction::Separate => Self::separate(a, b, c),
        }
    }
}

macro_rules! oracle {
    ($real:ty, $read:ident, $write:ident) => {
        impl Oracle for $real {
            fn args<'a>(h: &'a [Self], x: &'a [Self], y: &'a mut [Self]) -> [KirArg<'a>; 3] {
                [KirArg::$read(h), KirArg::$read(x), KirArg::$write(y)]
            }
            fn fused(a: Self, b: Self, c: Self) -> Self {
                a.mul_add(b, c)
            }
            fn separate(a: Self, b: Self, c: Self) -> Self {
                a * b + c
            }
            fn sum(a: Self, b: Self) -> Self {
                a + b
            }
            fn minus(a: Self) -> Self {
                -a
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    };
}
oracle!(f64, F64, F64Mut);
oracle!(f32, F32, F32Mut);

/// The class, straight from its definition: eight partial sums from +0, terms padded with
/// `+0 * +0`, neighbours added until one sum is left.
fn class_definition<T: Oracle>(h: &[T], x: &[T], contraction: Contraction) -> T {
    let mut partials = [T::default(); 8];
    for i in 0..x.len().next_multiple_of(8) {
        let (a, b) = if i < x.len() {
            (h[i], x[i])
        } else {
            (T::default(), T::default())
        };
        let sum = &mut partials[i % 8];
        *sum = T::accumulate(contraction, a, b, *sum);
    }
    let [a, b, c, d, e, f, g, i] = partials;
    let left = T::sum(T::sum(a, b), T::sum(c, d));
    T::sum(left, T::sum(T::sum(e, f), T::sum(g, i)))
}

fn awkward<T: Real>(random: &mut Random, len: usize) -> AlignedBuffer<T> {
    let mut buffer = AlignedBuffer::new(len);
    buffer
        .iter_mut()
        .for_each(|v| *v = T::from_f64(random.awkward()));
    buffer
}

fn executable(way: &Way, kernel: &Verified) -> Executable {
    let proof = way.proof;
    let entry = match way.backend.lower(kernel, proof.level()).expect("lowers") {
        Lowered::Ready(entry) => entry,
        Lowered::Machine(image) => {
            let loader = Loader::probe().as_ref().expect("this machine maps code");
            Arc::new(loader.load(&image, proof).expect("loads"))
        }
    };
    // SAFETY: the entry was lowered from this kernel.
    unsafe { Executable::new(kernel, entry) }
}

/// A way to run a kernel here.
struct Way {
    name: String,
    backend: Box<dyn Backend>,
    proof: Proof,
}

/// The ways to run a class here: each tier at each level that has the class's instructions, LLVM's
/// with registers of each width.
fn ways(contraction: Contraction) -> Vec<Way> {
    let mut ways = Vec::new();
    for proof in Host::get().levels() {
        let level = proof.level();
        let mut add = |name: &str, backend: Box<dyn Backend>| {
            let name = format!("{name} at {level}");
            ways.push(Way {
                name,
                backend,
                proof,
            });
        };
        add("portable", Box::new(Portable));
        if contraction == Contraction::Separate || level.has_fma() {
            add("cranelift", Box::new(Cranelift::new()));
            #[cfg(feature = "llvm")]
            for (bytes, backend) in llvm_widths(level) {
                add(&format!("llvm, {bytes} bytes"), Box::new(backend));
            }
        }
    }
    ways
}

/// LLVM with registers of each number of bytes that a level has.
#[cfg(feature = "llvm")]
fn llvm_widths(level: Level) -> std::collections::BTreeMap<usize, tdse_llvm::Llvm> {
    use tdse_isa::Preference::{Bits128, Bits256, Bits512};
    [Bits512, Bits256, Bits128]
        .map(tdse_llvm::Llvm::with_width)
        .map(|backend| (backend.register_bytes(level), backend))
        .into()
}

/// Schedules take turns over the table, so that each meets every tail and every shape class.
fn schedules(turn: usize) -> [Schedule; 2] {
    let rows = [1, 2, 3, 4, 6, 8][turn % 6];
    let lanes = [2, 4, 8][turn % 3];
    let unroll = [1, 2, 3][turn / 3 % 3];
    [
        Schedule::Taps { rows, unroll },
        Schedule::Rows { lanes, unroll },
    ]
}

fn hold_table<T: Oracle>(contraction: Contraction) {
    let mut random = Random::new(7);
    let ways = ways(contraction);
    let (mut turn, mut compared) = (0, 0_u64);
    for np in PORTS {
        for nq in PORTS {
            for taps in TAPS {
                turn += 1;
                let shape = DirectShape {
                    np,
                    nq,
                    taps,
                    elem: T::ELEM,
                };
                let h = awkward::<T>(&mut random, nq * shape.terms());
                let x = awkward::<T>(&mut random, shape.terms());
                let expected: Vec<u64> = h
                    .chunks(shape.terms())
                    .map(|row| class_definition(row, &x, contraction).bits())
                    .collect();
                for schedule in schedules(turn) {
                    compared += hold::<T>(&shape, contraction, schedule, &ways, &h, &x, &expected);
                }
            }
        }
    }
    let cases = PORTS.len() * PORTS.len() * TAPS.len() * 2;
    assert_eq!(
        compared,
        (cases * (1 + ways.len())) as u64,
        "every case ran every way"
    );
}

/// Runs one kernel on the interpreter and every way; returns how many runs were compared.
fn hold<T: Oracle>(
    shape: &DirectShape,
    contraction: Contraction,
    schedule: Schedule,
    ways: &[Way],
    h: &[T],
    x: &[T],
    expected: &[u64],
) -> u64 {
    let kernel =
        verify(direct(shape, contraction, schedule).expect("describes")).expect("verifies");
    let layout = Layout::new(shape, schedule);
    let mut packed = AlignedBuffer::<T>::new(layout.len());
    for row in 0..shape.nq {
        for term in 0..shape.terms() {
            packed[layout.index(row, term)] = h[row * shape.terms() + term];
        }
    }
    let bits = |y: &[T]| y.iter().map(|v| v.bits()).collect::<Vec<_>>();
    let mut y = AlignedBuffer::<T>::new(shape.nq);
    interpret(&kernel, &mut T::args(&packed, x, &mut y)).expect("interprets");
    assert_eq!(
        bits(&y),
        expected,
        "interpreter against the class: {}",
        kernel.name
    );
    for way in ways {
        let run = executable(way, &kernel);
        y.fill(T::from_f64(f64::MAX.min(1e30)));
        run.run(&mut [T::read(&packed), T::read(x), T::write(&mut y)])
            .expect("runs");
        assert_eq!(bits(&y), expected, "{}: {}", way.name, kernel.name);
    }
    1 + ways.len() as u64
}

/// Ports and groups or blocks of the families that work ahead: one, primes, around every vector.
const AHEAD_PORTS: [usize; 6] = [1, 2, 3, 4, 5, 8];
const GROUPS: [usize; 4] = [1, 2, 3, 7];
const BLOCKS: [usize; 8] = [1, 2, 3, 5, 7, 8, 16, 33];
const LAGS: [usize; 4] = [1, 2, 7, 31];
const LANES: [u8; 5] = [1, 2, 4, 8, 16];

/// The class sequential for spectra: terms in order of the inputs, four real ones each.
fn spectral_case<T: Oracle>(random: &mut Random, contraction: Contraction, turn: usize) -> Case<T> {
    let pick = |list: &[usize], every: usize| list[turn / every % list.len()];
    let (np, nq) = (pick(&AHEAD_PORTS, 1), pick(&AHEAD_PORTS, 6));
    let (groups, lanes) = (pick(&GROUPS, 36), LANES[turn % 5]);
    let vector = usize::from(lanes);
    let bins = groups * vector;
    let shape = SpectralShape {
        np,
        nq,
        groups,
        lanes,
        y_stride: 2 * bins + turn % 3,
        y_im: bins + turn % 3,
        elem: T::ELEM,
    };
    let schedule = SpectralSchedule {
        rows: [1, 2, 3, 4, 8][turn / 5 % 5],
    };
    let layout = SpectralLayout::new(&shape, schedule);
    let h = awkward::<T>(random, layout.len());
    let x = awkward::<T>(random, shape.x_len());
    let before = awkward::<T>(random, shape.y_len());
    let mut after = before.to_vec();
    for (q, bin) in (0..nq).flat_map(|q| (0..bins).map(move |bin| (q, bin))) {
        let (g, lane) = (bin / vector, bin % vector);
        let add = |sum: &mut T, h, x| *sum = T::accumulate(contraction, h, x, *sum);
        for p in 0..np {
            let (h_re, h_im) = (h[layout.re(g, q, p) + lane], h[layout.im(g, q, p) + lane]);
            let at = (g * np + p) * 2 * vector + lane;
            let re = &mut after[q * shape.y_stride + bin];
            add(re, h_re, x[at]);
            add(re, h_im, T::minus(x[at + vector]));
            let im = &mut after[q * shape.y_stride + shape.y_im + bin];
            add(im, h_re, x[at + vector]);
            add(im, h_im, x[at]);
        }
    }
    let kernel = spectral_mac(&shape, contraction, schedule).expect("describes");
    Case {
        kernel: verify(kernel).expect("verifies"),
        h,
        x,
        before,
        after,
    }
}

/// The class sequential for blocks: the oldest lag first, within it inputs in order.
fn block_case<T: Oracle>(random: &mut Random, contraction: Contraction, turn: usize) -> Case<T> {
    let pick = |list: &[usize], every: usize| list[turn / every % list.len()];
    let (np, nq) = (pick(&AHEAD_PORTS, 1), pick(&AHEAD_PORTS, 6));
    let (block, lags) = (pick(&BLOCKS, 36), pick(&LAGS, 1));
    let shape = BlockShape {
        np,
        nq,
        lags,
        block,
        x_stride: block + lags - 1 + turn % 3,
        y_stride: block + turn % 2,
        elem: T::ELEM,
    };
    let schedule = BlockSchedule {
        rows: [1, 2, 3, 4, 5, 8][turn / 5 % 6],
        lanes: LANES[turn % 5],
    };
    let layout = BlockLayout::new(&shape, schedule);
    let h = awkward::<T>(random, layout.len());
    let x = awkward::<T>(random, shape.x_len());
    let before = awkward::<T>(random, shape.y_len());
    let mut after = before.to_vec();
    for (q, n) in (0..nq).flat_map(|q| (0..block).map(move |n| (q, n))) {
        let sum = &mut after[q * shape.y_stride + n];
        for (j, p) in (0..lags).flat_map(|j| (0..np).map(move |p| (j, p))) {
            let (tap, input) = (h[layout.index(q, j, p)], x[p * shape.x_stride + n + j]);
            *sum = T::accumulate(contraction, tap, input, *sum);
        }
    }
    let kernel = temporal_block(&shape, contraction, schedule).expect("describes");
    Case {
        kernel: verify(kernel).expect("verifies"),
        h,
        x,
        before,
        after,
    }
}

/// A kernel that works ahead, its buffers, and what `y` must hold after it.
struct Case<T: Oracle> {
    kernel: Verified,
    h: AlignedBuffer<T>,
    x: AlignedBuffer<T>,
    before: AlignedBuffer<T>,
    after: Vec<T>,
}

fn hold_ahead<T: Oracle>(contraction: Contraction) {
    let mut random = Random::new(11);
    let ways = ways(contraction);
    let bits = |y: &[T]| y.iter().map(|v| v.bits()).collect::<Vec<_>>();
    for turn in 0..AHEAD_PORTS.len().pow(2) * BLOCKS.len() {
        for case in [
            spectral_case::<T>(&mut random, contraction, turn),
            block_case::<T>(&mut random, contraction, turn),
        ] {
            let Case {
                kernel,
                h,
                x,
                before,
                after,
            } = case;
            let mut y = before.to_vec();
            interpret(&kernel, &mut T::args(&h, &x, &mut y)).expect("interprets");
            assert_eq!(bits(&y), bits(&after), "interpreter: {}", kernel.name);
            for way in &ways {
                let run = executable(way, &kernel);
                y.copy_from_slice(&before);
                run.run(&mut [T::read(&h), T::read(&x), T::write(&mut y)])
                    .expect("runs");
                assert_eq!(bits(&y), bits(&after), "{}: {}", way.name, kernel.name);
            }
        }
    }
}

#[test]
fn f64_fma() {
    hold_table::<f64>(Contraction::Fma);
    hold_ahead::<f64>(Contraction::Fma);
}

#[test]
fn f64_separate() {
    hold_table::<f64>(Contraction::Separate);
    hold_ahead::<f64>(Contraction::Separate);
}

#[test]
fn f32_fma() {
    hold_table::<f32>(Contraction::Fma);
    hold_ahead::<f32>(Contraction::Fma);
}

#[test]
fn f32_separate() {
    hold_table::<f32>(Contraction::Separate);
    hold_ahead::<f32>(Contraction::Separate);
}

#[test]
fn generated_code_refuses_a_fused_class_where_there_is_no_fma() {
    let shape = DirectShape {
        np: 2,
        nq: 2,
        taps: 3,
        elem: f64::ELEM,
    };
    let schedule = Schedule::Taps { rows: 2, unroll: 1 };
    let kernel =
        verify(direct(&shape, Contraction::Fma, schedule).expect("describes")).expect("verifies");
    let tiers = Tier::ALL.into_iter().filter(|t| t.makes_machine_code());
    for (tier, level) in tiers.flat_map(|t| [Level::Baseline, Level::V2].map(|l| (t, l))) {
        let Err(refusal) = tier.backend().lower(&kernel, level) else {
            panic!("{tier} lowered a fused kernel for {level}");
        };
        assert_eq!((refusal.code(), refusal.name()), (6002, "no_fma"));
    }
}
