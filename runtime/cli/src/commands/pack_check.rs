//! `tdse pack check`: can this pack blow up in a loop?

use serde_json::json;
use tdse_pack::health::{HealthOptions, HealthReport, Verdict, check};

use super::pack_file::{facts, open};
use crate::args::CheckArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;
use crate::report::{hertz, significant};

/// Checks; a verdict of "unstable" or "not passive" ends with exit code 4.
pub(crate) fn pack_check(args: &CheckArgs, console: &Console) -> Result<Outcome, Fault> {
    let pack = open(&args.pack)?;
    let defaults = HealthOptions::default();
    let options = HealthOptions {
        steps: usize::try_from(args.steps).unwrap_or(usize::MAX),
        bound: args.bound.unwrap_or(defaults.bound),
        grid_factor: args.grid_factor.unwrap_or(defaults.grid_factor),
        seed: args.seed.unwrap_or(defaults.seed),
        declared_active: args.declared_active,
    };
    let bar = console.bar("closing the loop");
    let found = check(&pack, &options, &mut |share| bar.at(share));
    drop(bar);
    let report = found.map_err(|error| Fault::Pack {
        path: args.pack.clone(),
        error,
    })?;
    console.say(text(&report));
    let internal = |error: serde_json::Error| Fault::Internal(error.to_string());
    let mut data = serde_json::to_value(&report).map_err(internal)?;
    if let (Some(fields), Some(digest)) = (data.as_object_mut(), facts(&pack).get("content_sha256"))
    {
        fields.insert("content_sha256".into(), digest.clone());
        fields.insert("bound".into(), json!(options.bound));
    }
    let failure = matches!(report.verdict, Verdict::Unstable | Verdict::NotPassive)
        .then(|| Fault::Unstable(report.message.clone()));
    Ok(Outcome { data, failure })
}

/// The word for a verdict.
pub(super) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "stable",
        Verdict::NotRefuted => "not refuted",
        Verdict::Unstable => "UNSTABLE",
        Verdict::NotPassive => "NOT PASSIVE",
        Verdict::NotApplicable => "not applicable",
    }
}

fn text(report: &HealthReport) -> String {
    let mut lines = vec![format!(
        "largest singular value of the taps  {:.6} at {} (at most {:.6} anywhere)",
        report.fir_max_singular_value,
        hertz(report.fir_max_at_hz),
        report.fir_bound
    )];
    let shares = [
        ("energy at negative time", report.negative_time_energy),
        ("energy behind the last tap", report.tail_energy),
        ("lowest over highest frequency", report.f_lo_over_f_hi),
    ];
    for (name, share) in shares {
        if let Some(share) = share {
            lines.push(format!("{name:<35} {}", significant(share, 3)));
        }
    }
    for found in &report.loops {
        let end = match (found.diverged_at, found.died_out_at) {
            (Some(step), _) => format!("PASSED THE BOUND at step {step}"),
            (None, Some(step)) => format!("fell silent after step {step}"),
            (None, None) => format!("held for {} steps", found.steps),
        };
        lines.push(format!(
            "loop with {:<11} ends           {end}, largest amplitude {}",
            found.termination,
            significant(found.max_abs, 3)
        ));
    }
    if let Some(reason) = &report.loops_skipped {
        lines.push(format!("no loop: {reason}"));
    }
    lines.push(format!(
        "verdict: {}; {}",
        verdict_word(report.verdict),
        report.message
    ));
    lines.join("\n")
}
