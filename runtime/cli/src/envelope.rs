//! The JSON envelope: one document a call, for scripts.
//!
//! ```json
//! {"schema": "tdse.run/1", "tdse": "0.1.0 0123456789ab", "status": "ok", "data": {}}
//! ```
//! With `"status": "error"` there is also `"error": {"code", "name", "message"}`; `data` then holds
//! what was known when the command stopped, possibly nothing.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::fault::Fault;
use crate::publish::publish;
use crate::version::VERSION_AND_COMMIT;

/// What a command found, and what stopped it.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The envelope's `data`: an object.
    pub(crate) data: Value,
    /// The answer "no", when the work was done and that is its result.
    pub(crate) failure: Option<Fault>,
}

impl Outcome {
    /// A command that did what was asked.
    pub(crate) fn ok(data: Value) -> Self {
        Outcome {
            data,
            failure: None,
        }
    }
}

/// The error part of an envelope.
#[derive(Debug, Clone)]
pub(crate) struct EnvelopeError {
    /// Stable number.
    pub(crate) code: u32,
    /// Stable name.
    pub(crate) name: String,
    /// A sentence.
    pub(crate) message: String,
}

impl From<&Fault> for EnvelopeError {
    fn from(fault: &Fault) -> Self {
        EnvelopeError {
            code: fault.code(),
            name: fault.name().to_owned(),
            message: fault.to_string(),
        }
    }
}

/// The envelope of `command` (words joined by dots).
pub(crate) fn envelope(command: &str, data: &Value, error: Option<&EnvelopeError>) -> Value {
    let mut fields = Map::new();
    fields.insert("schema".into(), json!(format!("tdse.{command}/1")));
    fields.insert("tdse".into(), json!(VERSION_AND_COMMIT));
    fields.insert(
        "status".into(),
        json!(if error.is_some() { "error" } else { "ok" }),
    );
    if let Some(error) = error {
        fields.insert(
            "error".into(),
            json!({"code": error.code, "name": error.name, "message": error.message}),
        );
    }
    fields.insert("data".into(), data.clone());
    Value::Object(fields)
}

/// Writes an envelope to a file, or to stdout for `-`.
pub(crate) fn write_envelope(target: &Path, document: &Value) -> Result<(), Fault> {
    let mut text = document.to_string();
    text.push('\n');
    if target.as_os_str() != "-" {
        return publish(target, text.as_bytes());
    }
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| Fault::Write {
            path: target.to_owned(),
            error,
        })
}
