//! Model packs: what TDSE convolves with, in a file that can be trusted once it was opened.
//!
//! Impulse responses arrive as Touchstone, NumPy or wave files, from measurements and simulators,
//! and everything downstream (kernels, bundles, the runtime) wants one thing: finite taps
//! `H[nh][nq][np]`, a time step, and a name that says exactly which numbers these are.
//!
//! ```text
//! .sNp .ts .txt.gz -> touchstone, admittance -> sparams (S to taps) -+
//! .npy .npz .wav   -> npy, wav --------------------------------------+-> Pack <-> container (.tdse)
//!                                                                         |
//!                                                          identity, health (can it blow up?)
//! ```
//!
//! Invariants: a [`Pack`] is checked and immutable from the moment it exists. All input is
//! untrusted: sizes are compared with the bytes at hand before anything is allocated, and every
//! refusal is a [`PackError`] with a number that never changes (`docs/pack-format.md`).
//!
//! This crate knows nothing of kernels, backends and the runtime.
#![forbid(unsafe_code)]

pub mod admittance;
mod container;
pub mod error;
// First: the macro that numbers refusals is used by the modules below.
#[macro_use]
mod fault;
mod file;
mod frequency_text;
pub mod health;
mod identity;
pub mod import;
pub mod npy;
mod pack;
mod record;
mod shape;
pub mod sparams;
mod strict_json;
mod time_step;
pub mod touchstone;
pub mod wav;

pub use container::{MAX_HEADER_BYTES, looks_like_pack};
pub use error::PackError;
pub use identity::{CONTENT_DOMAIN, Identity};
pub use pack::{MAX_MADE_BY_BYTES, MAX_NAME_BYTES, Pack, PackParts};
pub use record::PACK_SCHEMA;
pub use shape::{MAX_FILE_BYTES, MAX_TAPS, Nh, Np, Nq, Shape};
