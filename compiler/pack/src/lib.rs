//! Model packs: the container, its identity, importers, S-parameters to taps, health checks.
#![forbid(unsafe_code)]

pub mod admittance;
mod container;
pub mod error;
mod fault;
mod file;
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
