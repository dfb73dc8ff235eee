//! A step allocates nothing and calls no system, on every route, tier and element type.
//!
//! Allocations are counted by the allocator of this test program, system calls are forbidden by
//! the kernel: a child process installs a seccomp filter that kills it at any call but
//! `exit_group`, then steps. Each check has a control that must be caught.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::process::{Command, ExitStatus};
use std::sync::Arc;

use serde_json::json;
use tdse_compiler::Tier;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{ElemChoice, Model, PlanChoice, PrepareOptions, Prepared};
use tdse_tests::random::Random;
#[cfg(target_os = "linux")]
use tdse_tests::system_calls::allow_only;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Steps per check: several times round the ring.
const STEPS: usize = 500;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// Plans of every route and form, and none.
const PLANS: [Option<&str>; 7] = [
    None,
    Some("temporal_block:burst:t8"),
    Some("temporal_block:spread:t4,t16"),
    Some("uniform_fft:spread:f8"),
    Some("nonuniform_fft:spread:t2,f4,f16"),
    Some("nonuniform_fft:burst:f5,f15"),
    Some("relaxed_fft:burst:t4,f8,f32"),
];

/// One way to prepare the pack.
#[derive(Debug, Clone, Copy)]
struct Way {
    tier: Tier,
    elem: ElemChoice,
    plan: Option<&'static str>,
}

fn prepared(way: Way) -> Prepared {
    let mut random = Random::new(3);
    let (nh, nq, np) = (65, 5, 3);
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).expect("a shape"),
        dt: 1e-6,
        taps: (0..nh * nq * np).map(|_| random.uniform()).collect(),
        ir: Some((0..STEPS * nq).map(|_| random.uniform()).collect()),
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    let pack = Arc::new(Pack::from_parts(parts).expect("a pack"));
    let plan = way.plan.map(|plan| plan.parse().expect("a plan"));
    let options = PrepareOptions {
        tier: Some(way.tier),
        elem: way.elem,
        plan: plan.map_or_else(PlanChoice::default, PlanChoice::Pinned),
        ..PrepareOptions::default()
    };
    Prepared::new(pack, &options).expect("prepares")
}

/// One whole step: every call, and a trial that is rejected first.
fn step(model: &mut Model, n: usize, op: &mut [f64], rows: &mut [[f64; 5]; 3]) -> bool {
    let t = n as f64 * 1e-6;
    let [hr, ir, dr] = rows;
    model.begin(t, 1e-6).is_ok()
        && model.hr(hr).is_ok()
        && model.begin(t, 1e-6).is_ok()
        && model.op(op).is_ok()
        && model.hr(hr).is_ok()
        && model.ir(ir).is_ok()
        && model.commit(&[0.1 + hr[0] * 1e-3, -0.2, 0.3]).is_ok()
        && model.dr(dr).is_ok()
        && (!n.is_multiple_of(3) || model.idle().is_ok())
}

fn run(model: &mut Model) -> bool {
    let mut op = [0.0; 15];
    let mut rows = [[0.0; 5]; 3];
    (0..STEPS).all(|n| step(model, n, &mut op, &mut rows))
}

fn every_way() -> impl Iterator<Item = Way> {
    let elems = [ElemChoice::F64, ElemChoice::F32];
    Tier::ALL.into_iter().flat_map(move |tier| {
        elems.into_iter().flat_map(move |elem| {
            let ways = PLANS.into_iter();
            ways.map(move |plan| Way { tier, elem, plan })
        })
    })
}

#[test]
fn a_step_allocates_nothing() {
    for way in every_way() {
        let mut model = prepared(way).model();
        let mut ran = false;
        let count = allocations(|| ran = run(&mut model));
        assert!(ran, "{way:?} steps");
        assert_eq!(count, 0, "{way:?}");
        assert_eq!(model.committed_steps(), STEPS as u64);
    }
    let control = allocations(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(control, 2, "the counter counts");
}

#[test]
#[cfg(target_os = "linux")]
fn a_step_calls_no_system() {
    use std::os::unix::process::ExitStatusExt;
    assert!(
        child("step").success(),
        "a step made a system call, or failed"
    );
    assert_eq!(
        child("control").signal(),
        Some(libc::SIGSYS),
        "the filter kills"
    );
}

/// Runs [`filtered_child`] in a process of its own.
#[cfg(target_os = "linux")]
fn child(what: &str) -> ExitStatus {
    Command::new(std::env::current_exe().expect("own path"))
        .args([
            "--exact",
            "filtered_child",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("TDSE_FILTERED_CHILD", what)
        .stdout(std::process::Stdio::null())
        .status()
        .expect("starts itself")
}

/// The body of the child; without the variable there is nothing to do.
#[test]
#[cfg(target_os = "linux")]
fn filtered_child() {
    let Ok(what) = std::env::var("TDSE_FILTERED_CHILD") else {
        return;
    };
    let mut models: Vec<Model> = every_way().map(|way| prepared(way).model()).collect();
    assert!(allow_only(libc::SYS_exit_group), "the filter is installed");
    let code = if what == "control" {
        // SAFETY: getpid has no preconditions.
        unsafe { libc::syscall(libc::SYS_getpid) as i32 }
    } else {
        i32::from(!models.iter_mut().all(run))
    };
    // SAFETY: ends the process; nothing after it runs.
    unsafe { libc::syscall(libc::SYS_exit_group, code) };
}
