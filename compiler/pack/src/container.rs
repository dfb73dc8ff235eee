//! The container of a pack: a safetensors file with one metadata record.
//!
//! ```text
//! u64 LE n | n bytes of JSON: "H", perhaps "IR", "__metadata__":{"tdse": record} | tensor data
//! ```
//!
//! The safetensors crate writes it. It is not used to read: it lets the last of two equal keys
//! win, accepts a header of 100 MB and merges many faults into few errors, while a pack comes from
//! strangers and every refusal here has its own number. What is written stays plain safetensors
//! (a test reads it back with the crate).
//!
//! Invariants: no allocation follows a claimed size before that size was compared with the bytes
//! at hand; tensors cover the data without gap, overlap or rest; unknown tensors, metadata keys
//! and record fields are refused.
//!
//! Cost: the header is parsed once, the data are converted in one pass.

use std::collections::HashMap;

use safetensors::Dtype;
use safetensors::tensor::{SafeTensorError, TensorView};
use serde_json::{Map, Value};

use crate::fault::{ContainerFault, ContentFault, FileFault};
use crate::record::{PACK_SCHEMA, Record, bits_of};
use crate::strict_json::{self, StrictJsonFault};
use crate::{MAX_FILE_BYTES, PackError, PackParts, Shape};

/// Most bytes that the header of a pack may have: 16 MiB.
pub const MAX_HEADER_BYTES: u64 = 16 << 20;

const LENGTH_BYTES: usize = 8;
const F64_BYTES: u64 = 8;
const TENSORS: [&str; 2] = ["H", "IR"];

/// Whether bytes look like a pack, sound or not: a possible header length, then a brace.
pub fn looks_like_pack(bytes: &[u8]) -> bool {
    match bytes.split_first_chunk::<LENGTH_BYTES>() {
        Some((length, [b'{', ..])) => u64::from_le_bytes(*length) <= MAX_HEADER_BYTES,
        _ => false,
    }
}

/// Takes a container apart; the content itself is checked by [`crate::Pack::from_parts`].
pub(crate) fn decode(bytes: &[u8]) -> Result<PackParts, PackError> {
    let (header, data) = split(bytes)?;
    let mut header = parse_header(header)?;
    let record = Record::parse(&take_record(&mut header)?)?;
    let (taps, ir) = tensors(header)?;
    check_layout(&taps, ir.as_ref(), data.len() as u64)?;
    let shape = taps_shape(&taps)?;
    let ir_values = match &ir {
        None => None,
        Some(ir) => {
            check_ir_shape(ir, shape)?;
            Some(floats(ir, data)?)
        }
    };
    Ok(PackParts {
        shape,
        dt: record.dt,
        taps: floats(&taps, data)?,
        ir: ir_values,
        inputs: record.inputs,
        outputs: record.outputs,
        made_by: record.made_by,
    })
}

/// The container's bytes. One key in the metadata map and sorted tensors make them deterministic.
pub(crate) fn encode(parts: &PackParts) -> Result<Vec<u8>, PackError> {
    let record = Record {
        schema: PACK_SCHEMA.to_owned(),
        dt: parts.dt,
        dt_bits: bits_of(parts.dt),
        inputs: parts.inputs.clone(),
        outputs: parts.outputs.clone(),
        made_by: parts.made_by.clone(),
    };
    let record = serde_json::to_string(&record).map_err(|error| ContainerFault::BadRecord {
        reason: error.to_string(),
    })?;
    // The record is a string inside the header, so quotes double; a reader must accept the result.
    let quoted = serde_json::to_string(&record).map_or(u64::MAX, |text| text.len() as u64);
    if quoted.saturating_add(1024) > MAX_HEADER_BYTES {
        return Err(ContainerFault::HeaderTooLarge {
            found: quoted,
            limit: MAX_HEADER_BYTES,
        }
        .into());
    }
    let shape = parts.shape;
    let taps = le_bytes(&parts.taps);
    let mut tensors = vec![(
        TENSORS[0],
        view(&[shape.nh(), shape.nq(), shape.np()], &taps)?,
    )];
    let ir = parts.ir.as_deref().map(le_bytes);
    if let Some(ir) = &ir {
        let steps = ir.len() / F64_BYTES as usize / shape.nq();
        tensors.push((TENSORS[1], view(&[steps, shape.nq()], ir)?));
    }
    let metadata = HashMap::from([("tdse".to_owned(), record)]);
    let bytes = safetensors::serialize(tensors, Some(metadata)).map_err(refused)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        // Nobody could read it again.
        return Err(FileFault::TooLarge {
            path: "the pack".to_owned(),
            limit: MAX_FILE_BYTES,
        }
        .into());
    }
    Ok(bytes)
}

fn view<'a>(shape: &[usize], bytes: &'a [u8]) -> Result<TensorView<'a>, PackError> {
    TensorView::new(Dtype::F64, shape.to_vec(), bytes).map_err(refused)
}

fn refused(error: SafeTensorError) -> PackError {
    ContainerFault::BadHeader {
        reason: error.to_string(),
    }
    .into()
}

fn le_bytes(values: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * F64_BYTES as usize);
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// The header's text and the data behind it.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), ContainerFault> {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
        return Err(ContainerFault::HeaderCutOff {
            wanted: LENGTH_BYTES as u64,
            found: bytes.len() as u64,
        });
    };
    let length = u64::from_le_bytes(*length);
    if length > MAX_HEADER_BYTES {
        return Err(ContainerFault::HeaderTooLarge {
            found: length,
            limit: MAX_HEADER_BYTES,
        });
    }
    rest.split_at_checked(length as usize)
        .ok_or(ContainerFault::HeaderCutOff {
            wanted: length,
            found: rest.len() as u64,
        })
}

fn parse_header(text: &[u8]) -> Result<Map<String, Value>, ContainerFault> {
    if text.first() != Some(&b'{') {
        return Err(bad_header("it does not begin with a brace"));
    }
    match strict_json::parse(text) {
        Ok(Value::Object(header)) => Ok(header),
        Ok(_) => Err(bad_header("it is no JSON object")),
        Err(StrictJsonFault::DuplicateKey(key)) => Err(ContainerFault::DuplicateKey { key }),
        Err(StrictJsonFault::Malformed(reason)) => Err(ContainerFault::BadHeader { reason }),
    }
}

/// The text of the `tdse` record, which must be the only metadata.
fn take_record(header: &mut Map<String, Value>) -> Result<String, ContainerFault> {
    let mut metadata = match header.remove("__metadata__") {
        None => return Err(ContainerFault::MissingRecord),
        Some(Value::Object(metadata)) => metadata,
        Some(_) => return Err(bad_header("__metadata__ is no JSON object")),
    };
    let record = metadata
        .remove("tdse")
        .ok_or(ContainerFault::MissingRecord)?;
    if let Some(key) = metadata.keys().next() {
        return Err(ContainerFault::UnknownMetadata { key: key.clone() });
    }
    match record {
        Value::String(text) => Ok(text),
        _ => Err(bad_header("the metadata value of \"tdse\" is no string")),
    }
}

/// One tensor's entry in the header.
struct Entry {
    name: &'static str,
    shape: Vec<u64>,
    begin: u64,
    end: u64,
}

/// The entries of `H` and, when there is one, of `IR`.
fn tensors(header: Map<String, Value>) -> Result<(Entry, Option<Entry>), ContainerFault> {
    let mut found = [None, None];
    for (key, value) in header {
        match TENSORS.iter().position(|name| *name == key) {
            Some(index) => found[index] = Some(Entry::parse(TENSORS[index], value)?),
            None => return Err(ContainerFault::UnknownTensor { name: key }),
        }
    }
    let [taps, ir] = found;
    Ok((taps.ok_or(ContainerFault::MissingTaps)?, ir))
}

impl Entry {
    fn parse(name: &'static str, value: Value) -> Result<Entry, ContainerFault> {
        let incomplete = || {
            bad_header(&format!(
                "the entry of {name} needs dtype, shape and data_offsets, and nothing else"
            ))
        };
        let Value::Object(fields) = value else {
            return Err(incomplete());
        };
        if fields.len() != 3 {
            return Err(incomplete());
        }
        let dtype = fields.get("dtype").and_then(Value::as_str);
        let dtype = dtype.ok_or_else(incomplete)?;
        let shape = whole_numbers(fields.get("shape")).ok_or_else(incomplete)?;
        let offsets = whole_numbers(fields.get("data_offsets")).ok_or_else(incomplete)?;
        let &[begin, end] = offsets.as_slice() else {
            return Err(incomplete());
        };
        if dtype != "F64" {
            return Err(ContainerFault::WrongType {
                tensor: name,
                found: dtype.to_owned(),
            });
        }
        Ok(Entry {
            name,
            shape,
            begin,
            end,
        })
    }
}

fn whole_numbers(value: Option<&Value>) -> Option<Vec<u64>> {
    value?.as_array()?.iter().map(Value::as_u64).collect()
}

/// The tensors follow each other from 0 to the end of the data, as long as their shapes ask for.
fn check_layout(taps: &Entry, ir: Option<&Entry>, data: u64) -> Result<(), ContainerFault> {
    let mut in_order: Vec<&Entry> = std::iter::once(taps).chain(ir).collect();
    in_order.sort_by_key(|entry| (entry.begin, entry.end));
    let mut next = 0;
    for entry in in_order {
        if entry.begin != next || entry.end < entry.begin {
            return Err(ContainerFault::BadLayout {
                reason: format!(
                    "{} lies at {}..{}, expected was a begin at {next}",
                    entry.name, entry.begin, entry.end
                ),
            });
        }
        let wanted = entry
            .shape
            .iter()
            .try_fold(F64_BYTES, |bytes, &axis| bytes.checked_mul(axis))
            .unwrap_or(u64::MAX);
        if wanted != entry.end - entry.begin {
            return Err(ContainerFault::WrongSize {
                tensor: entry.name,
                wanted,
                found: entry.end - entry.begin,
            });
        }
        next = entry.end;
    }
    if next > data {
        return Err(ContainerFault::DataCutOff {
            wanted: next,
            found: data,
        });
    }
    if next < data {
        return Err(ContainerFault::TrailingBytes { found: data - next });
    }
    Ok(())
}

fn taps_shape(taps: &Entry) -> Result<Shape, PackError> {
    let &[nh, nq, np] = taps.shape.as_slice() else {
        return Err(wrong_shape(taps, "[nh, nq, np]").into());
    };
    // A count beyond the address space fails the product's limit as usize::MAX.
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Shape::new(count(nh), count(nq), count(np))
}

fn check_ir_shape(ir: &Entry, shape: Shape) -> Result<(), PackError> {
    match ir.shape.as_slice() {
        [0, _] => Err(ContentFault::IrLength {
            found: 0,
            nq: shape.nq(),
        }
        .into()),
        &[_, nq] if nq == shape.nq() as u64 => Ok(()),
        _ => Err(wrong_shape(ir, "[steps, nq] with the nq of H").into()),
    }
}

fn wrong_shape(entry: &Entry, wanted: &'static str) -> ContainerFault {
    ContainerFault::WrongShape {
        tensor: entry.name,
        found: entry.shape.clone(),
        wanted,
    }
}

/// A tensor's values; its place was checked by [`check_layout`].
fn floats(entry: &Entry, data: &[u8]) -> Result<Vec<f64>, ContainerFault> {
    let place = entry.begin as usize..entry.end as usize;
    let bytes = data.get(place).ok_or(ContainerFault::DataCutOff {
        wanted: entry.end,
        found: data.len() as u64,
    })?;
    let (values, _) = bytes.as_chunks::<8>();
    Ok(values
        .iter()
        .map(|value| f64::from_le_bytes(*value))
        .collect())
}

fn bad_header(reason: &str) -> ContainerFault {
    ContainerFault::BadHeader {
        reason: reason.to_owned(),
    }
}
