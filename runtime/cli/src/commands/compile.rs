//! `tdse compile`: a pack's routes as machine code for a named target, in one bundle.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tdse_isa::Host;
use tdse_kir::Contraction;
use tdse_runtime::{AheadCompiler, ElemChoice, RuntimeError};

use super::bundle_file::{route_rows, write_bundle};
use super::pack_file::open;
use super::run::hex;
use crate::args::CompileArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;

/// Compiles, writes the bundle and says what it holds.
pub(crate) fn compile(args: &CompileArgs, console: &Console) -> Result<Outcome, Fault> {
    let pack = Arc::new(open(&args.pack)?);
    let level = args.target.unwrap_or(Host::get().best());
    let started = Instant::now();
    let bar = console.counter("compiling");
    let listener = bar.listener();
    let contraction = args.contraction.map(Contraction::from);
    let elem = ElemChoice::from(args.dtype);
    let mut compiler = AheadCompiler::new(pack, elem, level, contraction, listener);
    let (routes, optional) = args.routes();
    let mut left_out = None;
    for (index, &route) in routes.iter().enumerate() {
        match compiler.add(&args.prepare_options(route)) {
            Ok(_) => {}
            Err(RuntimeError::Lookahead(refusal)) if optional && index > 0 => {
                left_out = Some(refusal.to_string());
            }
            Err(refusal) => return Err(Fault::Prepare(refusal)),
        }
    }
    drop(bar);
    let bundle = compiler.finish();
    let bytes = write_bundle(&bundle, &args.output)?;
    let code: usize = bundle.entries.iter().map(|e| e.code.bytes.len()).sum();
    console.say(format!(
        "{}: {} routes, {} kernels, {code} bytes of code for {level}; {bytes} bytes; code sha256 {}",
        args.output.display(),
        bundle.routes.len(),
        bundle.entries.len(),
        hex(&bundle.code_sha256()),
    ));
    if let Some(reason) = &left_out {
        console.say(format!("route lookahead was left out: {reason}"));
    }
    Ok(Outcome::ok(json!({
        "left_out": left_out,
        "bundle": args.output.display().to_string(),
        "bytes": bytes,
        "code_bytes": code,
        "kernels": bundle.entries.len(),
        "level": level.to_string(),
        "dtype": bundle.elem.name(),
        "content_sha256": bundle.pack_sha256_hex(),
        "code_sha256": hex(&bundle.code_sha256()),
        "routes": route_rows(&bundle),
        "ns": started.elapsed().as_nanos() as u64,
    })))
}
