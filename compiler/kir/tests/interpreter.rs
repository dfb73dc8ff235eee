//! Arguments are checked before anything runs; a kernel of real size runs in reasonable time.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Instant;

use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, Estimate, KernelBuilder, KirArg, NumericClass,
    VecType, Verified, estimate, interpret, parse, verify,
};

fn scale() -> Verified {
    let text = "kernel scale { class direct(partials = 1, separate)
        param x : f64[4] readonly  param y : f32[3] writeonly  param z : f64[1] readwrite
        param n : index -2..=5
        v0 = splat f32 0x1p+0  loop j in 0..3 { store y[j], v0 }
        v1 = load f64 x[3]  v2 = load f64 z[0]  v3 = add v1, v2  store z[0], v3 }";
    verify(parse(text).unwrap()).unwrap()
}

#[test]
fn wrong_arguments_are_refused_and_nothing_is_written() {
    let kernel = scale();
    let x = [1.0, 2.0, 3.0, 4.0];
    let (mut y, mut z) = ([9.0f32; 3], [0.5]);
    let (mut y_f64, mut z_f32) = ([9.0; 3], [9.0f32]);
    let (y_short, x_short) = (&mut [9.0f32; 2], [1.0; 3]);
    let refused = |args: &mut [KirArg], code: u32, words: &str| {
        let error = interpret(&kernel, args).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    use KirArg::{F32, F32Mut, F64, F64Mut, Index};
    refused(&mut [F64(&x)], 6311, "takes 4 arguments, the call passes 1");
    refused(
        &mut [F64(&x), F32Mut(&mut y), F64Mut(&mut z), Index(0), Index(0)],
        6311,
        "passes 5",
    );
    refused(
        &mut [F64(&x), F64Mut(&mut y_f64), F64Mut(&mut z), Index(0)],
        6312,
        "parameter y",
    );
    refused(
        &mut [F64(&x), F32(&[0.0; 3]), F64Mut(&mut z), Index(0)],
        6312,
        "a mutable f32 buffer",
    );
    refused(
        &mut [F64(&x), F32Mut(&mut y), F64(&x), Index(0)],
        6312,
        "parameter z",
    );
    refused(
        &mut [F64(&x), F32Mut(&mut y), F32Mut(&mut z_f32), Index(0)],
        6312,
        "parameter z",
    );
    refused(
        &mut [F32(&[0.0; 4]), F32Mut(&mut y), F64Mut(&mut z), Index(0)],
        6312,
        "parameter x",
    );
    refused(
        &mut [Index(0), F32Mut(&mut y), F64Mut(&mut z), Index(0)],
        6312,
        "an index",
    );
    refused(
        &mut [F64(&x), F32Mut(&mut y), F64Mut(&mut z), F64(&x)],
        6312,
        "parameter n",
    );
    refused(
        &mut [F64(&x_short), F32Mut(&mut y), F64Mut(&mut z), Index(0)],
        6313,
        "4 elements",
    );
    refused(
        &mut [F64(&x), F32Mut(y_short), F64Mut(&mut z), Index(0)],
        6313,
        "parameter y",
    );
    refused(
        &mut [F64(&x), F32Mut(&mut y), F64Mut(&mut z), Index(-3)],
        6314,
        "-2 to 5",
    );
    refused(
        &mut [F64(&x), F32Mut(&mut y), F64Mut(&mut z), Index(6)],
        6314,
        "parameter n",
    );
    assert_eq!((y, z), ([9.0; 3], [0.5]));
    assert_eq!(y_short, &mut [9.0; 2]);
}

#[test]
fn buffers_may_be_longer_and_mutable() {
    let kernel = scale();
    let (mut x, mut y, mut z) = ([1.0, 2.0, 3.0, 4.0, 5.0], [9.0f32; 5], [0.5, 9.0]);
    let mut args = [
        KirArg::F64Mut(&mut x),
        KirArg::F32Mut(&mut y),
        KirArg::F64Mut(&mut z),
        KirArg::Index(-2),
    ];
    interpret(&kernel, &mut args).unwrap();
    assert_eq!(y, [1.0, 1.0, 1.0, 9.0, 9.0]);
    assert_eq!(z, [4.5, 9.0]);
}

/// `rows` sums of `groups` groups of eight terms, in the class of the direct routes.
fn sums(rows: i64, groups: i64) -> Verified {
    let mut b = KernelBuilder::new("sums", NumericClass::direct(Contraction::Fma));
    let ty = VecType::new(Elem::F64, 8);
    let h = b.buffer(
        "h",
        Elem::F64,
        (rows * groups * 8) as u64,
        Access::ReadOnly,
        64,
    );
    let x = b.buffer("x", Elem::F64, (groups * 8) as u64, Access::ReadOnly, 8);
    let y = b.buffer("y", Elem::F64, rows as u64, Access::WriteOnly, 8);
    let zero = b.constant(ty, 0.0);
    b.repeat("q", Bound::Const(0), Bound::Const(rows), &[], |b, q, _| {
        let sum = b.repeat(
            "j",
            Bound::Const(0),
            Bound::Const(groups),
            &[zero],
            |b, j, sum| {
                let taps = b.load(ty, h, Affine::at(0).plus(q, groups * 8).plus(j, 8));
                let input = b.load(ty, x, Affine::at(0).plus(j, 8));
                vec![b.fma(taps, input, sum[0])]
            },
        );
        let sum = b.reduce(sum[0]);
        b.store(y, Affine::at(0).plus(q, 1), sum, 1);
        Vec::new()
    });
    verify(b.finish()).unwrap()
}

#[test]
fn a_kernel_of_33_ports_and_1000_taps_takes_seconds_at_most() {
    let (rows, groups) = (33, 33 * 1000 / 8);
    let kernel = sums(rows as i64, groups as i64);
    let h: Vec<f64> = (0..rows * groups * 8)
        .map(|i| (i % 17) as f64 - 8.0)
        .collect();
    let x: Vec<f64> = (0..groups * 8).map(|i| (i % 13) as f64 - 6.0).collect();
    let mut y = vec![0.0; rows];
    let start = Instant::now();
    interpret(
        &kernel,
        &mut [KirArg::F64(&h), KirArg::F64(&x), KirArg::F64Mut(&mut y)],
    )
    .unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("{} multiply-adds: {seconds:.3} s", rows * groups * 8);
    // All terms are small integers: the sum is exact in any order.
    for (q, sum) in y.iter().enumerate() {
        let row = &h[q * groups * 8..][..groups * 8];
        assert_eq!(*sum, row.iter().zip(&x).map(|(h, x)| h * x).sum::<f64>());
    }
    assert!(seconds < 30.0, "{seconds} s");
}

#[test]
fn estimates_count_what_runs() {
    let groups = 5;
    assert_eq!(
        estimate(&sums(3, groups)),
        Estimate {
            flops: 3 * (5 * 16 + 7),
            bytes_read: 3 * 5 * 2 * 64,
            bytes_written: 3 * 8,
            instructions: 1 + 3 * (1 + 5 * 4 + 2),
        }
    );
    // A loop bounded by a parameter counts its widest range; masks count the lanes they touch.
    let text = "kernel k { class direct(partials = 2, separate)
        param x : f32[8] readonly  param y : f32[8] readwrite  param n : index 1..=6
        loop j in -2..n { v0 = load f32x8 x[0] lanes 3  v1 = load_splat f32x8 x[j + 2]
          v2 = mul v0, v1  v3 = sub v2, v1  v4 = neg v3  store y[0], v4 lanes 5 } }";
    assert_eq!(
        estimate(&parse(text).unwrap()),
        Estimate {
            flops: 8 * 16,
            bytes_read: 8 * 16,
            bytes_written: 8 * 20,
            instructions: 8 * 7
        }
    );
    // Counts saturate.
    let text = "kernel k { class direct(partials = 2, separate)
        loop i in 0..9000000000000000000 { loop j in 0..9000000000000000000 {
          v0 = splat f64x64 0x0p+0  v1 = add v0, v0 } } }";
    assert_eq!(estimate(&parse(text).unwrap()).flops, u64::MAX);
}
