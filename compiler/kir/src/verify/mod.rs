//! The verifier: what makes a kernel safe to run.
//!
//! [`verify`] is the only way to a [`Verified`] kernel, and everything that runs one asks for it:
//! a verified kernel touches only its buffers, writes each element of a writeonly buffer exactly
//! once, and ends. docs/kernel-ir.md has the table of rules.
//!
//! The rules are checked in three passes, so that a later one may rely on the earlier ones:
//!
//! ```text
//! declarations (params, class, sizes) -> statements (names, types, scopes, addresses) -> writes
//! ```
//!
//! Cost: linear in the text, and in the extents of writeonly buffers (one bit an element).

mod declarations;
mod interval;
mod operations;
mod scope;
mod statements;
mod writes;

use std::ops::Deref;

use crate::error::KirError;
use crate::ir::Kernel;
use crate::rule::Rule;

/// A kernel that the verifier has accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified(Kernel);

impl Verified {
    /// The kernel, free to change again.
    pub fn into_kernel(self) -> Kernel {
        self.0
    }
}

impl Deref for Verified {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.0
    }
}

/// Checks every rule; the error names the first one broken, with the statement that breaks it.
pub fn verify(k: Kernel) -> Result<Verified, KirError> {
    let broken = declarations::check(&k)
        .and_then(|()| statements::check(&k))
        .and_then(|()| writes::check(&k));
    match broken {
        Ok(()) => Ok(Verified(k)),
        Err(Broken { rule, at, reason }) => Err(KirError::Refused {
            kernel: k.name.chars().take(256).collect(),
            rule,
            at,
            reason,
        }),
    }
}

/// A broken rule, on its way to becoming a [`KirError::Refused`].
struct Broken {
    rule: Rule,
    at: String,
    reason: String,
}

impl Broken {
    fn new(rule: Rule, at: String, reason: String) -> Self {
        Broken { rule, at, reason }
    }
}

/// `Ok` when `holds`; else the rule is broken at the statement.
fn require(
    holds: bool,
    rule: Rule,
    at: impl Fn() -> String,
    reason: impl FnOnce() -> String,
) -> Result<(), Broken> {
    if holds {
        Ok(())
    } else {
        Err(Broken {
            rule,
            at: at(),
            reason: reason(),
        })
    }
}
