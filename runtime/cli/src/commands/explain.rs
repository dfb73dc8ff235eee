//! `tdse explain`: every route for a pack, accepted or refused, and why.

use std::sync::Arc;

use serde_json::json;
use tdse_runtime::Prepared;

use super::pack_file::open;
use crate::args::ExplainArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;

/// Prepares the pack as `run` would and tells how the route was chosen.
pub(crate) fn explain(args: &ExplainArgs, console: &Console) -> Result<Outcome, Fault> {
    let pack = open(&args.pack)?;
    let options = args.route.prepare_options();
    let prepared = Prepared::new(Arc::new(pack), &options).map_err(Fault::Prepare)?;
    let explanation = prepared.explanation();
    console.say(explanation.to_string());
    let mut data =
        serde_json::to_value(explanation).map_err(|error| Fault::Internal(error.to_string()))?;
    if let Some(fields) = data.as_object_mut() {
        fields.insert("prepare_ns".into(), json!(prepared.prepare_ns()));
        fields.insert("resident_bytes".into(), json!(prepared.resident_bytes()));
    }
    Ok(Outcome::ok(data))
}
