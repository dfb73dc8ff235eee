//! Measuring history steps: the project's routes and what others have, side by side.
//!
//! Problem: a time without its error, its machine and its rivals says nothing, and on a machine that
//! others use, two times taken minutes apart cannot be compared.
//!
//! ```text
//! Workload (taps, input, reference) ─┐
//! Choice (routes, libraries) ─ lineup┴─> [Peer, Peer, ...] ─ measure ─> [Row, ...] + what was left out
//!                                          every round steps every peer; odd rounds in the opposite order
//! ```
//!
//! Invariants: all peers of a workload live in one process and take the same input; a peer that cannot
//! run is left out with its reason, never in silence; a row carries the error of the peer's own
//! outputs against a sum in twice the precision; no figure is corrected except single steps, from which
//! the cost of reading the clock is taken. docs/benchmarking.md says how to read a row.
//!
//! `unsafe` stands in one file, `peers/zita_library.rs`, which calls a C++ library found at run time.
#![deny(unsafe_code)]

mod budget;
mod calibration;
mod cold;
mod histogram;
mod lane;
mod measure;
mod peer;
pub mod peers;
pub mod reference;
mod refusal;
mod roof;
mod row;
mod tap_columns;
mod workload;

pub use budget::Budget;
pub use measure::{Measurement, measure};
pub use peer::{Label, Peer};
pub use refusal::PeerRefusal;
pub use row::{Calm, ColdStart, Nanoseconds, Places, Row, Skipped};
pub use workload::{Signal, Workload};
