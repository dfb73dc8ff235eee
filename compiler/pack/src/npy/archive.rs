//! `.npz` archives: the arrays `H`, `IR`, and `dt` or `fs`, out of a zip file.
//!
//! A zip entry may inflate to a thousand times its size, and its claimed size may be false. Each
//! entry is therefore read through a hard limit that follows from [`MAX_TAPS`]; memory grows with
//! what was really inflated, never with a claim. Arrays with other names are not touched.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::{NpyArray, read_npy, taps_shape};
use crate::fault::NpyFault;
use crate::{MAX_TAPS, Pack, PackError, PackParts, time_step};

/// Most entries of an archive; more means that it is no data set.
const MAX_ENTRIES: usize = 4096;

/// Most bytes of one inflated entry: [`MAX_TAPS`] doubles and the longest header.
const MAX_ENTRY_BYTES: u64 = MAX_TAPS as u64 * 8 + (64 << 10) + 16;

/// Makes a pack of a `.npz` archive: `H` as in [`super::pack_from_npy`], optional `IR`
/// `[steps][nq]`, and the time step from `dt` (seconds) or `fs` (hertz) in the archive, else from
/// the argument.
///
/// # Errors
/// An [`NpyFault`] (codes 40xx for an array, 41xx for the archive), a missing or contradicting time
/// step, and the content rules of [`Pack::from_parts`].
pub fn pack_from_npz(bytes: &[u8], dt: Option<f64>) -> Result<Pack, PackError> {
    let mut archive = Archive::open(bytes)?;
    let taps = archive.array("H")?.ok_or(NpyFault::MissingTaps)?;
    let shape = taps_shape(&taps)?;
    let ir = match archive.array("IR")? {
        None => None,
        Some(array) => Some(ir_values(array, shape.nq())?),
    };
    let (found, rate) = archive.time_step()?;
    let (dt, dt_from) = time_step::choose("npz", found, dt)?;
    let made_by = serde_json::json!({
        "importer": "npz",
        "array_shape": taps.shape,
        "dt_from": dt_from,
        "sample_rate_hz": rate,
        "arrays_left_out": archive.left_out(),
    });
    Pack::from_parts(PackParts {
        shape,
        dt,
        taps: taps.data,
        ir,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by,
    })
}

/// What a `.npz` archive says about itself.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NpzSummary {
    /// Taps for each pair.
    pub nh: usize,
    /// Outputs.
    pub nq: usize,
    /// Inputs.
    pub np: usize,
    /// Steps of `IR`, 0 without one.
    pub ir_steps: usize,
    /// Time step in seconds, when the archive holds one.
    pub dt: Option<f64>,
    /// Sample rate in hertz, when the archive holds one.
    pub sample_rate_hz: Option<f64>,
    /// Arrays that have no part in a pack.
    pub arrays_left_out: Vec<String>,
    /// What a builder should know.
    pub notes: Vec<String>,
}

/// Reads what a `.npz` archive says about itself.
///
/// # Errors
/// As [`pack_from_npz`], but for a missing time step and the values.
pub fn summarize_npz(bytes: &[u8]) -> Result<NpzSummary, PackError> {
    let mut archive = Archive::open(bytes)?;
    let shape = taps_shape(&archive.array("H")?.ok_or(NpyFault::MissingTaps)?)?;
    let ir = match archive.array("IR")? {
        None => 0,
        Some(array) => ir_values(array, shape.nq())?.len(),
    };
    let (dt, sample_rate_hz) = archive.time_step()?;
    let mut notes = Vec::new();
    if dt.is_none() {
        notes.push("the archive holds neither dt nor fs; give a time step to build".to_owned());
    }
    Ok(NpzSummary {
        nh: shape.nh(),
        nq: shape.nq(),
        np: shape.np(),
        ir_steps: ir / shape.nq(),
        dt,
        sample_rate_hz,
        arrays_left_out: archive.left_out().into_iter().map(str::to_owned).collect(),
        notes,
    })
}

struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Entry names, by index.
    names: Vec<String>,
}

impl<'a> Archive<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, NpyFault> {
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| bad(&error))?;
        if zip.len() > MAX_ENTRIES {
            return Err(NpyFault::ArchiveTooLarge {
                entry: "(all)".to_owned(),
                reason: format!("{} entries, at most {MAX_ENTRIES} are read", zip.len()),
            });
        }
        let mut names = Vec::with_capacity(zip.len());
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index).map_err(|error| bad(&error))?;
            let name = entry.name().map_err(|error| bad(&error))?;
            names.push(name.into_owned());
        }
        // The zip crate keeps one of several entries with the same name.
        if zip.has_duplicate_names() {
            return Err(NpyFault::DuplicateArray {
                name: "(an entry)".to_owned(),
            });
        }
        Ok(Archive { zip, names })
    }

    /// The array of a name, when there is one.
    fn array(&mut self, name: &str) -> Result<Option<NpyArray>, PackError> {
        let file = format!("{name}.npy");
        let Some(index) = self.names.iter().position(|entry| *entry == file) else {
            return Ok(None);
        };
        let entry = self.zip.by_index(index).map_err(|error| bad(&error))?;
        let too_large = || NpyFault::ArchiveTooLarge {
            entry: file.clone(),
            reason: format!("more than {MAX_ENTRY_BYTES} bytes when inflated"),
        };
        if entry.size() > MAX_ENTRY_BYTES {
            return Err(too_large().into());
        }
        let mut bytes = Vec::new();
        entry
            .take(MAX_ENTRY_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| bad(&error))?;
        if bytes.len() as u64 > MAX_ENTRY_BYTES {
            return Err(too_large().into());
        }
        read_npy(&bytes).map(Some)
    }

    /// The time step of `dt` or `fs` in seconds, and the rate when `fs` was there.
    fn time_step(&mut self) -> Result<(Option<f64>, Option<f64>), PackError> {
        let dt = self.scalar("dt")?;
        let rate = self.scalar("fs")?;
        match (dt, rate) {
            (Some(dt), Some(fs)) if !time_step::same(dt, 1.0 / fs) => {
                Err(NpyFault::RateConflict { dt, fs }.into())
            }
            _ => Ok((dt.or(rate.map(|fs| 1.0 / fs)), rate)),
        }
    }

    /// One positive number.
    fn scalar(&mut self, name: &'static str) -> Result<Option<f64>, PackError> {
        let Some(array) = self.array(name)? else {
            return Ok(None);
        };
        let refused = |reason: String| NpyFault::BadScalar { name, reason };
        match array.data.as_slice() {
            &[value] if value.is_finite() && value > 0.0 => Ok(Some(value)),
            [value] => Err(refused(format!("found {value:e}")).into()),
            values => Err(refused(format!("found {} values", values.len())).into()),
        }
    }

    /// Entries that have no part in a pack, at most 32 of them.
    fn left_out(&self) -> Vec<&str> {
        self.names
            .iter()
            .map(|name| name.strip_suffix(".npy").unwrap_or(name))
            .filter(|name| !["H", "IR", "dt", "fs"].contains(name))
            .take(32)
            .collect()
    }
}

fn ir_values(array: NpyArray, nq: usize) -> Result<Vec<f64>, NpyFault> {
    match *array.shape.as_slice() {
        [_, width] if width == nq => Ok(array.data),
        [_] if nq == 1 => Ok(array.data),
        _ => Err(NpyFault::IrShape {
            shape: array.shape,
            nq,
        }),
    }
}

fn bad(error: &dyn std::fmt::Display) -> NpyFault {
    NpyFault::BadArchive {
        reason: error.to_string(),
    }
}
