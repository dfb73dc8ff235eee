//! The libraries that tests use, and numbers.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use tdse_blas::{Blas, BlasOptions, PATH_VARIABLE};

/// Every BLAS at hand: the well-known names that open, and the one of the environment. A test
/// without any prints a SKIP line.
pub fn libraries() -> Vec<Arc<Blas>> {
    let names = ["libopenblas.so.0", "libmkl_rt.so.2", "libblis.so.4"].map(PathBuf::from);
    let named = env::var_os(PATH_VARIABLE).filter(|path| !path.is_empty());
    let mut found: Vec<Arc<Blas>> = Vec::new();
    for name in names {
        found.extend(Blas::open(&BlasOptions { path: Some(name) }).ok());
    }
    if let Some(path) = named {
        let path = Some(PathBuf::from(path));
        let blas = Blas::open(&BlasOptions { path }).unwrap();
        if found.iter().all(|b| b.info().path != blas.info().path) {
            found.push(blas);
        }
    }
    for blas in &found {
        println!("{}", blas.info());
    }
    if found.is_empty() {
        println!(
            "SKIP BLAS: no libopenblas.so.0 (Debian: libopenblas0-pthread), no TDSE_BLAS_PATH"
        );
    }
    found
}

/// Numbers between -1 and 1, the same every time.
pub fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}
