//! Opening a pack named on the command line, and describing it.

use std::path::Path;

use serde_json::{Value, json};
use tdse_pack::import::describe;
use tdse_pack::{Pack, PackError};

use crate::fault::Fault;

/// Reads a pack. For a file that could become one, the refusal says how.
pub(crate) fn open(path: &Path) -> Result<Pack, Fault> {
    Pack::read(path).map_err(|error| {
        let no_container = matches!(error, PackError::Container(_));
        let path = path.to_owned();
        if no_container && describe(&path).is_ok() {
            return Fault::NotYetPack { path, error };
        }
        Fault::Pack { path, error }
    })
}

/// The facts of a pack that envelopes give.
pub(crate) fn facts(pack: &Pack) -> Value {
    json!({
        "np": pack.shape().np(),
        "nq": pack.shape().nq(),
        "nh": pack.shape().nh(),
        "dt": pack.dt(),
        "ir_steps": pack.ir_steps(),
        "inputs": pack.inputs(),
        "outputs": pack.outputs(),
        "content_sha256": pack.identity().sha256_hex(),
        "content_blake3": pack.identity().blake3_hex(),
        "made_by": pack.made_by(),
    })
}

/// JSON as indented text for people: one fact a line, notes as a list, long arrays by their length.
pub(crate) fn text(value: &Value) -> String {
    let mut lines = Vec::new();
    append(&mut lines, "", value);
    lines.join("\n")
}

fn append(lines: &mut Vec<String>, name: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let name = if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                };
                append(lines, &name, field);
            }
        }
        Value::Array(items)
            if items
                .iter()
                .any(|item| item.is_string() || item.is_object()) =>
        {
            lines.push(format!("{name}:"));
            lines.extend(items.iter().map(|item| format!("  - {}", plain(item))));
        }
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) if items.len() > 16 => {
            lines.push(format!("{name:<34} ({} values)", items.len()));
        }
        Value::Null => {}
        value => lines.push(format!("{name:<34} {}", plain(value))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let pairs = fields
                .iter()
                .map(|(key, field)| format!("{key} {}", plain(field)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}
