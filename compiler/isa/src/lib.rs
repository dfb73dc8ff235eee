//! Instruction-set levels: what a machine can execute, and the proof of it.
//!
//! A CPUID bit is no licence to execute: virtual machines advertise what faults, and an operating
//! system that does not save a register file makes its use corrupt. So
//!
//! ```text
//! CPUID ----\
//!            min --> Features --> highest Level --> Proof (one for each level up to it)
//! XCR0 -----/
//! ```
//!
//! - [`detect`] computes the minimum over a [`Probe`], so that tests can inject any machine;
//! - [`Host`] runs it once on the real machine and is the only maker of [`Proof`]s;
//! - a cap given by the user ([`Host::capped`]) lowers the level, never raises it;
//! - a preference for narrower vectors ([`Preference`]) is no level and proves nothing.
//!
//! Detection costs a dozen CPUID instructions, once in a process. `unsafe` stands in `hardware.rs` alone.

mod cap;
mod detection;
mod error;
mod features;
mod hardware;
mod host;
mod level;
mod preference;

pub use cap::{Cap, CapOutcome};
pub use detection::{Probe, detect};
pub use error::IsaError;
pub use features::{Feature, Features};
pub use hardware::Hardware;
pub use host::{Host, Proof};
pub use level::Level;
pub use preference::Preference;
