//! Placeholder text, replaced by the owner of this module.
