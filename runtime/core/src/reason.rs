//! Why a candidate was taken or left: every reason that the selection itself gives.
//!
//! Refusals of the compiler keep their own number and name.

use crate::explain::Reason;

impl Reason {
    /// Number and name of every reason of the selection's own.
    pub const ALL: &[(u32, &'static str)] = &[
        (8101, "chosen"),
        (8102, "pinned"),
        (8103, "outranked"),
        (8104, "not_pinned"),
        (8105, "not_asked"),
        (8106, "no_plan"),
    ];
}

/// The candidate that runs.
pub(crate) fn chosen() -> Reason {
    reason(0, "first accepted candidate of the list")
}

/// The candidate that runs because the caller asked for it.
pub(crate) fn pinned() -> Reason {
    reason(1, "the caller pinned it")
}

/// Left out, untried, because a candidate before it was accepted.
pub(crate) fn outranked() -> Reason {
    reason(
        2,
        "not tried: a candidate before it in the list was accepted; same bits",
    )
}

/// Left out, untried, because the caller pinned another.
pub(crate) fn not_pinned() -> Reason {
    reason(3, "not tried: the caller pinned another candidate")
}

/// A route that nobody asked for.
pub(crate) fn not_asked() -> Reason {
    reason(
        4,
        "not asked for: auto takes it on evidence only; pin the route to run it",
    )
}

/// A route that looks ahead and has no plan for so few taps.
pub(crate) fn no_plan() -> Reason {
    reason(
        5,
        "the route has no plan for this objective and so few taps",
    )
}

fn reason(index: usize, text: &str) -> Reason {
    let (code, name) = Reason::ALL[index];
    Reason {
        code,
        name: name.into(),
        text: text.into(),
    }
}
