//! NumPy files: `.npy` arrays and `.npz` archives to packs, arrays of outputs to `.npy`.
//!
//! ```text
//! .npy bytes -> fence (header) -> npyz -> C order, f64 -> [nh][nq][np]
//! .npz bytes -> zip, bounded entries -> "H", "IR", "dt" or "fs" -> Pack
//! ```
//!
//! Floats of 4 and 8 bytes and integers of 1 to 8 bytes are read, in any byte order, in C or
//! Fortran order. Taps are 3-D `[nh][nq][np]`, or 1-D `[nh]` for one input and one output. A 2-D
//! array is refused: `[nh][nq]` and `[nh][np]` look alike, and a guess would swap inputs with
//! outputs without a word.
//!
//! Invariants: an integer that no f64 holds exactly is refused; the data have exactly the bytes
//! that the shape asks for.
//!
//! Cost: one pass over the data; a second one for Fortran order.

mod archive;
mod fence;

pub use archive::{NpzSummary, pack_from_npz, summarize_npz};

use npyz::{NpyFile, Order, TypeChar};

use crate::fault::NpyFault;
use crate::{Pack, PackError, PackParts, Shape};

/// An array of real numbers in C order.
#[derive(Debug, Clone, PartialEq)]
pub struct NpyArray {
    /// Length of each axis; empty for a scalar.
    pub shape: Vec<usize>,
    /// The values, last axis fastest.
    pub data: Vec<f64>,
}

/// Reads a `.npy` array of real numbers.
///
/// # Errors
/// An [`NpyFault`] (codes 40xx) when the header, type, shape or length is not as it should be.
pub fn read_npy(bytes: &[u8]) -> Result<NpyArray, PackError> {
    let data_at = fence::check_header(bytes)?;
    let file = NpyFile::new(bytes).map_err(|error| NpyFault::BadHeader {
        reason: error.to_string(),
    })?;
    let wrong_type = || NpyFault::WrongType {
        found: file.dtype().descr(),
    };
    let npyz::DType::Plain(element) = file.dtype() else {
        return Err(wrong_type().into());
    };
    let (kind, size) = (element.type_char(), element.size_field());
    let elements = elements(file.shape())?;
    let wanted = (elements as u64).saturating_mul(size);
    let found = (bytes.len() - data_at) as u64;
    let sized = matches!(
        (kind, size),
        (TypeChar::Float, 4 | 8) | (TypeChar::Int | TypeChar::Uint, 1 | 2 | 4 | 8)
    );
    if !sized {
        return Err(wrong_type().into());
    }
    if wanted != found {
        return Err(NpyFault::WrongSize { wanted, found }.into());
    }
    let shape: Vec<usize> = file.shape().iter().map(|&axis| axis as usize).collect();
    let order = file.order();
    let data = match (kind, size) {
        (TypeChar::Float, 8) => values::<f64>(file, Ok)?,
        (TypeChar::Float, _) => values::<f32>(file, |value| Ok(f64::from(value)))?,
        (TypeChar::Int, 1) => values::<i8>(file, |value| Ok(f64::from(value)))?,
        (TypeChar::Int, 2) => values::<i16>(file, |value| Ok(f64::from(value)))?,
        (TypeChar::Int, 4) => values::<i32>(file, |value| Ok(f64::from(value)))?,
        (TypeChar::Int, _) => values::<i64>(file, |value| exact(value.into()))?,
        (_, 1) => values::<u8>(file, |value| Ok(f64::from(value)))?,
        (_, 2) => values::<u16>(file, |value| Ok(f64::from(value)))?,
        (_, 4) => values::<u32>(file, |value| Ok(f64::from(value)))?,
        (_, _) => values::<u64>(file, |value| exact(value.into()))?,
    };
    let data = match order {
        Order::C => data,
        Order::Fortran => from_fortran(&shape, &data),
    };
    Ok(NpyArray { shape, data })
}

/// Makes a pack of a `.npy` array; `dt` is the time step in seconds.
///
/// # Errors
/// As [`read_npy`], [`NpyFault::WrongAxes`] for other than 1 or 3 axes, and the content rules of
/// [`Pack::from_parts`].
pub fn pack_from_npy(bytes: &[u8], dt: f64) -> Result<Pack, PackError> {
    let array = read_npy(bytes)?;
    let made_by = serde_json::json!({
        "importer": "npy",
        "array_shape": array.shape,
        "dt_from": "options",
    });
    Pack::from_parts(PackParts {
        shape: taps_shape(&array)?,
        dt,
        taps: array.data,
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by,
    })
}

/// Writes f64 values as a `.npy` file (version 1.0, C order, little-endian).
///
/// `data` holds as many values as the product of `shape`, which has at most 64 axes (NumPy's own
/// limit); this is the caller's duty.
pub fn write_npy(shape: &[usize], data: &[f64]) -> Vec<u8> {
    debug_assert_eq!(shape.iter().product::<usize>(), data.len());
    // Python writes a tuple of one element with a trailing comma.
    let axes: String = shape.iter().map(|axis| format!("{axis}, ")).collect();
    let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({axes}), }}");
    // Magic, version, length and text together fill whole blocks of 64 bytes.
    let text = (fence::PREFIX_V1 + dict.len() + 1).next_multiple_of(64) - fence::PREFIX_V1;
    let mut bytes = Vec::with_capacity(fence::PREFIX_V1 + text + 8 * data.len());
    bytes.extend_from_slice(fence::MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&(text as u16).to_le_bytes());
    bytes.extend_from_slice(dict.as_bytes());
    bytes.resize(fence::PREFIX_V1 + text - 1, b' ');
    bytes.push(b'\n');
    bytes.extend(data.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// The sizes that an array of taps has.
pub(crate) fn taps_shape(array: &NpyArray) -> Result<Shape, PackError> {
    match *array.shape.as_slice() {
        [nh] => Shape::new(nh, 1, 1),
        [nh, nq, np] => Shape::new(nh, nq, np),
        _ => Err(NpyFault::WrongAxes {
            axes: array.shape.len(),
        }
        .into()),
    }
}

fn elements(shape: &[u64]) -> Result<usize, NpyFault> {
    shape
        .iter()
        .try_fold(1u64, |product, &axis| product.checked_mul(axis))
        .filter(|&product| product <= crate::MAX_TAPS as u64)
        .map(|product| product as usize)
        .ok_or_else(|| NpyFault::TooManyElements {
            shape: shape.to_vec(),
        })
}

fn values<T: npyz::Deserialize>(
    file: NpyFile<&[u8]>,
    convert: impl Fn(T) -> Result<f64, i128>,
) -> Result<Vec<f64>, NpyFault> {
    let unreadable = |reason: String| NpyFault::BadHeader { reason };
    let items = file
        .data::<T>()
        .map_err(|error| unreadable(error.to_string()))?;
    items
        .enumerate()
        .map(|(index, item)| {
            let item = item.map_err(|error| unreadable(error.to_string()))?;
            convert(item).map_err(|value| NpyFault::InexactInteger { index, value })
        })
        .collect()
}

/// The integer as f64, or the integer back when no f64 holds it.
fn exact(value: i128) -> Result<f64, i128> {
    let float = value as f64;
    if float as i128 == value {
        Ok(float)
    } else {
        Err(value)
    }
}

/// Reorders values that lie first axis fastest.
fn from_fortran(shape: &[usize], data: &[f64]) -> Vec<f64> {
    let mut index = vec![0; shape.len()];
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for axis in shape {
        strides.push(stride);
        stride *= axis;
    }
    let mut ordered = Vec::with_capacity(data.len());
    let mut at = 0;
    for _ in 0..data.len() {
        ordered.push(data[at]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    ordered
}
