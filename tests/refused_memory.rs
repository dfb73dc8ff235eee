//! Where ways to make memory executable are refused, the model steps on what is left, says why, and
//! gives the same bits; a pinned code generator with no way left is an error.
//!
//! A restriction cannot be taken back, so each combination of them is a child process:
//!
//! ```text
//! parent: bits of every way by the interpreter and the portable tier
//! child:  restrict -> prepare, step, explain, pin -> the bits again, what loads, what maps showed
//! ```
//!
//! Meanwhile a thread of the child reads `/proc/self/maps` over and over: no mapping is writable and
//! executable at any time it looks.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;
use tdse_compiler::{Real, Tier};
use tdse_isa::Host;
use tdse_kir::{Contraction, KirArg, interpret, verify};
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{ElemChoice, PlanChoice, PrepareOptions, Prepared, RuntimeError};
use tdse_templates::{DirectShape, Layout, Schedule, direct};
use tdse_tests::random::Random;
use tdse_tests::system_calls::{
    Denied, EXECUTABLE_MPROTECT, MEMBARRIER, MEMFD, deny, deny_write_execute,
    map_writable_and_executable, writable_and_executable,
};

const CHILD: &str = "TDSE_REFUSED_MEMORY_CHILD";

const NH: usize = 40;
const NQ: usize = 3;
const NP: usize = 5;
const STEPS: usize = 100;

/// What a child is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Refused {
    write_execute: bool,
    mprotect: bool,
    memfd: bool,
    membarrier: bool,
}

impl Refused {
    /// Every combination, nothing at all first.
    fn all() -> impl Iterator<Item = Refused> {
        (0..16_u32).map(Refused::of)
    }

    fn of(bits: u32) -> Refused {
        let bit = |i: u32| bits >> i & 1 == 1;
        Refused {
            write_execute: bit(0),
            mprotect: bit(1),
            memfd: bit(2),
            membarrier: bit(3),
        }
    }

    fn filters(self) -> Vec<Denied> {
        [
            (self.mprotect, EXECUTABLE_MPROTECT),
            (self.memfd, MEMFD),
            (self.membarrier, MEMBARRIER),
        ]
        .into_iter()
        .filter_map(|(refused, call)| refused.then_some(call))
        .collect()
    }

    /// Restricts this process; false where the kernel cannot.
    fn impose(self) -> bool {
        let filters = self.filters();
        (!self.write_execute || deny_write_execute()) && (filters.is_empty() || deny(&filters))
    }

    /// By which call code still becomes executable.
    fn left(self) -> Option<&'static str> {
        match (self.write_execute || self.mprotect, self.memfd) {
            (false, _) => Some("mprotect"),
            (true, false) => Some("memfd"),
            (true, true) => None,
        }
    }
}

/// A way to evaluate the pack.
#[derive(Debug, Clone, Copy)]
struct Way {
    elem: ElemChoice,
    contraction: Contraction,
    plan: Option<&'static str>,
}

impl Way {
    fn all() -> Vec<Way> {
        let roundings: &[Contraction] = if Host::get().best().has_fma() {
            &[Contraction::Fma, Contraction::Separate]
        } else {
            &[Contraction::Separate]
        };
        let plans = [
            None,
            Some("temporal_block:spread:t4,t8"),
            Some("nonuniform_fft:burst:t2,f4,f16"),
            Some("relaxed_fft:burst:t4,f8"),
        ];
        let mut ways = Vec::new();
        for elem in [ElemChoice::F64, ElemChoice::F32] {
            for &contraction in roundings {
                ways.extend(plans.map(|plan| Way {
                    elem,
                    contraction,
                    plan,
                }));
            }
        }
        ways
    }

    fn options(self, tier: Option<Tier>) -> PrepareOptions {
        let plan = self.plan.map(|plan| plan.parse().expect("a plan"));
        PrepareOptions {
            tier,
            elem: self.elem,
            contraction: Some(self.contraction),
            plan: plan.map_or_else(PlanChoice::default, PlanChoice::Pinned),
            ..PrepareOptions::default()
        }
    }

    /// The bits by the interpreter where one kernel is the whole step, else by the portable tier,
    /// which needs no executable memory.
    fn expected(self) -> Vec<u64> {
        let (prepared, bits) = run(&self.options(Some(Tier::Portable))).expect("runs");
        let schedule = prepared.schedule().expect("a schedule");
        let interpreted = match (self.plan, self.elem) {
            (Some(_), _) => return bits,
            (None, ElemChoice::F64) => interpreted::<f64>(self.contraction, schedule),
            (None, ElemChoice::F32) => interpreted::<f32>(self.contraction, schedule),
        };
        assert_eq!(interpreted, bits, "{self:?}: the portable tier");
        bits
    }
}

fn pack() -> Arc<Pack> {
    let mut random = Random::new(11);
    let parts = PackParts {
        shape: Shape::new(NH, NQ, NP).expect("a shape"),
        dt: 1e-9,
        taps: (0..NH * NQ * NP).map(|_| random.uniform()).collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).expect("a pack"))
}

fn inputs() -> impl Iterator<Item = [f64; NP]> {
    let mut random = Random::new(12);
    (0..STEPS).map(move |_| [0.0; NP].map(|_: f64| random.uniform()))
}

/// Who steps, and the bits of every output: `hr`, then `dr`, for each step.
fn run(options: &PrepareOptions) -> Result<(Prepared, Vec<u64>), RuntimeError> {
    let prepared = Prepared::new(pack(), options)?;
    let mut model = prepared.model();
    let mut bits = Vec::new();
    let (mut hr, mut dr) = ([0.0; NQ], [0.0; NQ]);
    for (n, x) in inputs().enumerate() {
        model.begin(n as f64 * 1e-9, 1e-9)?;
        model.hr(&mut hr)?;
        model.commit(&x)?;
        model.dr(&mut dr)?;
        bits.extend(hr.iter().chain(&dr).map(|value| value.to_bits()));
    }
    Ok((prepared, bits))
}

/// What the interpreter needs of an element type.
trait Interpreted: Real {
    fn args<'a>(h: &'a [Self], x: &'a [Self], y: &'a mut [Self]) -> [KirArg<'a>; 3];
}

impl Interpreted for f64 {
    fn args<'a>(h: &'a [f64], x: &'a [f64], y: &'a mut [f64]) -> [KirArg<'a>; 3] {
        [KirArg::F64(h), KirArg::F64(x), KirArg::F64Mut(y)]
    }
}

impl Interpreted for f32 {
    fn args<'a>(h: &'a [f32], x: &'a [f32], y: &'a mut [f32]) -> [KirArg<'a>; 3] {
        [KirArg::F32(h), KirArg::F32(x), KirArg::F32Mut(y)]
    }
}

/// The bits of [`run`] on the direct route, with the interpreter for both kernels.
fn interpreted<T: Interpreted>(contraction: Contraction, schedule: Schedule) -> Vec<u64> {
    let pack = pack();
    let rounded = |values: &[f64]| values.iter().map(|&v| T::from_f64(v)).collect::<Vec<T>>();
    // Windows are oldest first: vector j of `taps` meets lag `newest + taps - 1 - j`.
    let product = |taps: usize, newest: usize, window: &[T]| -> Vec<f64> {
        let shape = DirectShape {
            np: NP,
            nq: NQ,
            taps,
            elem: T::ELEM,
        };
        let kernel = direct(&shape, contraction, schedule).expect("describes");
        let kernel = verify(kernel).expect("verifies");
        let layout = Layout::new(&shape, schedule);
        let mut h = vec![T::default(); layout.len()];
        for row in 0..NQ {
            for term in 0..shape.terms() {
                let tap = pack.tap(newest + taps - 1 - term / NP)[row * NP + term % NP];
                h[layout.index(row, term)] = T::from_f64(tap);
            }
        }
        let mut y = vec![T::default(); NQ];
        interpret(&kernel, &mut T::args(&h, window, &mut y)).expect("interprets");
        y.into_iter().map(T::to_f64).collect()
    };
    let mut history = vec![T::default(); (NH - 1) * NP];
    let mut bits = Vec::new();
    for x in inputs() {
        let x = rounded(&x);
        let hr = product(NH - 1, 1, &history[history.len() - (NH - 1) * NP..]);
        let dr = product(1, 0, &x);
        history.extend(&x);
        bits.extend(hr.iter().chain(&dr).map(|value| value.to_bits()));
    }
    bits
}

/// FNV-1a of the bits: short enough for a line of output.
fn digest(bits: &[u64]) -> String {
    let bytes = bits.iter().flat_map(|bits| bits.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[test]
fn the_model_steps_on_what_is_left_with_the_same_bits() {
    let expected: Vec<String> = Way::all()
        .into_iter()
        .map(|way| format!("{way:?} {}", digest(&way.expected())))
        .collect();
    for (bits, refused) in Refused::all().enumerate() {
        let output = Command::new(std::env::current_exe().expect("own path"))
            .args([
                "--exact",
                "restricted_child",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(CHILD, bits.to_string())
            .output()
            .expect("starts itself");
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains("child: unsupported") {
            println!("SKIP {refused:?}: this kernel lacks seccomp filters or PR_SET_MDWE");
            continue;
        }
        assert!(output.status.success(), "{refused:?}: {output:?}");
        let found: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("child: "))
            .collect();
        assert_eq!(found, expected, "{refused:?}");
    }
}

/// The body of the child; without the variable there is nothing to do.
#[test]
fn restricted_child() {
    let Ok(bits) = std::env::var(CHILD) else {
        return;
    };
    let refused = Refused::of(bits.parse().expect("a number"));
    let stop = Arc::new(AtomicBool::new(false));
    // It starts before the filters, which then do not bind it.
    let watcher = thread::spawn({
        let stop = Arc::clone(&stop);
        move || watch(&stop)
    });
    if !refused.impose() {
        println!("\nchild: unsupported");
        return;
    }
    println!();
    for way in Way::all() {
        let bits = run_and_explain(refused, way);
        println!("child: {way:?} {}", digest(&bits));
    }
    stop.store(true, Ordering::Release);
    let (looks, seen) = watcher.join().expect("watches");
    assert!(looks > 20, "looked {looks} times only");
    assert_eq!(seen, Vec::<String>::new(), "after {looks} looks");
    controls(refused);
}

/// Steps the way on what is left, checks what is said about it, and pins every code generator.
fn run_and_explain(refused: Refused, way: Way) -> Vec<u64> {
    let (prepared, bits) = run(&way.options(None)).expect("runs with what is left");
    let tier = prepared.tier().expect("a tier");
    let explanation = prepared.explanation();
    let loader = &explanation.loader;
    match refused.left() {
        Some(call) => {
            assert!(tier.makes_machine_code(), "{refused:?}: {tier}");
            let by = format!("code is mapped by {call}");
            assert!(loader.starts_with(&by), "{refused:?}: {loader}");
            let passed_over = loader.contains("mprotect from writable to executable");
            assert_eq!(passed_over, call == "memfd", "{refused:?}: {loader}");
        }
        None => {
            assert_eq!(tier, Tier::Portable, "{refused:?}");
            for step in ["mprotect from writable to executable", "memfd_create"] {
                assert!(loader.contains(step), "{refused:?}: {loader}");
            }
            let made = |name: &str| name.parse::<Tier>().expect("a tier").makes_machine_code();
            for route in explanation.routes.iter().filter(|r| made(&r.backend)) {
                assert!(!route.accepted, "{route:?}");
                assert_eq!(route.reason.name, "executable_memory_not_permitted");
            }
        }
    }
    for tier in Tier::ALL.into_iter().filter(|t| t.makes_machine_code()) {
        let pinned = run(&way.options(Some(tier)));
        match refused.left() {
            Some(_) => assert_eq!(pinned.expect("runs").1, bits, "{tier}"),
            None => {
                let refusal = pinned.err().expect("a pinned tier is never replaced");
                assert_eq!(
                    (refusal.code(), refusal.name()),
                    (8002, "pinned_route_refused")
                );
            }
        }
    }
    bits
}

/// Looks at the process's mappings until told to stop: how often, and what was writable and
/// executable.
fn watch(stop: &AtomicBool) -> (u64, Vec<String>) {
    let (mut looks, mut seen) = (0, Vec::new());
    loop {
        // One more look after the end, when all code is unmapped again.
        let last = stop.load(Ordering::Acquire);
        seen.extend(writable_and_executable().expect("/proc/self/maps"));
        looks += 1;
        if last {
            return (looks, seen);
        }
    }
}

/// The restrictions hold, nothing else is restricted, and the watcher would have seen something.
fn controls(refused: Refused) {
    let mprotect = refused.write_execute || refused.mprotect;
    assert_eq!(EXECUTABLE_MPROTECT.in_force(), mprotect, "{refused:?}");
    assert_eq!(MEMFD.in_force(), refused.memfd, "{refused:?}");
    assert_eq!(MEMBARRIER.in_force(), refused.membarrier, "{refused:?}");
    let mapped = map_writable_and_executable();
    assert_eq!(mapped, !refused.write_execute, "{refused:?}");
    let seen = writable_and_executable().expect("/proc/self/maps");
    assert_eq!(seen.len(), usize::from(mapped), "{refused:?}: {seen:?}");
}
