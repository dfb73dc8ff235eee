//! What the tests of the whole project share: its tracked files, its crates and its built program.
//!
//! Tests that concern one crate stand in that crate; those here look at the project from outside.

pub mod document;
mod program;
pub mod random;
#[cfg(target_os = "linux")]
pub mod system_calls;
mod workspace;

pub use program::program;
pub use workspace::{root, shared, tracked_files};
