//! `tdse run`: steps a pack as a host would.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::json;
use sha2::{Digest, Sha256};
use tdse_runtime::{Prepared, TierUp};

use super::pack_file::open;
use crate::args::RunArgs;
use crate::arrays::write_matrix;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;
use crate::report::nanoseconds;
use crate::stepping::{ClosedLoop, source_matrix, step_through};

/// Prepares, steps, writes the outputs.
pub(crate) fn run(args: &RunArgs, console: &Console) -> Result<Outcome, Fault> {
    let pack = open(&args.pack)?;
    let (nq, np) = (pack.shape().nq(), pack.shape().np());
    let source = source_matrix(&args.input, args.steps, np)?;
    let horizon = pack.ir_steps();
    if horizon > 0 && source.rows > horizon {
        return Err(Fault::PastHorizon {
            wanted: source.rows,
            horizon,
        });
    }
    let options = args.route.prepare_options()?;
    let prepared = Prepared::new(Arc::new(pack), &options).map_err(Fault::Prepare)?;
    let tier_up = args.tier_up.map(|tier| prepared.tier_up(tier)).transpose();
    let tier_up = tier_up.map_err(Fault::Prepare)?;
    let mut model = prepared.model();
    let closed = match &args.terminate {
        None => None,
        Some(termination) => {
            let mut op = vec![0.0; nq * np];
            model
                .op(&mut op)
                .map_err(|error| Fault::Step { step: 0, error })?;
            Some(ClosedLoop::new(termination, &op, nq, np)?)
        }
    };
    let condition = closed.as_ref().map(ClosedLoop::condition);
    let bar = console.bar("stepping");
    let steps = step_through(&mut model, &source, closed, |share| bar.at(share))?;
    drop(bar);
    if let Some(path) = &args.output {
        write_matrix(path, &steps.y)?;
    }
    if let Some(path) = &args.history_out {
        write_matrix(path, &steps.history)?;
    }
    let adopted = prepared.tiered_up();
    let tier_up = tier_up.map(TierUp::wait).transpose();
    let tier_up = tier_up.map_err(Fault::Prepare)?;
    let digest = sha256_hex(&steps.y.data);
    let per_step = steps.ns as f64 / source.rows as f64;
    let chosen = prepared.explanation().chosen_route();
    let (tier, schedule) = chosen.map_or(("", ""), |r| (&r.backend, &r.schedule));
    let level = prepared.level();
    let plan = prepared.plan().map(|plan| plan.to_string());
    console.say(format!(
        "{} steps on {} {} ({tier}, {schedule}, {level}), {} a step; class {}; output sha256 {digest}",
        source.rows,
        prepared.backend(),
        prepared.route(),
        nanoseconds(per_step),
        prepared.numeric_class(),
    ));
    Ok(Outcome::ok(json!({
        "steps": source.rows,
        "np": np,
        "nq": nq,
        "nh": prepared.pack().shape().nh(),
        "backend": prepared.backend().to_string(),
        "route": prepared.route().to_string(),
        "tier": tier,
        "schedule": schedule,
        "plan": plan,
        "level": level.to_string(),
        "dtype": prepared.elem().name(),
        "numeric_class": prepared.numeric_class(),
        "code_sha256": prepared.code_sha256().map(|digest| hex(&digest)),
        "content_sha256": prepared.pack().identity().sha256_hex(),
        "loop_condition": condition,
        "output_sha256": digest,
        "tier_up": tier_up.map(|report| json!({
            "kernels": report.kernels,
            "compile_ns": report.compile_ns,
            "adopted": adopted,
        })),
        "ns": {"total": steps.ns, "per_step": per_step, "prepare": prepared.prepare_ns()},
    })))
}

/// SHA-256 of values as f64 bits, little-endian.
pub(super) fn sha256_hex(values: &[f64]) -> String {
    let mut hasher = Sha256::new();
    for value in values {
        hasher.update(value.to_bits().to_le_bytes());
    }
    hex(&hasher.finalize())
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
