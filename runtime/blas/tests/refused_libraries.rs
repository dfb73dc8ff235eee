//! What is refused, and in which words: files that are no libraries, libraries that are no BLAS, and
//! small ones made here that are almost one.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tdse_blas::{Attempt, Blas, BlasOptions, BlasRefusal, Form, Provider};

fn open(path: &Path) -> Result<Arc<Blas>, BlasRefusal> {
    let path = Some(path.to_owned());
    Blas::open(&BlasOptions { path })
}

fn refusal(path: &Path) -> (&'static str, String) {
    let refusal = open(path).unwrap_err();
    println!("{refusal}");
    (refusal.name(), refusal.to_string())
}

#[test]
fn what_is_no_library_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libtext.so");
    fs::write(&text, "no library").unwrap();
    for path in [&text, &folder.path().join("missing.so"), folder.path()] {
        let (name, said) = refusal(path);
        assert_eq!(name, "blas_not_loadable");
        assert!(said.contains(&path.display().to_string()), "{said}");
    }
    assert_eq!(refusal(Path::new("")).0, "blas_not_loadable");
}

#[test]
fn a_library_of_other_things_is_refused_by_the_symbol_it_lacks() {
    let (name, said) = refusal(Path::new("libm.so.6"));
    assert_eq!(name, "blas_missing_symbol");
    for word in ["libm.so.6", "cblas_dgemv,", "scipy_cblas_dgemv64_"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn nothing_found_names_every_attempt() {
    let tried = |name: &str| Attempt {
        name: name.into(),
        reason: "no such file".into(),
    };
    let tried = vec![tried("one.so"), tried("two.so")];
    let said = BlasRefusal::NotFound { tried }.to_string();
    for word in [
        "one.so: no such file; two.so",
        "TDSE_BLAS_PATH",
        "libopenblas0-pthread",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn numbers_are_unique_and_in_their_range() {
    let mut codes: Vec<u32> = BlasRefusal::ALL.iter().map(|entry| entry.0).collect();
    assert!(codes.iter().all(|code| (8301..8400).contains(code)));
    codes.dedup();
    assert_eq!(codes.len(), BlasRefusal::ALL.len());
}

/// Plain loops behind the CBLAS names, with integers of one width.
const PRODUCTS: &str = "
macro_rules! products { ($t:ty, $gemv:ident, $gemm:ident) => {
    #[unsafe(no_mangle)]
    pub unsafe extern \"C\" fn $gemv(_: i32, trans: i32, m: Int, n: Int, alpha: $t, a: *const $t,
        lda: Int, x: *const $t, _: Int, _: $t, y: *mut $t, _: Int) {
        let (outs, ins) = if trans == 111 { (m, n) } else { (n, m) };
        for o in 0..outs as isize {
            let mut sum = 0.0;
            for i in 0..ins as isize {
                let at = if trans == 111 { i * lda as isize + o } else { o * lda as isize + i };
                sum += unsafe { *a.offset(at) * *x.offset(i) };
            }
            unsafe { *y.offset(o) = alpha * sum * SCALE as $t };
        }
    }
    #[unsafe(no_mangle)]
    pub unsafe extern \"C\" fn $gemm(_: i32, _: i32, _: i32, m: Int, n: Int, k: Int, alpha: $t,
        a: *const $t, lda: Int, b: *const $t, ldb: Int, beta: $t, c: *mut $t, ldc: Int) {
        for (i, j) in (0..(m * n) as isize).map(|e| (e % m as isize, e / m as isize)) {
            let mut sum = 0.0;
            for p in 0..k as isize {
                sum += unsafe { *a.offset(p * lda as isize + i) * *b.offset(j * ldb as isize + p) };
            }
            let c = unsafe { &mut *c.offset(j * ldc as isize + i) };
            *c = alpha * sum + if beta == 0.0 { 0.0 } else { beta * *c };
        }
    }
} }
";

/// Builds a library from `source`, with the compiler that builds the tests. `None`, with a SKIP
/// line, where there is none.
fn library(folder: &Path, name: &str, source: &str) -> Option<PathBuf> {
    let file = folder.join(format!("{name}.rs"));
    let built = folder.join(format!("lib{name}.so"));
    fs::write(&file, source).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let run = Command::new(compiler)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "cdylib",
            "-C",
            "overflow-checks=off",
            "-o",
        ])
        .args([&built, &file])
        .output();
    let Ok(out) = run else {
        println!("SKIP libraries made by the test: no rustc");
        return None;
    };
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    Some(built)
}

fn source(int: &str, scale: &str, suffix: &str, functions: &[[&str; 3]]) -> String {
    let mut text = format!("type Int = {int};\nconst SCALE: f64 = {scale};\n{PRODUCTS}");
    for [elem, gemv, gemm] in functions {
        text += &format!("products!({elem}, {gemv}{suffix}, {gemm}{suffix});\n");
    }
    text
}

const BOTH: &[[&str; 3]] = &[
    ["f64", "cblas_dgemv", "cblas_dgemm"],
    ["f32", "cblas_sgemv", "cblas_sgemm"],
];

#[test]
fn a_library_without_thread_functions_serves_until_threads_matter() {
    let folder = tempfile::tempdir().unwrap();
    for (int, suffix, bits) in [("i32", "", 32), ("i64", "64_", 64)] {
        let text = source(int, "1.0", suffix, BOTH);
        let Some(path) = library(folder.path(), &format!("plain{bits}"), &text) else {
            return;
        };
        let blas = open(&path).unwrap();
        let info = blas.info();
        println!("{info}");
        assert_eq!((info.provider, info.int_bits), (Provider::Other, bits));
        assert_eq!((info.threads, info.version.as_str()), (None, "unknown"));
        assert_eq!(info.path, fs::canonicalize(&path).unwrap());
        let mut y = [0.0];
        blas.gemv(Form::N, 1, 2, &[2.0, 3.0], 1, &[5.0, 7.0], &mut y)
            .unwrap();
        assert_eq!(y, [31.0]);
        let refusal = blas.single_threaded().unwrap_err();
        println!("{refusal}");
        assert_eq!(refusal.name(), "blas_threads_unknown");
    }
}

#[test]
fn a_library_that_lacks_one_product_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = source("i32", "1.0", "", &BOTH[..1]);
    let Some(path) = library(folder.path(), "half", &text) else {
        return;
    };
    let (name, said) = refusal(&path);
    assert_eq!(name, "blas_missing_symbol");
    assert!(said.contains("cblas_sgemv"), "{said}");
}

#[test]
fn a_library_that_computes_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = source("i32", "2.0", "", BOTH);
    let Some(path) = library(folder.path(), "twice", &text) else {
        return;
    };
    let (name, said) = refusal(&path);
    assert_eq!(name, "blas_wrong_results");
    assert!(said.contains("gemv (f64)"), "{said}");
}
