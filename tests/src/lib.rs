//! What the tests of the whole project share: its tracked files, its crates and its built program.
//!
//! Tests that concern one crate stand in that crate; those here look at the project from outside.
#![forbid(unsafe_code)]

pub mod document;
mod program;
pub mod random;
mod workspace;

pub use program::program;
pub use workspace::{root, shared, tracked_files};
