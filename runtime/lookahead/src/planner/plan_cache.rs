//! Measured plans, remembered between processes: one small JSON file a key.
//!
//! ```text
//! $TDSE_CACHE_DIR/<pack>-<elem>-<objective>-<gate>-<level>-<tier>-<route>.json
//!   {"format": 1, "key": {...}, "plan": "relaxed_fft:burst:t8,f32,f128", "ns": 812.0}
//! ```
//!
//! Invariants: a file is written aside and published by one rename, so it is whole or absent; what is read
//! is bounded, compared with the full key, and checked like a plan that a user wrote; any doubt
//! counts as absence and is said. A wrong file can cost speed, never correctness: every plan computes
//! the same sum.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tdse_compiler::Tier;
use tdse_isa::Level;
use tdse_kir::Elem;

use super::{Envelope, Objective};
use crate::{Form, LookaheadRoute, Plan};

/// Changes whenever an older program would misread a file, or a newer one trust a stale one.
const FORMAT: u32 = 1;
/// The largest file read. A plan of twelve levels and its key take under a kilobyte.
const MOST_BYTES: u64 = 16 << 10;

/// What a remembered plan was measured for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanKey {
    /// Content hash of the pack, hexadecimal.
    pub pack: String,
    /// Element type of the evaluation.
    pub elem: Elem,
    /// What the plan was chosen for.
    pub objective: Objective,
    /// Whether the componentwise gate was on.
    pub componentwise: bool,
    /// The level that code was generated for.
    pub level: Level,
    /// The code generator.
    pub tier: Tier,
    /// The route asked for, if any.
    pub route: Option<LookaheadRoute>,
}

/// Why there is no remembered plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent(pub String);

/// A folder of remembered plans.
#[derive(Debug, Clone)]
pub struct PlanCache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    format: u32,
    key: KeyText,
    plan: String,
    ns: f64,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct KeyText {
    pack: String,
    elem: String,
    objective: String,
    gate: String,
    level: String,
    tier: String,
    route: String,
}

impl PlanCache {
    /// A cache in `folder`, which is made when the first plan is written.
    pub fn new(folder: impl Into<PathBuf>) -> PlanCache {
        PlanCache {
            folder: folder.into(),
        }
    }

    /// The user's folder: `$TDSE_CACHE_DIR`, else `$XDG_CACHE_HOME/tdse`, else `$HOME/.cache/tdse`.
    /// Variables that are empty or no absolute path are passed over; `None` where none is left.
    pub fn default_folder() -> Option<PathBuf> {
        PlanCache::folder_of(|name| std::env::var_os(name).map(PathBuf::from))
    }

    /// As [`PlanCache::default_folder`], with the variables looked up by `variable`.
    pub fn folder_of(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
        absolute("TDSE_CACHE_DIR")
            .or_else(|| absolute("XDG_CACHE_HOME").map(|path| path.join("tdse")))
            .or_else(|| absolute("HOME").map(|path| path.join(".cache").join("tdse")))
    }

    /// The file of a key.
    pub fn path(&self, key: &PlanKey) -> PathBuf {
        self.folder.join(key.file_name())
    }

    /// The plan remembered for a key, if it still suits: a pack of `nh` taps, the key's route and
    /// objective, and the envelope where the gate is on.
    pub fn read(
        &self,
        key: &PlanKey,
        nh: usize,
        envelope: Option<&Envelope>,
    ) -> Result<Plan, Absent> {
        key.check()?;
        let bytes = read_bounded(&self.path(key))?;
        let record: Record = serde_json::from_slice(&bytes)
            .map_err(|e| Absent(format!("the file is no remembered plan: {e}")))?;
        let Record {
            format,
            key: stored,
            plan,
            ns: _,
        } = record;
        if format != FORMAT {
            return absent(format!("the file has format {format}, not {FORMAT}"));
        }
        if stored != key.text() {
            return absent("the file is for another key");
        }
        let plan: Plan = plan.parse().map_err(|e| Absent(format!("{e}")))?;
        plan.check_for(nh).map_err(|e| Absent(format!("{e}")))?;
        if key.route.is_some_and(|route| route != plan.route) {
            return absent(format!("its plan {plan} takes another route"));
        }
        if key.objective == Objective::Deadline && plan.form == Form::Burst {
            return absent(format!("its plan {plan} works in bursts"));
        }
        if envelope.is_some_and(|envelope| !envelope.admits(&plan, key.elem)) {
            return absent(format!("its plan {plan} does not keep to the gate"));
        }
        Ok(plan)
    }

    /// Remembers a plan and what its measurement gave, replacing what was there.
    pub fn write(&self, key: &PlanKey, plan: &Plan, ns: f64) -> io::Result<()> {
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        key.check().map_err(|Absent(reason)| invalid(reason))?;
        if !ns.is_finite() {
            return Err(invalid(format!("{ns} ns is no measurement")));
        }
        fs::create_dir_all(&self.folder)?;
        let record = Record {
            format: FORMAT,
            key: key.text(),
            plan: plan.to_string(),
            ns,
        };
        let mut aside = tempfile::NamedTempFile::new_in(&self.folder)?;
        aside.write_all(&serde_json::to_vec(&record)?)?;
        aside.persist(self.path(key)).map_err(|e| e.error)?;
        Ok(())
    }
}

impl PlanKey {
    /// A key that could leave the folder, or name two packs alike, is none.
    fn check(&self) -> Result<(), Absent> {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if (16..=128).contains(&self.pack.len()) && self.pack.bytes().all(hex) {
            Ok(())
        } else {
            absent("the pack's hash is not lower-case hexadecimal")
        }
    }

    fn text(&self) -> KeyText {
        let PlanKey {
            pack,
            elem,
            objective,
            componentwise,
            level,
            tier,
            route,
        } = self;
        KeyText {
            pack: pack.clone(),
            elem: elem.name().into(),
            objective: objective.name().into(),
            gate: if *componentwise {
                "componentwise"
            } else {
                "norm"
            }
            .into(),
            level: level.name().into(),
            tier: tier.to_string(),
            route: route.map_or("any", LookaheadRoute::name).into(),
        }
    }

    fn file_name(&self) -> String {
        let KeyText {
            pack,
            elem,
            objective,
            gate,
            level,
            tier,
            route,
        } = self.text();
        format!("{pack}-{elem}-{objective}-{gate}-{level}-{tier}-{route}.json")
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no remembered plan: {}", self.0)
    }
}

fn absent<T>(reason: impl Into<String>) -> Result<T, Absent> {
    Err(Absent(reason.into()))
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, Absent> {
    let unreadable = |e: io::Error| Absent(format!("the file cannot be read: {e}"));
    // A pipe or a device could block or never end.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return absent("what stands there is no file");
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return absent(format!("the file is longer than {MOST_BYTES} bytes"));
    }
    Ok(bytes)
}
