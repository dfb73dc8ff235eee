//! `tdse bundle inspect`: what a bundle holds.

use serde_json::json;

use super::bundle_file::{kernel_rows, open_bundle, route_rows};
use super::pack_file::text;
use super::run::hex;
use crate::args::BundleFileArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;

/// Reads the bundle, which checks it, and tells all of it but the code.
pub(crate) fn bundle_inspect(args: &BundleFileArgs, console: &Console) -> Result<Outcome, Fault> {
    let bundle = open_bundle(&args.bundle)?;
    let [nh, nq, np] = bundle.shape;
    let data = json!({
        "content_sha256": bundle.pack_sha256_hex(),
        "np": np,
        "nq": nq,
        "nh": nh,
        "dtype": bundle.elem.name(),
        "level": bundle.level.to_string(),
        "contraction": bundle.contraction.name(),
        "made_by": bundle.made_by,
        "code_sha256": hex(&bundle.code_sha256()),
        "routes": route_rows(&bundle),
        "kernels": kernel_rows(&bundle),
    });
    console.say(text(&data));
    Ok(Outcome::ok(data))
}
