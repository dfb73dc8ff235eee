//! What a kernel is: one file a kernel family, no instruction set, no backend.
//!
//! A template is a function `(shape, contraction, schedule) -> Kernel`. The **shape** says what is
//! computed, the **contraction** completes the numeric class, the **schedule** says in which blocks
//! the work is done and never changes a bit of the result.
//!
//! ```text
//! DirectShape, Contraction, Schedule --direct()--> Kernel
//!                              \--Layout--> where H[k][q][p] lies in the packed buffer
//! ```
//!
//! The families that work ahead, `temporal_block` and `spectral_mac`, have shapes, schedules and
//! layouts of their own; they add to what `y` holds, in the class
//! [`tdse_kir::NumericClass::sequential`]. Their `H` is the caller's.
//!
//! Both direct families compute, for every row `q`, the sum over the terms `i = 0..np*taps` of
//! `h[q][i] * x[i]` in one class ([`tdse_kir::NumericClass::direct`]), so they agree to the bit.
#![forbid(unsafe_code)]

mod block_shape;
mod direct;
mod direct_rows;
mod direct_taps;
mod error;
mod extent;
mod layout;
mod mac_schedule;
mod rounding;
mod schedule;
mod shape;
mod spectral_mac;
mod spectral_shape;
mod temporal_block;
mod tiles;

pub use block_shape::{BlockLayout, BlockShape};
pub use direct::direct;
pub use error::TemplateError;
pub use layout::Layout;
pub use mac_schedule::{BlockSchedule, SpectralSchedule};
pub use schedule::Schedule;
pub use shape::DirectShape;
pub use spectral_mac::spectral_mac;
pub use spectral_shape::{SpectralLayout, SpectralShape};
pub use temporal_block::temporal_block;

/// Partial sums of the direct class, and so the terms in a group.
pub(crate) const PARTIALS: usize = 8;
