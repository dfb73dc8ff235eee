//! The peers, one file each, and who takes part.

mod blocked_gemm;
mod direct_gemv;
mod fft_convolver;
mod lineup;
mod model;
mod quickest;
mod zita;
#[allow(unsafe_code)]
mod zita_library;

pub use lineup::{Choice, Lineup, Rival, lineup};
pub use model::ModelChoice;
