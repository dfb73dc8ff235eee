//! `tdse quickstart`: the whole story on an example pack.
//!
//! ```text
//! physics -> .s4p -> importer -> pack -> check -> compile -> same bits? -> step times -> report
//! ```
//!
//! The Touchstone file is written first and then read back by the importer, so that the example
//! goes the way of a user's file. The report is written whatever the answers are: an unstable pack
//! or bits that differ still leave a folder to look at, and end with exit code 4.
//!
//! Cost: about a second, most of it the closed loops and the timing rounds.

mod bits;
mod files;
mod timing;

use std::sync::Arc;

use serde_json::json;
use tdse_isa::Host;
use tdse_pack::Pack;
use tdse_pack::health::{HealthOptions, HealthReport, Verdict, check};
use tdse_pack::import::{ImportOptions, import};
use tdse_pack::sparams::{BuildOptions, Window};
use tdse_runtime::{PrepareOptions, Prepared};

use super::pack_check::verdict_word;
use super::pack_file::facts;
use crate::args::QuickstartArgs;
use crate::console::{Console, Progress};
use crate::envelope::Outcome;
use crate::example_line::CoupledLine;
use crate::fault::Fault;
use crate::publish::make_folder;
use crate::report::{Machine, Story, figures, nanoseconds, page, seconds};
use crate::version::{PROFILE, TARGET, VERSION_AND_COMMIT};
use files::{Folder, PACK_FILE, TOUCHSTONE_FILE};

/// Shape of the Kaiser window: the example's taps stay passive under it, and hardly ring.
const KAISER_BETA: f64 = 6.0;

/// Taps of the example.
const TAPS: usize = 128;

/// Steps of each closed loop.
const SOAK_STEPS: usize = 100_000;

/// Runs the story and writes the report folder.
pub(crate) fn quickstart(args: &QuickstartArgs, console: &Console) -> Result<Outcome, Fault> {
    make_folder(&args.out)?;
    let folder = Folder::new(&args.out);
    let bar = console.bar("quickstart");
    let line = CoupledLine::default();
    folder.write_touchstone(&line)?;
    let pack = Arc::new(bar.aside(|| build(&folder, console))?);
    bar.at(0.1);
    let health = soak(&pack, console, &bar)?;
    let prepared =
        Prepared::new(Arc::clone(&pack), &PrepareOptions::default()).map_err(Fault::Prepare)?;
    let bits = bits::compare(&pack, &prepared, |share| bar.at(0.5 + 0.3 * share))?;
    bar.aside(|| console.say(bits.sentence()));
    let (times, timing) = timing::measure(&pack, &prepared, |share| bar.at(0.8 + 0.18 * share))?;
    let mut explanation = prepared.explanation().clone();
    for (row, index) in &times {
        explanation.routes[*index].measured_ns = Some(row.median_ns);
    }
    let times: Vec<_> = times.into_iter().map(|(row, _)| row).collect();
    bar.aside(|| console.say(slowest_and_chosen(&times)));
    let figures = figures(&pack, &health, &times);
    let mut story = Story {
        tdse: VERSION_AND_COMMIT.to_owned(),
        machine: machine(),
        line,
        pack: facts(&pack),
        pack_bytes: pack
            .to_bytes()
            .map_err(|error| Fault::Pack {
                path: folder.path(PACK_FILE),
                error,
            })?
            .len(),
        health,
        kernels: bits.kernels,
        bits_identical: bits.differences.is_empty(),
        bits: bits.rows,
        times,
        timing,
        explanation,
        files: Vec::new(),
        commands: commands(&args.out.display().to_string()),
    };
    folder.write_report(&mut story, &figures, page)?;
    drop(bar);
    console.say(format!("report: {}", folder.path("index.html").display()));
    let failure = failure(&story.health, &bits.differences);
    let data = json!({
        "out": args.out.display().to_string(),
        "files": story.files.clone(),
        "verdict": story.health.verdict,
        "bits_identical": story.bits_identical,
        "report": serde_json::to_value(&story).map_err(|error| Fault::Internal(error.to_string()))?,
    });
    Ok(Outcome { data, failure })
}

/// The options that make the example's pack; [`commands`] spells the same ones.
fn import_options() -> ImportOptions {
    ImportOptions {
        build: BuildOptions {
            window: Window::Kaiser { beta: KAISER_BETA },
            nh: Some(TAPS),
            ..BuildOptions::default()
        },
        ..ImportOptions::default()
    }
}

fn commands(out: &str) -> Vec<String> {
    vec![
        format!("tdse quickstart --out {out}"),
        format!(
            "tdse pack build {out}/{TOUCHSTONE_FILE} -o pair.tdse --window kaiser:{KAISER_BETA} --nh {TAPS}"
        ),
        format!("tdse pack check pair.tdse --steps {SOAK_STEPS}"),
        "tdse run pair.tdse --input random:1 --steps 4096 -o y.npy".to_owned(),
        "tdse explain pair.tdse".to_owned(),
    ]
}

fn build(folder: &Folder, console: &Console) -> Result<Pack, Fault> {
    let source = folder.path(TOUCHSTONE_FILE);
    let imported = import(&source, &import_options()).map_err(|error| Fault::Pack {
        path: source.clone(),
        error,
    })?;
    let pack = imported.pack;
    folder.write_pack(&pack)?;
    console.say(format!(
        "pack: {} -> {} taps of {} outputs x {} inputs, dt {}, content sha256 {}",
        TOUCHSTONE_FILE,
        pack.shape().nh(),
        pack.shape().nq(),
        pack.shape().np(),
        seconds(pack.dt()),
        pack.identity().sha256_hex()
    ));
    Ok(pack)
}

fn soak(pack: &Pack, console: &Console, bar: &Progress) -> Result<HealthReport, Fault> {
    let options = HealthOptions {
        steps: SOAK_STEPS,
        ..HealthOptions::default()
    };
    let report =
        check(pack, &options, &mut |share| bar.at(0.1 + 0.4 * share)).map_err(|error| {
            Fault::Pack {
                path: PACK_FILE.into(),
                error,
            }
        })?;
    bar.aside(|| {
        console.say(format!(
            "check: {}; {}",
            verdict_word(report.verdict),
            report.message
        ));
    });
    Ok(report)
}

fn slowest_and_chosen(times: &[crate::report::TimeRow]) -> String {
    let by_time = |a: &&crate::report::TimeRow, b: &&crate::report::TimeRow| {
        a.median_ns.total_cmp(&b.median_ns)
    };
    let name = |row: &crate::report::TimeRow| {
        format!(
            "{} {} {}",
            row.tier,
            row.schedule,
            nanoseconds(row.median_ns)
        )
    };
    let fastest = times.iter().min_by(by_time).map_or_else(String::new, name);
    let slowest = times.iter().max_by(by_time).map_or_else(String::new, name);
    let chosen = times
        .iter()
        .find(|row| row.chosen)
        .map_or_else(String::new, name);
    format!("step time: default route {chosen}; fastest {fastest}; slowest {slowest}")
}

fn failure(health: &HealthReport, differences: &[String]) -> Option<Fault> {
    if let Some(first) = differences.first() {
        return Some(Fault::BitsDiffer(first.clone()));
    }
    (health.verdict == Verdict::Unstable).then(|| Fault::Unstable(health.message.clone()))
}

fn machine() -> Machine {
    let processor = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| format!("an {} processor", std::env::consts::ARCH));
    Machine {
        processor,
        level: Host::get().best().to_string(),
        target: TARGET.to_owned(),
        profile: PROFILE.to_owned(),
    }
}
