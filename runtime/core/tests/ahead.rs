//! Code from elsewhere: bundles, the cache on disk, better code for a model that runs.

#![allow(clippy::panic)]

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tdse_bundle::Bundle;
use tdse_compiler::{Tier, candidates_by};
use tdse_isa::{Host, Level};
use tdse_kir::{Contraction, Elem};
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{
    AheadCompiler, CodeOrigin, ElemChoice, Objective, PlanChoice, PrepareOptions, Prepared,
    RouteToken, RuntimeError,
};
use tdse_templates::DirectShape;

const DT: f64 = 1e-9;
const PLAN: &str = "relaxed_fft:burst:t4,f8,f32";

fn pack(seed: usize) -> Arc<Pack> {
    let (nh, nq, np) = (70, 3, 2);
    let taps = (0..nh * nq * np).map(|i| ((i * 7919 + seed) % 1009) as f64 / 504.5 - 1.0);
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).expect("a shape"),
        dt: DT,
        taps: taps.collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).expect("a pack"))
}

fn plan() -> PlanChoice {
    PlanChoice::Pinned(PLAN.parse().expect("a plan"))
}

/// Bundles are made with Cranelift here: it is in every build.
fn made_by_cranelift(plan: PlanChoice) -> PrepareOptions {
    PrepareOptions {
        tier: Some(Tier::Cranelift),
        plan,
        ..PrepareOptions::default()
    }
}

fn bundle_for(pack: &Arc<Pack>, level: Level, elem: ElemChoice) -> Bundle {
    let listener = Arc::new(|_: &str| {});
    let mut compiler = AheadCompiler::new(Arc::clone(pack), elem, level, None, listener);
    for plan in [PlanChoice::Estimate, plan()] {
        compiler.add(&made_by_cranelift(plan)).expect("compiles");
    }
    compiler.finish()
}

fn with_bundle(bundle: &Arc<Bundle>, plan: PlanChoice) -> PrepareOptions {
    PrepareOptions {
        code: CodeOrigin::Bundle(Arc::clone(bundle)),
        plan,
        ..PrepareOptions::default()
    }
}

/// Bits of the responses of a hundred steps.
fn outputs(prepared: &Prepared) -> Vec<u64> {
    let mut model = prepared.model();
    let mut bits = Vec::new();
    for step in 0..100 {
        bits.extend(step_of(&mut model, step));
    }
    bits
}

fn step_of(model: &mut tdse_runtime::Model, step: usize) -> Vec<u64> {
    let mut hr = [0.0; 3];
    model.begin(step as f64 * DT, DT).expect("begins");
    model.hr(&mut hr).expect("responds");
    let x = [0, 1].map(|port| ((step * 31 + port * 17) % 23) as f64 / 7.0 - 1.5);
    model.commit(&x).expect("commits");
    hr.iter().map(|v| v.to_bits()).collect()
}

fn best() -> Level {
    Host::get().best()
}

#[test]
fn a_bundle_runs_with_the_code_and_the_bits_of_a_compilation_here() {
    let pack = pack(1);
    for elem in [ElemChoice::F64, ElemChoice::F32] {
        let bundle = Arc::new(bundle_for(&pack, best(), elem));
        for plan in [PlanChoice::Estimate, plan()] {
            let here = PrepareOptions {
                elem,
                ..made_by_cranelift(plan.clone())
            };
            let here = Prepared::new(Arc::clone(&pack), &here).expect("prepares");
            let options = PrepareOptions {
                elem,
                ..with_bundle(&bundle, plan)
            };
            let ahead = Prepared::new(Arc::clone(&pack), &options).expect("prepares");
            assert_eq!(ahead.tier(), Some(Tier::Cranelift));
            assert_eq!(ahead.route(), here.route());
            assert_eq!(ahead.schedule(), here.schedule());
            assert_eq!(ahead.numeric_class(), here.numeric_class());
            assert_eq!(ahead.code_sha256(), here.code_sha256());
            assert_eq!(outputs(&ahead), outputs(&here));
            assert!(ahead.explanation().loader.contains("code is the bundle's"));
        }
    }
}

#[test]
fn the_same_pack_and_target_give_the_same_bytes() {
    let pack = pack(1);
    for level in [Level::V2, Level::V3, Level::V4] {
        let bytes = |_| {
            bundle_for(&pack, level, ElemChoice::F64)
                .encode()
                .expect("encodes")
        };
        let [first, second] = [0, 1].map(bytes);
        assert!(first == second, "{level}");
    }
}

#[test]
fn a_bundle_for_a_lesser_level_runs_and_one_for_a_greater_is_refused() {
    let pack = pack(1);
    let lesser = Arc::new(bundle_for(&pack, Level::V2, ElemChoice::F64));
    assert_eq!(lesser.contraction, Contraction::Separate);
    let prepared = Prepared::new(Arc::clone(&pack), &with_bundle(&lesser, plan()));
    let prepared = prepared.expect("prepares");
    assert_eq!(prepared.level(), Level::V2);
    let same = PrepareOptions {
        isa_cap: Some(Level::V2),
        ..made_by_cranelift(plan())
    };
    let same = Prepared::new(Arc::clone(&pack), &same).expect("prepares");
    assert_eq!(outputs(&prepared), outputs(&same));

    let capped = PrepareOptions {
        isa_cap: Some(Level::V2),
        ..with_bundle(
            &Arc::new(bundle_for(&pack, Level::V3, ElemChoice::F64)),
            plan(),
        )
    };
    let refusal = refusal(&pack, &capped);
    assert_eq!(refusal.name(), "other_bundle");
    assert!(refusal.to_string().contains("x86-64-v3"), "{refusal}");
}

fn refusal(pack: &Arc<Pack>, options: &PrepareOptions) -> RuntimeError {
    match Prepared::new(Arc::clone(pack), options) {
        Ok(_) => panic!("it was accepted"),
        Err(refusal) => refusal,
    }
}

#[test]
fn a_bundle_of_something_else_is_refused_by_what_differs() {
    let right = pack(1);
    let bundle = bundle_for(&right, best(), ElemChoice::F64);
    let refused = |bundle: &Bundle, change: &dyn Fn(&mut PrepareOptions), of: &Arc<Pack>| {
        let mut options = with_bundle(&Arc::new(bundle.clone()), PlanChoice::Estimate);
        change(&mut options);
        let refusal = refusal(of, &options);
        (refusal.name(), refusal.to_string())
    };
    let same = |_: &mut PrepareOptions| {};
    let (name, text) = refused(&bundle, &same, &pack(2));
    assert_eq!(name, "other_bundle");
    assert!(text.starts_with("the pack of the bundle is"), "{text}");
    let (name, text) = refused(&bundle, &|o| o.elem = ElemChoice::F32, &right);
    assert_eq!(name, "other_bundle");
    assert!(text.contains("f64") && text.contains("f32"), "{text}");
    let separate = |o: &mut PrepareOptions| o.contraction = Some(Contraction::Separate);
    assert_eq!(refused(&bundle, &separate, &right).0, "other_bundle");
    let uniform = |o: &mut PrepareOptions| o.route = Some(RouteToken::UniformFft);
    let (name, text) = refused(&bundle, &uniform, &right);
    assert_eq!(name, "not_in_bundle");
    assert!(text.contains("generic") && text.contains(PLAN), "{text}");
    let portable = |o: &mut PrepareOptions| o.tier = Some(Tier::Portable);
    assert_eq!(refused(&bundle, &portable, &right).0, "not_in_bundle");
    let deadline = |o: &mut PrepareOptions| {
        o.objective = Objective::Deadline;
        o.route = Some(RouteToken::Lookahead);
    };
    assert_eq!(refused(&bundle, &deadline, &right).0, "not_in_bundle");
    let measure = |o: &mut PrepareOptions| {
        o.plan = PlanChoice::Measure {
            budget: Duration::from_millis(1),
            cache: None,
        }
    };
    assert_eq!(refused(&bundle, &measure, &right).0, "contradiction");

    let mut shape = bundle.clone();
    shape.shape[0] += 1;
    assert_eq!(refused(&shape, &same, &right).0, "other_bundle");
    let mut class = bundle.clone();
    class.routes[0].numeric_class.push('x');
    assert!(refused(&class, &same, &right).1.contains("numeric class"));
    let mut kernel = bundle.clone();
    kernel
        .entries
        .iter_mut()
        .for_each(|e| e.key.kir_sha256[0] ^= 1);
    let (_, text) = refused(&kernel, &same, &right);
    assert!(text.contains("the bundle's differs"), "{text}");
    let mut level = bundle.clone();
    level
        .entries
        .iter_mut()
        .for_each(|e| e.key.level = Level::V2);
    let (_, text) = refused(&level, &same, &right);
    assert!(text.contains("none of this name"), "{text}");
    let mut generator = bundle.clone();
    let entries = generator.entries.iter_mut();
    entries.for_each(|e| e.key.generator = "gcc 14".into());
    let (_, text) = refused(&generator, &same, &right);
    assert!(text.contains("gcc 14"), "{text}");
    let mut renamed = bundle.clone();
    renamed
        .entries
        .iter_mut()
        .for_each(|e| e.key.kernel.push('x'));
    let (_, text) = refused(&renamed, &same, &right);
    assert!(text.contains("none of this name"), "{text}");
    // Code in another's place says whose it is.
    let mut swapped = bundle;
    let code = swapped.entries[0].code.clone();
    swapped.entries[0].code = std::mem::replace(&mut swapped.entries[1].code, code);
    let (_, text) = refused(&swapped, &same, &right);
    assert!(text.contains("none of this name"), "{text}");
}

#[test]
fn code_by_a_generator_that_this_build_lacks_runs() {
    let pack = pack(1);
    let shape = DirectShape {
        np: 2,
        nq: 3,
        taps: 69,
        elem: Elem::F64,
    };
    let level = Level::V2;
    let list = candidates_by(Tier::Llvm, &shape, Contraction::Separate, level);
    let listener = Arc::new(|_: &str| {});
    let mut compiler =
        AheadCompiler::new(Arc::clone(&pack), ElemChoice::F64, level, None, listener);
    let options = PrepareOptions {
        schedule: Some(list[0].schedule),
        ..made_by_cranelift(PlanChoice::Estimate)
    };
    // The same kernels, so the same code, under another's name: a stand-in for code by LLVM.
    compiler.add(&options).expect("compiles");
    let mut bundle = compiler.finish();
    bundle.routes[0].tier = "llvm".into();
    let entries = bundle.entries.iter_mut();
    entries.for_each(|e| e.key.generator = "llvm 22.1.8 lowering 1 256".into());
    let options = with_bundle(&Arc::new(bundle), PlanChoice::Estimate);
    let prepared = Prepared::new(Arc::clone(&pack), &options).expect("prepares");
    assert_eq!(prepared.tier(), Some(Tier::Llvm));
    let capped = PrepareOptions {
        isa_cap: Some(level),
        ..made_by_cranelift(PlanChoice::Estimate)
    };
    let here = Prepared::new(pack, &capped).expect("prepares");
    assert_eq!(outputs(&prepared), outputs(&here));
}

#[test]
fn what_has_no_code_to_keep_is_not_compiled_ahead() {
    let listener = Arc::new(|_: &str| {});
    let mut compiler = AheadCompiler::new(pack(1), ElemChoice::F64, best(), None, listener);
    for (tier, route) in [
        (Some(Tier::Portable), RouteToken::Generic),
        (None, RouteToken::Blas),
    ] {
        let options = PrepareOptions {
            tier,
            route: Some(route),
            ..PrepareOptions::default()
        };
        let refusal = compiler.add(&options).err().map(|e| e.name());
        assert_eq!(refusal, Some("contradiction"), "{route}");
    }
    assert!(compiler.finish().routes.is_empty());
}

#[test]
fn code_is_kept_on_disk_and_doubts_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = pack(1);
    let options = |plan| PrepareOptions {
        code: CodeOrigin::Cache {
            folder: folder.path().join("code"),
            limit_bytes: 1 << 20,
        },
        ..made_by_cranelift(plan)
    };
    let prepare = |plan| Prepared::new(Arc::clone(&pack), &options(plan)).expect("prepares");
    let first = prepare(plan());
    let files = || {
        let listed = std::fs::read_dir(folder.path().join("code")).expect("a folder");
        let mut names: Vec<_> = listed
            .map(|entry| entry.expect("an entry").path())
            .collect();
        names.sort();
        names
    };
    // A file that is written again is another file.
    let inodes = || {
        files()
            .iter()
            .map(|f| f.metadata().expect("a file").ino())
            .collect::<Vec<_>>()
    };
    let kept = files();
    let first_inodes = inodes();
    assert!(kept.len() >= 4, "{kept:?}");
    let second = prepare(plan());
    assert_eq!(files(), kept);
    assert_eq!(inodes(), first_inodes, "code was made again");
    assert_eq!(second.code_sha256(), first.code_sha256());
    assert_eq!(outputs(&second), outputs(&first));
    assert_eq!(second.explanation().loader, first.explanation().loader);

    for path in &kept {
        std::fs::write(path, b"nonsense").expect("writes");
    }
    let third = prepare(plan());
    assert_eq!(outputs(&third), outputs(&first));
    assert!(third.explanation().loader.contains("it is damaged"));
    assert_ne!(inodes(), first_inodes);
    // What was doubtful has been replaced.
    assert_eq!(
        prepare(plan()).explanation().loader,
        first.explanation().loader
    );
}

#[test]
fn a_tier_up_changes_code_at_a_step_and_no_bit() {
    let pack = pack(1);
    for plan in [PlanChoice::Estimate, plan()] {
        let options = PrepareOptions {
            tier: Some(Tier::Portable),
            plan,
            ..PrepareOptions::default()
        };
        let prepare = || Prepared::new(Arc::clone(&pack), &options).expect("prepares");
        let expected = outputs(&prepare());
        let prepared = prepare();
        let mut model = prepared.model();
        let mut bits: Vec<u64> = (0..40).flat_map(|step| step_of(&mut model, step)).collect();
        let report = prepared.tier_up(Tier::Cranelift).expect("starts").wait();
        assert!(report.expect("compiles").kernels >= 2);
        assert!(!prepared.tiered_up());
        bits.extend(step_of(&mut model, 40));
        assert!(prepared.tiered_up());
        bits.extend((41..100).flat_map(|step| step_of(&mut model, step)));
        assert_eq!(bits, expected);
        let second = prepared.tier_up(Tier::Cranelift).map(|_| ());
        assert_eq!(second.expect_err("is refused").name(), "contradiction");
        // A model made afterwards runs the other code from its first step.
        assert_eq!(outputs(&prepared), expected);
    }
}

#[test]
fn a_refused_tier_up_leaves_the_models_as_they_are() {
    // The fused class needs instructions that the level lacks; the portable tier computes it nevertheless.
    let options = PrepareOptions {
        tier: Some(Tier::Portable),
        isa_cap: Some(Level::V2),
        contraction: Some(Contraction::Fma),
        ..PrepareOptions::default()
    };
    let prepared = Prepared::new(pack(1), &options).expect("prepares");
    let expected = outputs(&prepared);
    let refusal = prepared.tier_up(Tier::Cranelift).expect("starts").wait();
    let text = refusal.expect_err("is refused").to_string();
    assert!(text.contains("needs fused multiply-add"), "{text}");
    assert_eq!(outputs(&prepared), expected);
    assert!(!prepared.tiered_up());
}
