//! What tests share: the suite for backends, golden files, test data; the project's files, documents and built program.
//!
//! Tests that concern one crate stand in that crate; those here look at the project from outside.

pub mod backend_suite;
pub mod document;
pub mod golden;
mod program;
pub mod random;
#[cfg(target_os = "linux")]
pub mod system_calls;
mod workspace;

pub use program::program;
pub use workspace::{root, shared, tracked_files};
