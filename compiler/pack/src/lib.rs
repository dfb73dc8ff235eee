//! Model packs: the container, its identity, importers, S-parameters to taps, health checks.
#![forbid(unsafe_code)]

pub mod admittance;
mod container;
pub mod error;
mod fault;
mod file;
pub mod health;
mod identity;
mod pack;
mod shape;
pub mod sparams;
pub mod touchstone;

pub use error::PackError;
pub use identity::{CONTENT_DOMAIN, Identity};
pub use pack::{MAX_MADE_BY_BYTES, MAX_NAME_BYTES, Pack, PackParts};
pub use shape::{MAX_FILE_BYTES, MAX_TAPS, Nh, Np, Nq, Shape};
