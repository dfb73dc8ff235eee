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
//! Both direct families compute, for every row `q`, the sum over the terms `i = 0..np*taps` of
//! `h[q][i] * x[i]` in one class ([`tdse_kir::NumericClass::direct`]), so they agree to the bit.
#![forbid(unsafe_code)]

mod direct;
mod direct_rows;
mod direct_taps;
mod error;
mod layout;
mod schedule;
mod shape;

pub use direct::direct;
pub use error::TemplateError;
pub use layout::Layout;
pub use schedule::Schedule;
pub use shape::DirectShape;

/// Partial sums of the direct class, and so the terms in a group.
pub(crate) const PARTIALS: usize = 8;
