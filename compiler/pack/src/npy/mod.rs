//! NumPy files: `.npy` arrays and `.npz` archives to packs, arrays of outputs to `.npy`.
//!
//! ```text
//! .npy bytes -> header -> C order, f64 -> [nh][nq][np]
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
mod header;

pub use archive::{NpzSummary, pack_from_npz, summarize_npz};

use header::{Element, Header, Kind};

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
    let header = Header::parse(bytes)?;
    let elements = elements(&header.shape)?;
    let data = &bytes[header.data_at..];
    let wanted = (elements as u64).saturating_mul(header.element.size as u64);
    let found = data.len() as u64;
    if wanted != found {
        return Err(NpyFault::WrongSize { wanted, found }.into());
    }
    let shape: Vec<usize> = header.shape.iter().map(|&axis| axis as usize).collect();
    let data = values(data, header.element)?;
    let data = if header.fortran {
        from_fortran(&shape, &data)
    } else {
        data
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
    let text = (header::PREFIX_V1 + dict.len() + 1).next_multiple_of(64) - header::PREFIX_V1;
    let mut bytes = Vec::with_capacity(header::PREFIX_V1 + text + 8 * data.len());
    bytes.extend_from_slice(header::MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&(text as u16).to_le_bytes());
    bytes.extend_from_slice(dict.as_bytes());
    bytes.resize(header::PREFIX_V1 + text - 1, b' ');
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

/// Number of elements. An axis of 0 must not hide axes whose product has no bound.
fn elements(shape: &[u64]) -> Result<usize, NpyFault> {
    let bounded = shape
        .iter()
        .filter(|&&axis| axis > 0)
        .try_fold(1u64, |product, &axis| product.checked_mul(axis))
        .filter(|&product| product <= crate::MAX_TAPS as u64);
    match bounded {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(product) => Ok(product as usize),
        None => Err(NpyFault::TooManyElements {
            shape: shape.to_vec(),
        }),
    }
}

/// The data as f64, in the order of the file.
fn values(data: &[u8], element: Element) -> Result<Vec<f64>, NpyFault> {
    let Element {
        kind,
        size,
        big_endian,
    } = element;
    let unused = 8 * (8 - size as u32);
    let each = data.chunks_exact(size).enumerate();
    each.map(|(index, bytes)| {
        let mut little = [0; 8];
        little[..size].copy_from_slice(bytes);
        if big_endian {
            little[..size].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match kind {
            Kind::Float if size == 4 => Ok(f64::from(f32::from_bits(bits as u32))),
            Kind::Float => Ok(f64::from_bits(bits)),
            // The sign is the top bit of `size` bytes: move it to the top of 64 bits and back.
            Kind::Signed => exact(i128::from((bits << unused) as i64 >> unused)),
            Kind::Unsigned => exact(i128::from(bits)),
        }
        .map_err(|value| NpyFault::InexactInteger { index, value })
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
