//! A BLAS that is found when the program runs.
//!
//! Problem: the matrix-vector products of a vendor's library are a route of their own and the peer
//! that the other routes are compared with. Which library a machine has, under which symbol names
//! and with which width of integers, is known on that machine only, and most have none.
//!
//! ```text
//!  BlasOptions.path ─┐
//!  TDSE_BLAS_PATH ───┼─> dlopen ─> symbols ─> provider, version, integers ─> self check ─> Blas
//!  well-known names ─┘      └──────────┴── a refusal says what was tried and what was lacking
//! ```
//!
//! Invariants: function pointers live no longer than the library they came from; every length is
//! checked against the buffers before a call; a named library is used or refused, never replaced;
//! the number of threads, which belongs to the whole process, is as before when the last guard is
//! gone. A library runs its own code when it is opened: name only those you trust.
//!
//! Cost: a product allocates nothing, locks nothing and makes no system call of its own; what the
//! library does inside is the library's.

mod blas;
mod info;
mod library;
mod naming;
mod product;
mod refusal;
mod search;
mod self_check;
mod threads;

pub use blas::{Blas, Form};
pub use info::{BlasInfo, Provider};
pub use product::BlasElement;
pub use refusal::{Attempt, BlasRefusal};
pub use search::{BlasOptions, PATH_VARIABLE, WELL_KNOWN};
pub use threads::{SharedThreadGuard, ThreadGuard, ThreadHold};
