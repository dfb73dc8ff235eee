//! What a file that can be imported says, without building anything.

use std::path::Path;

use serde_json::{Value, json};

use super::kind::{Kind, Source, file_name};
use super::network;
use crate::fault::ImportFault;
use crate::{PackError, file, npy, wav};

/// Describes a file as a JSON object.
///
/// Network data have `kind`, `ports`, `points`, `f_lo_hz`, `f_hi_hz`, `parameter`, `format`,
/// `reference` (ohm for each port, or `[re, im]` for each when one is complex) and `notes`; other
/// files have `kind`, `nh`, `nq`, `np` where they follow from the file alone, and their own fields.
///
/// # Errors
/// As [`super::import`], but for everything after reading.
pub fn describe(path: &Path) -> Result<Value, PackError> {
    let bytes = file::read_once(path)?;
    let name = file_name(path);
    let source = Source::of(&bytes, &name)?;
    let content = source.bytes;
    let mut description = match source.kind {
        Kind::Pack => return Err(ImportFault::AlreadyPack { name: name.clone() }.into()),
        Kind::Touchstone | Kind::Admittance => network::describe(&source)?,
        Kind::Npy => {
            let array = npy::read_npy(content)?;
            let shape = npy::taps_shape(&array)?;
            json!({
                "nh": shape.nh(), "nq": shape.nq(), "np": shape.np(),
                "array_shape": array.shape,
                "notes": ["the file holds no time step; give one to build"],
            })
        }
        Kind::Npz => serde_json::to_value(npy::summarize_npz(content)?).unwrap_or_default(),
        Kind::Wav => {
            let summary = wav::summarize(content)?;
            json!({
                "nh": summary.frames, "nq": summary.channels, "np": 1,
                "dt": 1.0 / f64::from(summary.sample_rate_hz),
                "wave": summary,
                "notes": [],
            })
        }
    };
    description["kind"] = json!(source.kind.name());
    Ok(description)
}
