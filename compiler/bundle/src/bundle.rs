//! A bundle: what was compiled ahead of time for one pack, one shape and one level.
//!
//! ```text
//! Bundle --encode--> bytes --write--> file        made where a code generator is
//! Bundle <--decode-- bytes <--read--- file        used where none need be
//! ```
//!
//! A route names the pieces of code it runs, each once; pieces are shared between routes.
//! Names of routes, plans, schedules and classes are texts: this crate stores them and knows
//! nothing that runs them.
//!
//! Invariants: reading accepts exactly the bytes that writing gives, so `encode` after `decode` returns the
//! same bytes; nothing is accepted that `encode` would refuse. docs/bundle-format.md is the
//! specification. Cost: reading hashes the file twice, once whole and once piece by piece.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tdse_backend::CodeImage;
use tdse_isa::Level;
use tdse_kir::{Contraction, Elem};

use crate::bundle_error::BundleError;
use crate::bundle_header;
use crate::code_file::MAX_FILE_BYTES;
use crate::code_key::{CodeKey, add_field};
use crate::{digest_text, regular_file, text_rule};

/// Code for the routes of one pack.
///
/// A bundle is trusted like a shared library: what its entries hold is run. The digests keep accidents out, not people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// SHA-256 identity of the pack's content.
    pub pack_sha256: [u8; 32],
    /// Taps, outputs, inputs: `nh`, `nq`, `np`.
    pub shape: [u64; 3],
    /// Element type of the routes.
    pub elem: Elem,
    /// Level that a machine must have to run the code.
    pub level: Level,
    /// How the routes round products.
    pub contraction: Contraction,
    /// What wrote the bundle, with its version; decides nothing.
    pub made_by: String,
    /// Routes, in order of preference.
    pub routes: Vec<BundleRoute>,
    /// Pieces of code, no two with the same key.
    pub entries: Vec<BundleEntry>,
}

/// One route of a pack, ready to run. Its fields are those of the header, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleRoute {
    /// Token of the route: `generic`, `relaxed_fft`.
    pub route: String,
    /// Text of its plan, where it has one.
    pub plan: Option<String>,
    /// Code generator of the head's kernel.
    pub tier: String,
    /// Schedule of the head's kernel.
    pub schedule: String,
    /// Code generator of the plan's levels, where there are any.
    pub levels_tier: Option<String>,
    /// Numeric class of the whole route, as its preparation names it.
    pub numeric_class: String,
    /// Indices into [`Bundle::entries`], each once, in the order in which they were made.
    pub kernels: Vec<usize>,
}

/// One piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleEntry {
    /// What decided its bytes.
    pub key: CodeKey,
    /// Numeric class of the kernel, as text.
    pub class: String,
    /// The code. A listing is not kept.
    pub code: CodeImage,
}

/// Most routes of a bundle.
pub const MAX_ROUTES: usize = 1024;
/// Most pieces of code in a bundle.
pub const MAX_ENTRIES: usize = 4096;
/// Most kernels that one route runs.
pub const MAX_ROUTE_KERNELS: usize = 4096;
/// Most taps over all pairs: as many as a pack may have.
const MAX_TAPS: u64 = 1 << 28;

impl Bundle {
    /// The bytes of the bundle's file, the same for equal bundles.
    pub fn encode(&self) -> Result<Vec<u8>, BundleError> {
        self.check_target()?;
        self.check_parts()?;
        bundle_header::encode(self)
    }

    /// The bundle in a file's bytes.
    pub fn decode(bytes: &[u8]) -> Result<Bundle, BundleError> {
        let bundle = bundle_header::decode(bytes)?;
        bundle.check_parts()?;
        Ok(bundle)
    }

    /// Reads a bundle's file: opened once, read once, at most 256 MiB, never mapped.
    ///
    /// A symbolic link is followed; what it leads to must be a regular file. A pipe or a device is refused
    /// without waiting for it.
    pub fn read(path: &Path) -> Result<Bundle, BundleError> {
        Bundle::decode(&regular_file::read(path, MAX_FILE_BYTES)?)
    }

    /// Writes the file aside, flushes it, and renames it over `path`: a reader finds what was there before
    /// or the whole bundle. Where `path` is a symbolic link, the link is replaced.
    pub fn write(&self, path: &Path) -> Result<(), BundleError> {
        regular_file::publish(path, &self.encode()?)
    }

    /// The pack's identity in hexadecimal digits.
    pub fn pack_sha256_hex(&self) -> String {
        digest_text::print(&self.pack_sha256)
    }

    /// SHA-256 of all code, piece after piece, each behind its length: the bundle's `codeSha256`.
    pub fn code_sha256(&self) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(b"tdse-bundle-code/1\0");
        for entry in &self.entries {
            add_field(&mut hash, &entry.code.bytes);
        }
        hash.finalize().into()
    }

    /// What the pieces of code are bound to: they are those of this pack, shape and target.
    pub(crate) fn binding(&self) -> [u8; 32] {
        let Bundle {
            pack_sha256,
            shape,
            elem,
            level,
            contraction,
            // Decides nothing.
            made_by: _,
            // These name pieces of code; the digest of the file covers them.
            routes: _,
            entries: _,
        } = self;
        let mut hash = Sha256::new_with_prefix(b"tdse-bundle/1\0");
        add_field(&mut hash, pack_sha256);
        for count in shape {
            hash.update(count.to_le_bytes());
        }
        add_field(&mut hash, elem.name().as_bytes());
        add_field(&mut hash, level.name().as_bytes());
        add_field(&mut hash, contraction.name().as_bytes());
        hash.finalize().into()
    }

    /// The rules of what the bundle is for.
    pub(crate) fn check_target(&self) -> Result<(), BundleError> {
        text_rule::check("made_by", &self.made_by, text_rule::MAX_TEXT)?;
        let [nh, nq, np] = self.shape;
        let taps = nh.checked_mul(nq).and_then(|pairs| pairs.checked_mul(np));
        match taps {
            Some(1..=MAX_TAPS) => Ok(()),
            _ => Err(BundleError::BadShape {
                nh,
                nq,
                np,
                limit: MAX_TAPS,
            }),
        }
    }

    /// The rules between routes and pieces of code. Those of a single piece are checked where it is read or
    /// written.
    fn check_parts(&self) -> Result<(), BundleError> {
        at_most("routes", self.routes.len(), MAX_ROUTES)?;
        at_most("pieces of code", self.entries.len(), MAX_ENTRIES)?;
        let mut keys = HashSet::new();
        for BundleEntry { key, .. } in &self.entries {
            if key.level != self.level {
                return Err(BundleError::OtherLevel {
                    kernel: key.kernel.clone(),
                    found: key.level,
                    level: self.level,
                });
            }
            if !keys.insert(key) {
                return Err(BundleError::DuplicateKey {
                    key: key.to_string(),
                });
            }
        }
        let mut seen = HashSet::new();
        for route in &self.routes {
            route.check(self.entries.len())?;
            if !seen.insert(route.identity()) {
                return Err(BundleError::DuplicateRoute {
                    route: route.route.clone(),
                });
            }
        }
        Ok(())
    }
}

impl BundleRoute {
    fn check(&self, entries: usize) -> Result<(), BundleError> {
        let BundleRoute {
            route,
            plan,
            tier,
            schedule,
            levels_tier,
            numeric_class,
            kernels,
        } = self;
        for (field, text) in [
            ("route", Some(route)),
            ("plan", plan.as_ref()),
            ("tier", Some(tier)),
            ("schedule", Some(schedule)),
            ("levels_tier", levels_tier.as_ref()),
            ("numeric_class", Some(numeric_class)),
        ] {
            if let Some(text) = text {
                text_rule::check(field, text, text_rule::MAX_TEXT)?;
            }
        }
        at_most("kernels of a route", kernels.len(), MAX_ROUTE_KERNELS)?;
        let mut seen = vec![false; entries];
        for &index in kernels {
            let route = || route.clone();
            match seen.get_mut(index) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => {
                    return Err(BundleError::RepeatedKernel {
                        route: route(),
                        index,
                    });
                }
                None => {
                    return Err(BundleError::NoSuchKernel {
                        route: route(),
                        index,
                        entries,
                    });
                }
            }
        }
        Ok(())
    }

    /// What a caller chooses a route by.
    fn identity(&self) -> impl Eq + std::hash::Hash + '_ {
        let head = (&self.route, &self.tier, &self.schedule);
        (head, &self.plan, &self.levels_tier)
    }
}

fn at_most(what: &'static str, found: usize, limit: usize) -> Result<(), BundleError> {
    if found > limit {
        return Err(BundleError::TooMany { what, found, limit });
    }
    Ok(())
}
