//! Print, then parse, is the identity, on made-up kernels and on other spellings of a text.
#![allow(clippy::unwrap_used, clippy::panic)]

mod generate;

use generate::Draw;
use tdse_kir::{KirArg, estimate, interpret, parse, parse_all, verify};

const KERNELS: u64 = 400;

#[test]
fn made_up_kernels_verify_and_round_trip() {
    let mut statements = 0;
    for seed in 0..KERNELS {
        let kernel = generate::kernel(seed);
        let text = kernel.to_string();
        let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again, kernel, "{text}");
        assert_eq!(again.to_string(), text);
        verify(again).unwrap_or_else(|e| panic!("{e}\n{text}"));
        statements += estimate(&kernel).instructions;
    }
    assert!(
        statements > 20 * KERNELS,
        "the kernels are too small to test anything: {statements}"
    );
}

#[test]
fn a_parsed_kernel_computes_what_the_built_one_does() {
    for seed in 0..KERNELS {
        let kernel = generate::kernel(seed);
        let run = |kernel| {
            let kernel = verify(kernel).unwrap();
            let length = kernel.buffer(tdse_kir::BufferId(0)).unwrap().extent as usize;
            let mut draw = Draw::new(seed ^ 77);
            let mut number = || draw.below(2000) as f64 / 64.0 - 15.0;
            let a: Vec<f64> = (0..length).map(|_| number()).collect();
            let b: Vec<f32> = (0..length).map(|_| number() as f32).collect();
            let mut y: Vec<f64> = (0..length).map(|_| number()).collect();
            let index = (seed % 4) as i64;
            let mut args = [
                KirArg::F64(&a),
                KirArg::F32(&b),
                KirArg::F64Mut(&mut y),
                KirArg::Index(index),
            ];
            interpret(&kernel, &mut args).unwrap();
            y.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        };
        let text = kernel.to_string();
        assert_eq!(run(kernel), run(parse(&text).unwrap()), "{text}");
    }
}

#[test]
fn layout_comments_and_defaults_do_not_matter() {
    let canonical = "kernel k {
  class direct(partials = 8, fma)
  param x : f64[16] readonly align 8
  param y : f32[4] readwrite align 4
  param n : index -1..=4
  v0 = load f64x8 x[2*n + 2]
  v1 = splat f32x4 0x1.8p+1
  store y[0], v1
  v2 = loop j in 0..2 carry (v3 = v0) {
    v4 = fma v3, v3, v0
    yield v4
  }
  v5 = reduce v2
}
";
    let free = "// a comment\nkernel k{class direct ( partials=8,fma )param x:f64[16]readonly
        param y : f32[4] param n:index-1 ..= 4 v0=load f64x8 x[1+n+0 + 1*n + 1] // terms add up
        v1 = splat f32x4 0x18p-3 store y[0],v1 lanes 4 v2=loop j in 0..2 carry(v3=v0){
        v4 = fma v3,v3,v0 yield v4}v5=reduce v2}//";
    assert_eq!(parse(canonical).unwrap().to_string(), canonical);
    assert_eq!(parse(free).unwrap().to_string(), canonical);
    let both = format!("{canonical}{free}");
    let kernels = parse_all(&both).unwrap();
    assert_eq!(kernels.len(), 2);
    assert_eq!(kernels[0], kernels[1]);
}

#[test]
fn an_odd_address_prints_and_parses() {
    for (written, printed) in [
        ("x[0]", "x[0]"),
        ("x[-1]", "x[-1]"),
        ("x[j]", "x[j]"),
        ("x[-j]", "x[-j]"),
        ("x[3 - 2*j]", "x[-2*j + 3]"),
        ("x[j - j]", "x[0]"),
        ("x[k + j]", "x[j + k]"),
        ("x[0*j - 5 + 2*k + 6 - k]", "x[k + 1]"),
        (
            "x[-9223372036854775808*j - 9223372036854775808]",
            "x[-9223372036854775808*j - 9223372036854775808]",
        ),
    ] {
        let text = |at: &str| {
            format!(
                "kernel k {{\n  class elementwise(fma)\n  param x : f64[1] readonly align 8\n  \
                 loop j in 0..1 {{\n    loop k in 0..1 {{\n      v0 = load f64 {at}\n    }}\n  }}\n}}\n"
            )
        };
        let kernel = parse(&text(written)).unwrap_or_else(|e| panic!("{written}: {e}"));
        assert_eq!(kernel.to_string(), text(printed));
        assert_eq!(parse(&text(printed)).unwrap(), kernel);
    }
}
