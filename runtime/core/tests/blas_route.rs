//! Steps through a BLAS: values, refusals, several models at once.

#![allow(clippy::panic)]

use std::sync::Arc;
use std::thread;

use serde_json::json;
use tdse_blas::Blas;
use tdse_pack::{Pack, PackParts, Shape};
use tdse_runtime::{BackendToken, BlasOptions, ElemChoice, PrepareOptions, Prepared, RuntimeError};

const DT: f64 = 1e-11;

/// nh, nq, np.
const SHAPES: &[[usize; 3]] = &[
    [1, 1, 1],
    [1, 3, 2],
    [2, 1, 1],
    [3, 2, 5],
    [8, 7, 1],
    [31, 1, 3],
    [67, 4, 4],
];

/// Small integers, so that every sum is exact in any order.
fn pack([nh, nq, np]: [usize; 3]) -> Arc<Pack> {
    let parts = PackParts {
        shape: Shape::new(nh, nq, np).expect("a shape"),
        dt: DT,
        taps: (0..nh * nq * np)
            .map(|i| (i * 7 % 31) as f64 - 15.0)
            .collect(),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    };
    Arc::new(Pack::from_parts(parts).expect("a pack"))
}

fn input(step: usize, np: usize) -> Vec<f64> {
    (0..np)
        .map(|p| ((step * 5 + p * 3) % 17) as f64 - 8.0)
        .collect()
}

fn prepared(pack: &Arc<Pack>, elem: ElemChoice) -> Prepared {
    let options = PrepareOptions {
        backend: BackendToken::CpuBlas,
        elem,
        ..PrepareOptions::default()
    };
    Prepared::new(Arc::clone(pack), &options).expect("prepares")
}

/// `hr` and `dr` of every step.
fn responses(prepared: &Prepared, steps: usize) -> Vec<[Vec<f64>; 2]> {
    let shape = prepared.pack().shape();
    let mut model = prepared.model();
    let one = |step: usize| {
        let [mut hr, mut dr] = [(); 2].map(|()| vec![f64::NAN; shape.nq()]);
        model.begin(step as f64 * DT, DT).expect("begins");
        model.hr(&mut hr).expect("hr");
        model.commit(&input(step, shape.np())).expect("commits");
        model.dr(&mut dr).expect("dr");
        [hr, dr]
    };
    (0..steps).map(one).collect()
}

/// The sum over some lags at a step, by its definition.
fn defined(pack: &Pack, lags: std::ops::Range<usize>, step: usize) -> Vec<f64> {
    let np = pack.shape().np();
    let mut sums = vec![0.0; pack.shape().nq()];
    for lag in lags.filter(|&lag| lag <= step) {
        let x = input(step - lag, np);
        for (sum, row) in sums.iter_mut().zip(pack.tap(lag).chunks(np)) {
            *sum += row.iter().zip(&x).map(|(h, x)| h * x).sum::<f64>();
        }
    }
    sums
}

fn blas() -> bool {
    let found = Blas::open(&BlasOptions::default());
    if let Err(refusal) = &found {
        println!("SKIP BLAS: {refusal}");
    }
    found.is_ok()
}

#[test]
fn every_step_is_the_sum_of_its_definition() {
    if !blas() {
        return;
    }
    for &shape in SHAPES {
        let pack = pack(shape);
        for elem in [ElemChoice::F64, ElemChoice::F32] {
            let prepared = prepared(&pack, elem);
            println!("{shape:?}: {}", prepared.numeric_class());
            let steps = 2 * shape[0] + 3;
            for (step, [hr, dr]) in responses(&prepared, steps).iter().enumerate() {
                assert_eq!(*hr, defined(&pack, 1..shape[0], step), "{shape:?} {step}");
                assert_eq!(*dr, defined(&pack, 0..1, step), "{shape:?} {step}");
            }
        }
    }
}

#[test]
fn models_in_several_threads_give_the_same_bits() {
    if !blas() {
        return;
    }
    let prepared = prepared(&pack([67, 4, 4]), ElemChoice::F64);
    let serial = responses(&prepared, 200);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(responses(&prepared, 200), serial));
        }
    });
}

#[test]
fn a_library_that_is_no_blas_is_an_error_and_nothing_takes_its_place() {
    let options = PrepareOptions {
        backend: BackendToken::CpuBlas,
        blas: BlasOptions {
            path: Some("libm.so.6".into()),
        },
        ..PrepareOptions::default()
    };
    let error = Prepared::new(pack([3, 1, 1]), &options).err();
    assert!(matches!(error, Some(RuntimeError::Blas(_))), "{error:?}");
    assert_eq!(error.map(|e| e.code()), Some(8303));
}
