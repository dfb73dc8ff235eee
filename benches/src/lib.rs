//! Benchmarks of the project; this library is empty, the benchmarks stand beside `Cargo.toml`.
#![forbid(unsafe_code)]
