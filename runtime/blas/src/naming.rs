//! How builds of one interface spell its functions.
//!
//! ```text
//! cblas_dgemv                  plain; 32-bit integers, unless the library says otherwise
//! cblas_dgemv64_               OpenBLAS with 64-bit integers beside another one
//! scipy_cblas_dgemv64_         the same, as Python wheels carry it
//! scipy_cblas_dgemv            wheels with 32-bit integers
//! ```

/// One spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Naming {
    prefix: &'static str,
    suffix: &'static str,
    /// Whether the spelling alone says that integers have 64 bits.
    pub(crate) wide: bool,
}

impl Naming {
    /// Every spelling, in the order of the search.
    pub(crate) const ALL: [Naming; 4] = [
        Naming::new("", "", false),
        Naming::new("", "64_", true),
        Naming::new("scipy_", "64_", true),
        Naming::new("scipy_", "", false),
    ];

    const fn new(prefix: &'static str, suffix: &'static str, wide: bool) -> Naming {
        Naming {
            prefix,
            suffix,
            wide,
        }
    }

    /// The symbol of a function.
    pub(crate) fn symbol(self, function: &str) -> String {
        format!("{}{function}{}", self.prefix, self.suffix)
    }

    /// Every symbol that a function may have, for a message.
    pub(crate) fn spellings(function: &str) -> String {
        Self::ALL.map(|naming| naming.symbol(function)).join(", ")
    }
}
