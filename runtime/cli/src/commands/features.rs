//! `tdse features`: what this build holds and what this machine lets it do.

use serde_json::{Value, json};
use tdse_bundle::Loader;
use tdse_compiler::Tier;
use tdse_isa::{Feature, Host, Level, Proof};

use super::pack_file::text;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::exit_code::ExitCode;
use crate::fault::Fault;
use crate::version::{COMMIT, PROFILE, TARGET, VERSION};

/// Reports build and machine.
pub(crate) fn features(console: &Console) -> Result<Outcome, Fault> {
    let data = json!({
        "build": {
            "version": VERSION,
            "commit": COMMIT,
            "target": TARGET,
            "profile": PROFILE,
            "code_generators": Tier::ALL.map(|tier| tier.backend().identity()),
        },
        "host": host(),
        "loader": loader(),
        "tiers": tiers(),
        "exit_codes": ExitCode::ALL.map(|(_, code, meaning)| json!({"code": code, "meaning": meaning})),
    });
    console.say(text(&data));
    Ok(Outcome::ok(data))
}

fn host() -> Value {
    let host = Host::get();
    json!({
        "arch": std::env::consts::ARCH,
        "os": std::env::consts::OS,
        "level": host.best().name(),
        "levels": host.levels().into_iter().map(Proof::level).map(Level::name).collect::<Vec<_>>(),
        "fma": host.best().has_fma(),
        "features": host.features().iter().map(Feature::name).collect::<Vec<_>>().join(" "),
        "cpus": std::thread::available_parallelism().map_or(1, usize::from),
    })
}

fn loader() -> Value {
    match Loader::probe() {
        Ok(loader) => json!({
            "available": true,
            "method": loader.method().to_string(),
            "reason": loader.passed_over().map(|refusal| refusal.to_string()),
        }),
        Err(refusal) => json!({
            "available": false,
            "method": null,
            "reason": refusal.to_string(),
        }),
    }
}

/// Every code generator: whether it is in this build, and whether its code can run here.
fn tiers() -> Value {
    let mut rows: Vec<Value> = Tier::KNOWN
        .into_iter()
        .map(|tier| {
            let compiled = Tier::ALL.contains(&tier);
            let refusal = match (tier.makes_machine_code(), Loader::probe()) {
                (true, Err(refusal)) => Some(refusal.to_string()),
                _ if !compiled => Some("not in this build; its code runs from bundles".to_owned()),
                _ => None,
            };
            json!({
                "tier": tier.to_string(),
                "compiled": compiled,
                "usable": refusal.is_none(),
                "reason": refusal.unwrap_or_else(|| "available".to_owned()),
            })
        })
        .collect();
    rows.push(
        json!({"tier": "ptx", "compiled": false, "usable": false, "reason": "not in this version"}),
    );
    Value::Array(rows)
}
