//! Placeholder text, replaced by the owner of this module.

mod fault;
pub use fault::TouchstoneFault;
