//! Text that is no kernel: the error names the place, and nothing panics.
#![allow(clippy::unwrap_used, clippy::panic)]

mod generate;

use generate::Draw;
use tdse_kir::{KirError, parse, verify};

/// Line and column of a text error.
fn place(error: &KirError) -> (u32, u32) {
    match error {
        KirError::Syntax { line, column, .. }
        | KirError::Number { line, column, .. }
        | KirError::UndefinedName { line, column, .. }
        | KirError::TextLimit { line, column, .. } => (*line, *column),
        other => panic!("{other}"),
    }
}

#[test]
fn errors_name_code_line_and_column() {
    for (body, code, line, column) in [
        ("v0 = load f64x8 x[", 6301, 5, 1),
        ("v0 = load f64x8 x[8*]", 6301, 4, 21),
        ("v0 = load f64x8 x[1 2]", 6301, 4, 21),
        ("v0 = load f64x8 x[0] lanes }", 6301, 4, 28),
        ("v0 = load f64x8 x[0] lanes 70000", 6302, 4, 28),
        ("v0 = load f64x70000 x[0]", 6301, 4, 11),
        ("v0 = load f16x8 x[0]", 6301, 4, 11),
        ("v0 = load f64x x[0]", 6301, 4, 11),
        ("v0 = load é x[0]", 6301, 4, 11),
        ("v0 = load f64x8 y[0]", 6303, 4, 17),
        ("v0 = load f64x8 x[j]", 6303, 4, 19),
        ("v0 = load f64x8 x[9223372036854775808]", 6302, 4, 19),
        ("v0 = load f64x8 x[-9223372036854775809]", 6302, 4, 20),
        ("v0 = load f64x8 x[9223372036854775807 + 1]", 6302, 4, 41),
        ("v0 = load f64x8 x[99999999999999999999]", 6302, 4, 19),
        ("v0 = splat f64 1.5", 6302, 4, 16),
        ("v0 = splat f64 1", 6302, 4, 16),
        ("v0 = splat f64 0x1p+1024", 6302, 4, 16),
        ("v0 = splat f64 -0x1.00000000000001p+0", 6302, 4, 16),
        ("v0 = splat f64 nan:0x0", 6302, 4, 16),
        ("v0 = splat f64 nan:", 6302, 4, 16),
        ("v0 = splat f64 -v1", 6301, 4, 17),
        ("v0 = splat f64 v1", 6303, 4, 16),
        ("v0 = div v1, v1", 6301, 4, 6),
        ("v0 = 3", 6301, 4, 6),
        ("v0, v1 = splat f64 0x0p+0", 6301, 4, 10),
        ("v0 == v1", 6301, 4, 5),
        ("load = splat f64 0x0p+0", 6301, 4, 1),
        ("store x[0] v0", 6301, 4, 12),
        ("store x[0], v0", 6303, 4, 13),
        ("yield v0", 6301, 4, 1),
        ("loop j in 0..4 carry (v0 = v1) {", 6301, 4, 16),
        ("v0 = loop j in 0..4 {", 6301, 4, 21),
        ("loop j in 0..=4 {", 6301, 4, 12),
        ("loop j in 0..n {", 6303, 4, 14),
        ("loop j in 0..4 { yield }", 6301, 4, 18),
        ("loop in in 0..4 {", 6301, 4, 6),
        (
            "v0 = splat f64 0x0p+0 v1 = loop j in 0..1 carry (v2 = v0) { }",
            6301,
            4,
            61,
        ),
        (
            "v0 = splat f64 0x0p+0 v1 = loop j in 0..1 carry (v2 = v0, v3 = v0) {",
            6301,
            4,
            57,
        ),
        ("v0 = splat f64 0x0p+0 param y : f64[1]", 6301, 4, 23),
        ("\u{1F600}", 6301, 4, 1),
        ("  \n // v0\n\t?", 6301, 6, 2),
    ] {
        let text = format!(
            "kernel k {{\n  class direct(partials = 8, fma)\n  param x : f64[8] readonly align 8\n{body}\n}}\n"
        );
        let error = parse(&text).unwrap_err();
        let found = (error.code(), place(&error).0, place(&error).1);
        assert_eq!(found, (code, line, column), "{body}: {error}");
    }
}

#[test]
fn heads_that_are_wrong() {
    for (text, code) in [
        ("", 6301),
        ("// nothing", 6301),
        ("kernel", 6301),
        ("kernel k", 6301),
        ("kernel {", 6301),
        ("kernel k { }", 6301),
        ("kernel k { class direct(partials = 70000, fma) }", 6302),
        ("kernel k { class direct(partials = x, fma) }", 6301),
        ("kernel k { class direct(fma) }", 6301),
        ("kernel k { class elementwise(fused) }", 6301),
        ("kernel k { class rows(partials = 8, fma) }", 6301),
        (
            "kernel k { class elementwise(fma) param x : f64[-1] }",
            6301,
        ),
        (
            "kernel k { class elementwise(fma) param x : f64[18446744073709551616] }",
            6302,
        ),
        (
            "kernel k { class elementwise(fma) param x : f64[1] align 4294967296 }",
            6302,
        ),
        ("kernel k { class elementwise(fma) param x : f80[1] }", 6301),
        ("kernel k { class elementwise(fma) param x : f64 }", 6301),
        (
            "kernel k { class elementwise(fma) param n : index 0..4 }",
            6301,
        ),
        (
            "kernel k { class elementwise(fma) param n : index 0..=9223372036854775808 }",
            6302,
        ),
        (
            "kernel k { class elementwise(fma) } kernel k { class elementwise(fma) }",
            6301,
        ),
        ("kernel k { class elementwise(fma) } }", 6301),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.code(), code, "{text}: {error}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let nest = |depth: usize| {
        let open: String = (0..depth)
            .map(|i| format!("loop i{i} in 0..1 {{\n"))
            .collect();
        format!(
            "kernel k {{ class elementwise(fma)\n{open}{}}}",
            "}".repeat(depth)
        )
    };
    assert_eq!(
        verify(parse(&nest(64)).unwrap()).unwrap_err().name(),
        "size_limit"
    );
    for depth in [65, 100_000] {
        assert_eq!(parse(&nest(depth)).unwrap_err().code(), 6304);
    }
    let terms = vec!["1"; 65].join(" + ");
    let text =
        format!("kernel k {{ class elementwise(fma) param x : f64[99] v = load f64 x[{terms}] }}");
    assert_eq!(parse(&text).unwrap_err().code(), 6304);
    let params: String = (0..257).map(|i| format!("param p{i} : f64[1] ")).collect();
    let text = format!("kernel k {{ class elementwise(fma) {params} }}");
    assert_eq!(parse(&text).unwrap_err().code(), 6304);
    let text = " ".repeat(tdse_kir::limits::MAX_TEXT + 1);
    assert_eq!(parse(&text).unwrap_err().code(), 6304);
    let text = format!("kernel {} {{ class elementwise(fma) }}", "k".repeat(300));
    assert_eq!(
        verify(parse(&text).unwrap()).unwrap_err().name(),
        "name_form"
    );
}

/// Damaged texts of made-up kernels: whatever parses also prints, and whatever verifies is stable.
#[test]
fn damaged_text_never_panics() {
    const PIECES: [&str; 24] = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ",",
        "=",
        "-",
        "..",
        "..=",
        "*",
        "0",
        "9223372036854775807",
        "0x1p-1074",
        "nan",
        "lanes 3",
        "v0",
        "i0",
        "n",
        "loop",
        "store",
        "yield",
        "f32x4",
        "é",
    ];
    let mut draw = Draw::new(5);
    let (mut parsed, mut verified) = (0, 0);
    for seed in 0..60 {
        let text = generate::kernel(seed).to_string();
        for _ in 0..60 {
            let mut damaged = text.clone();
            for _ in 0..1 + draw.below(2) {
                let mut at = draw.below(damaged.len() as u64) as usize;
                while !damaged.is_char_boundary(at) {
                    at -= 1;
                }
                match draw.below(4) {
                    0 => damaged.truncate(at),
                    1 => drop(damaged.remove(at)),
                    2 => damaged.insert(at, char::from(b'0' + draw.below(10) as u8)),
                    _ => damaged.insert_str(at, PIECES[draw.below(24) as usize]),
                }
                if damaged.is_empty() {
                    break;
                }
            }
            let Ok(kernel) = parse(&damaged) else {
                continue;
            };
            parsed += 1;
            let printed = kernel.to_string();
            let Ok(kernel) = verify(kernel) else { continue };
            verified += 1;
            assert_eq!(parse(&printed).unwrap().to_string(), printed);
            assert_eq!(kernel.to_string(), printed);
        }
    }
    assert!(
        parsed > 100 && verified > 50,
        "{parsed} parsed, {verified} verified of 3600"
    );
}
