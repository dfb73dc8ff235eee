//! Why a candidate was taken or left: every reason that the selection itself gives.
//!
//! Refusals of the compiler keep their own number and name.

use crate::explain::Reason;

/// The candidate that runs.
pub(crate) fn chosen() -> Reason {
    reason(100, "chosen", "first accepted candidate of the list")
}

/// The candidate that runs because the caller asked for it.
pub(crate) fn pinned() -> Reason {
    reason(101, "pinned", "the caller pinned it")
}

/// Could run, but a candidate before it was accepted.
pub(crate) fn outranked() -> Reason {
    reason(
        110,
        "outranked",
        "a candidate before it in the list was accepted; same bits",
    )
}

/// Left out because the caller pinned another.
pub(crate) fn not_pinned() -> Reason {
    reason(120, "not_pinned", "the caller pinned another candidate")
}

fn reason(code: u32, name: &str, text: &str) -> Reason {
    Reason {
        code,
        name: name.into(),
        text: text.into(),
    }
}
