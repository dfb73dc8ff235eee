//! `tdse explain`: every route for a pack, accepted or refused, and why.

use std::path::Path;
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
    let options = args.route.prepare_options()?;
    let prepared = Prepared::new(Arc::new(pack), &options).map_err(Fault::Prepare)?;
    let mut explanation = prepared.explanation().clone();
    // The runtime does not know the file; the line must run as it stands.
    explanation.repro = explanation
        .repro
        .replacen("PACK", &shell_word(&args.pack), 1);
    if let Some(bundle) = args.route.bundle() {
        let line = &explanation.repro;
        explanation.repro = line.replacen("BUNDLE", &shell_word(bundle), 1);
    }
    // The routes that were not asked for, with their best plans, below those that were tried.
    explanation
        .routes
        .extend(prepared.alternatives(options.objective));
    console.say(explanation.to_string());
    let mut data =
        serde_json::to_value(&explanation).map_err(|error| Fault::Internal(error.to_string()))?;
    if let Some(fields) = data.as_object_mut() {
        fields.insert("prepare_ns".into(), json!(prepared.prepare_ns()));
        fields.insert("resident_bytes".into(), json!(prepared.resident_bytes()));
    }
    Ok(Outcome::ok(data))
}

/// A path as one word of a POSIX shell, quoted where it has to be.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_one_word() {
        for (path, word) in [
            ("a/b-1.tdse", "a/b-1.tdse"),
            ("my pack.tdse", "'my pack.tdse'"),
            ("it's", r"'it'\''s'"),
            ("$x", "'$x'"),
        ] {
            assert_eq!(shell_word(Path::new(path)), word);
        }
    }
}
