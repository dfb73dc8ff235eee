//! `tdse pack build`: a file becomes a pack.

use serde_json::json;
use tdse_pack::import::{ImportOptions, Imported, import};
use tdse_pack::wav::WavOptions;

use super::pack_file::{facts, text};
use crate::args::BuildArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;
use crate::publish::publish;
use crate::report::seconds;

/// Imports, writes the pack, reports every choice and figure.
pub(crate) fn pack_build(args: &BuildArgs, console: &Console) -> Result<Outcome, Fault> {
    let refused = |error| Fault::Pack {
        path: args.input.clone(),
        error,
    };
    let options = ImportOptions {
        dt: args.dt,
        build: args.build_options(),
        wav: WavOptions {
            inputs: args.inputs,
            dt: args.dt,
        },
        admittance_reference: args.reference,
    };
    let bar = console.bar("importing");
    let Imported { pack, report } = import(&args.input, &options).map_err(refused)?;
    bar.at(0.8);
    let bytes = pack.to_bytes().map_err(refused)?;
    publish(&args.output, &bytes)?;
    drop(bar);
    console.say(text(&report));
    console.say(format!(
        "wrote {}: {} taps of {} outputs x {} inputs, dt {}, {} bytes, content sha256 {}",
        args.output.display(),
        pack.shape().nh(),
        pack.shape().nq(),
        pack.shape().np(),
        seconds(pack.dt()),
        bytes.len(),
        pack.identity().sha256_hex()
    ));
    let mut data = facts(&pack);
    if let Some(fields) = data.as_object_mut() {
        fields.insert("report".into(), report);
        fields.insert("output".into(), json!(args.output.display().to_string()));
        fields.insert("bytes".into(), json!(bytes.len()));
    }
    Ok(Outcome::ok(data))
}
