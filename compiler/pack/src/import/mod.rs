//! Any file that can become a pack, by what it is and not by what it is called.
//!
//! ```text
//! bytes -> kind (content first, then suffix) -> Touchstone | admittance -> S -> taps -+
//!                                            -> .npy | .npz | .wav -> taps -----------+-> Pack
//! ```
//!
//! Invariants: the file is read once; what was read, every option and every figure of the build
//! stand in the report, and the same report is the pack's `made_by`, with the source's name and
//! SHA-256. A time step given by the user never overrides one that the file fixes: they agree, or
//! the file is refused.
//!
//! Cost: that of the importer chosen; detection looks at the first bytes only.

mod describe;
mod kind;
mod network;
mod unused;

pub use describe::describe;

use std::path::Path;

use serde_json::{Value, json};
use sha2::Digest;

use crate::fault::ImportFault;
use crate::sparams::BuildOptions;
use crate::wav::WavOptions;
use crate::{Pack, PackError, file, npy, time_step, wav};
use kind::{Kind, Source};

/// How a file becomes a pack. An option that the file has no use for is refused, unless it has its default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportOptions {
    /// Time step in seconds. Needed where the file has none (`.npy`, `.npz` without `dt` and `fs`);
    /// elsewhere it must agree with the one that follows from the file.
    pub dt: Option<f64>,
    /// S-parameters to taps, for Touchstone and admittance files.
    pub build: BuildOptions,
    /// Grouping of channels, for `.wav` files.
    pub wav: WavOptions,
    /// Reference in ohm for admittance tables, which name none; 50, Touchstone's default, unless given.
    pub admittance_reference: Option<f64>,
}

/// A pack and the story of its making.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The pack; its `made_by` is the report.
    pub pack: Pack,
    /// A JSON object: `program`, `importer`, `source` (`name`, `bytes`, `sha256`), and what the
    /// importer adds: `read`, `parameter` and `build` for network data, shapes and rates for the others.
    pub report: Value,
}

/// Imports a file.
///
/// # Errors
/// The file cannot be read, is of no known kind, or is refused by its importer; each case has its
/// own [`PackError::code`].
pub fn import(path: &Path, options: &ImportOptions) -> Result<Imported, PackError> {
    let bytes = file::read_once(path)?;
    import_bytes(&bytes, &kind::file_name(path), options)
}

/// Imports bytes that were read already; `name` is the file's name, for its suffix and the report.
///
/// # Errors
/// As [`import`], but for reading.
pub fn import_bytes(
    bytes: &[u8],
    name: &str,
    options: &ImportOptions,
) -> Result<Imported, PackError> {
    let source = Source::of(bytes, name)?;
    let content = source.bytes;
    unused::check(source.kind, options)?;
    let pack = match source.kind {
        Kind::Pack => {
            return Err(ImportFault::AlreadyPack {
                name: name.to_owned(),
            }
            .into());
        }
        Kind::Touchstone | Kind::Admittance => network::import(&source, options)?,
        Kind::Npy => {
            let dt = options
                .dt
                .ok_or(ImportFault::MissingTimeStep { format: "npy" })?;
            npy::pack_from_npy(content, dt)?
        }
        Kind::Npz => npy::pack_from_npz(content, options.dt)?,
        Kind::Wav => wav::pack_from_wav(content, &options.wav)?,
    };
    time_step::choose(source.kind.name(), Some(pack.dt()), options.dt)?;
    let mut report = json!({
        "program": concat!("tdse-pack ", env!("CARGO_PKG_VERSION")),
        "importer": source.kind.name(),
        "source": {
            "name": name,
            "bytes": bytes.len(),
            "sha256": crate::identity::hex(&sha2::Sha256::digest(bytes)),
        },
    });
    merge(&mut report, pack.made_by());
    let pack = pack.with_made_by(report.clone())?;
    Ok(Imported { pack, report })
}

/// Adds the fields of `more` that are not there yet.
fn merge(report: &mut Value, more: &Value) {
    let (Some(report), Some(more)) = (report.as_object_mut(), more.as_object()) else {
        return;
    };
    for (key, value) in more {
        report.entry(key).or_insert_with(|| value.clone());
    }
}
