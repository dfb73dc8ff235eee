//! The metadata record of a pack file: schema, time step, names, how it was made.
//!
//! ```text
//! {"schema":"tdse.pack/1","dt":1e-12,"dt_bits":"3d719799812dea11",
//!  "inputs":[..],"outputs":[..],"made_by":{..}}
//! ```
//!
//! Invariants: these fields and no others, each once; `dt_bits` is the time step's IEEE 754 bits,
//! and `dt` must parse to exactly those bits, so a rounded or edited time step is noticed.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::fault::ContainerFault;
use crate::strict_json::{self, StrictJsonFault};

/// The schema that this version writes and reads.
pub const PACK_SCHEMA: &str = "tdse.pack/1";

/// The record as it stands in the metadata.
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    pub(crate) schema: String,
    pub(crate) dt: f64,
    pub(crate) dt_bits: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) made_by: Value,
}

impl Record {
    /// Parses the record and checks its schema, its fields and the two forms of the time step.
    pub(crate) fn parse(text: &str) -> Result<Record, ContainerFault> {
        let value = strict_json::parse(text.as_bytes()).map_err(|fault| match fault {
            StrictJsonFault::DuplicateKey(key) => ContainerFault::DuplicateKey { key },
            StrictJsonFault::Malformed(reason) => ContainerFault::BadRecord { reason },
        })?;
        let Value::Object(mut fields) = value else {
            return Err(bad("it is no JSON object"));
        };
        // The schema comes first: fields of another version mean nothing to this one.
        let schema = text_field(&mut fields, "schema")?;
        if schema != PACK_SCHEMA {
            return Err(ContainerFault::UnknownSchema { found: schema });
        }
        let dt = take(&mut fields, "dt")?
            .as_f64()
            .ok_or_else(|| bad("dt is no number"))?;
        let record = Record {
            schema,
            dt,
            dt_bits: text_field(&mut fields, "dt_bits")?,
            inputs: names_field(&mut fields, "inputs")?,
            outputs: names_field(&mut fields, "outputs")?,
            made_by: take(&mut fields, "made_by")?,
        };
        if let Some(field) = fields.keys().next() {
            return Err(ContainerFault::UnknownField {
                field: field.clone(),
            });
        }
        if record.dt_bits != bits_of(dt) {
            return Err(ContainerFault::TimeStepMismatch {
                bits: record.dt_bits,
            });
        }
        Ok(record)
    }
}

/// A time step's bits as 16 lower-case hexadecimal digits.
pub(crate) fn bits_of(dt: f64) -> String {
    format!("{:016x}", dt.to_bits())
}

fn take(fields: &mut Map<String, Value>, name: &str) -> Result<Value, ContainerFault> {
    fields
        .remove(name)
        .ok_or_else(|| bad(&format!("the field {name} is missing")))
}

fn text_field(fields: &mut Map<String, Value>, name: &str) -> Result<String, ContainerFault> {
    match take(fields, name)? {
        Value::String(text) => Ok(text),
        _ => Err(bad(&format!("the field {name} is no string"))),
    }
}

fn names_field(fields: &mut Map<String, Value>, name: &str) -> Result<Vec<String>, ContainerFault> {
    let wrong = || bad(&format!("the field {name} is no list of strings"));
    let Value::Array(items) = take(fields, name)? else {
        return Err(wrong());
    };
    items
        .into_iter()
        .map(|item| match item {
            Value::String(text) => Ok(text),
            _ => Err(wrong()),
        })
        .collect()
}

fn bad(reason: &str) -> ContainerFault {
    ContainerFault::BadRecord {
        reason: reason.to_owned(),
    }
}
