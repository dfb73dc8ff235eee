//! The report as one HTML page that loads nothing.

use std::fmt::Write;

use super::figures::Figure;
use super::number::{hertz, metres, nanoseconds, ohms, seconds, significant};
use super::story::{Digest, Story};
use super::svg::escape;
use super::table::{html_facts, html_table};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--rule:#d8dde3;--paper:#ffffff;--tint:#f4f6f8;--good:#12734f;--bad:#c0262d}\
@media (prefers-color-scheme:dark){:root{--ink:#e8ebef;--soft:#a3adb8;--rule:#333b44;--paper:#14181d;--tint:#1c2229;--good:#4cc495;--bad:#f2686e}}\
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\
main{max-width:50rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem}\
h2{font-size:1.25rem;margin:2.6rem 0 .5rem;padding-top:1.1rem;border-top:1px solid var(--rule)}p{margin:.5rem 0 .9rem}\
.lead{font-size:1.08rem}.soft,figcaption{color:var(--soft)}figcaption{font-size:.92rem;margin-top:.2rem}\
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.75rem;margin:1.4rem 0}\
.tile{background:var(--tint);border-radius:8px;padding:.8rem .95rem}.tile b{display:block;font-size:1.3rem;line-height:1.3}\
.tile span{color:var(--soft);font-size:.88rem}.good{color:var(--good)}.bad{color:var(--bad)}\
figure{margin:1.2rem 0}figure svg{max-width:100%;height:auto;display:block}.wide{overflow-x:auto;margin:.8rem 0}\
table{border-collapse:collapse;font-size:.88rem;width:100%;font-variant-numeric:tabular-nums}\
th,td{text-align:left;vertical-align:top;padding:.34rem .7rem .34rem 0;border-bottom:1px solid var(--rule)}\
th,td{white-space:nowrap}td:last-child{white-space:normal}\
.facts td{white-space:normal}thead th{color:var(--soft);font-weight:600}.facts th{font-weight:400;color:var(--soft);white-space:nowrap;width:15rem}\
.facts td{overflow-wrap:anywhere}.n{text-align:right}\
pre{background:var(--tint);border-radius:8px;padding:.9rem 1rem;overflow-x:auto;font-size:.85rem;line-height:1.5}\
code,pre{font-family:ui-monospace,'Cascadia Mono','DejaVu Sans Mono',Menlo,Consolas,monospace}";

/// The page of a story, figures inlined.
pub(crate) fn page(story: &Story, figures: &[Figure; 4]) -> String {
    let [through, coupled, singular, times] = figures;
    let mut out = String::with_capacity(64 << 10);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>TDSE quickstart report</title><style>{STYLE}</style></head><body><main>\n\
         <h1>TDSE quickstart report</h1>\n\
         <p class=\"lead\">A coupled pair of microstrip lines was computed from its physics and written as a Touchstone \
         file. That file was read as any file would be and became a model pack; kernels were generated for the pack, \
         compared bit by bit with the reference interpreter, and timed on this machine.</p>\n"
    );
    tiles(&mut out, story);
    section(
        &mut out,
        "The pack",
        "A pack is a linear system as taps H[nh][nq][np]: the response of each output to a unit \
        input, step by step. Its identity is a hash of the numbers, whatever file holds them.",
    );
    out.push_str(&html_facts(&pack_facts(story)));
    figure(&mut out, through);
    figure(&mut out, coupled);
    section(
        &mut out,
        "Can it blow up in a loop?",
        "Data that are passive at every frequency given can still become taps \
        that are not. The check looks at the taps themselves, then closes the loop with each termination and lets it run.",
    );
    out.push_str(&html_facts(&health_facts(story)));
    figure(&mut out, singular);
    out.push_str(&loops(story));
    section(
        &mut out,
        "Same bits everywhere",
        "The order of every sum belongs to the kernel, not to the machine. So the \
        interpreter of the kernel description and every code generator, at every instruction-set level and with every \
        schedule, must give the same bits for the same input. Each row below ran all its schedules on the same random \
        windows.",
    );
    out.push_str(&bits(story));
    section(
        &mut out,
        "Kernels and step time",
        &format!(
            "Kernels compiled for this machine, then the time of a whole step: {} rounds of {} steps, each round visiting \
         every route in turn. {} on {}.",
            story.timing.rounds, story.timing.steps, "Measured", story.machine.processor
        ),
    );
    figure(&mut out, times);
    out.push_str(&kernels(story));
    section(
        &mut out,
        "Every route, and why",
        &format!(
            "What <code>tdse explain</code> tells: {}.",
            escape(&story.explanation.policy)
        ),
    );
    out.push_str(&routes(story));
    section(
        &mut out,
        "Repeat it",
        "The whole report, then each part by hand:",
    );
    let _ = writeln!(
        out,
        "<pre><code>{}</code></pre>",
        escape(&story.commands.join("\n"))
    );
    let _ = write!(
        out,
        "<p class=\"soft\">Files beside this page: {}. Made by tdse {} ({}, {} build) on {} ({}).</p>\n</main></body></html>\n",
        escape(&story.files.join(", ")),
        escape(&story.tdse),
        escape(&story.machine.target),
        escape(&story.machine.profile),
        escape(&story.machine.processor),
        escape(&story.machine.level)
    );
    out
}

/// `intro` is HTML.
fn section(out: &mut String, title: &str, intro: &str) {
    let _ = write!(out, "<h2>{}</h2>\n<p>{intro}</p>\n", escape(title));
}

fn figure(out: &mut String, figure: &Figure) {
    let _ = writeln!(
        out,
        "<figure>{}<figcaption>{}</figcaption></figure>",
        figure.svg.trim_end(),
        escape(&figure.caption)
    );
}

fn tiles(out: &mut String, story: &Story) {
    use tdse_pack::health::Verdict;
    let (verdict, tone) = match story.health.verdict {
        Verdict::Stable => ("Stable", "good"),
        Verdict::NotRefuted => ("Not refuted", ""),
        Verdict::NotApplicable => ("Not applicable", ""),
        Verdict::Unstable => ("Unstable", "bad"),
        Verdict::NotPassive => ("Not passive", "bad"),
    };
    let (bits, bits_tone) = if story.bits_identical {
        ("Identical", "good")
    } else {
        ("Different", "bad")
    };
    let runs: usize = story
        .bits
        .iter()
        .filter(|row| matches!(row.digest, Digest::Sha256(_)))
        .map(|row| row.schedules)
        .sum();
    let chosen = story.times.iter().find(|row| row.chosen);
    let tiles = [
        (
            verdict.to_owned(),
            tone,
            "verdict of the stability check".to_owned(),
        ),
        (
            bits.to_owned(),
            bits_tone,
            format!("output bits of {runs} kernels, interpreter among them"),
        ),
        (
            chosen.map_or_else(|| "-".to_owned(), |row| nanoseconds(row.median_ns)),
            "",
            "a step, with the route that runs by default".to_owned(),
        ),
        (
            chosen.map_or_else(|| "-".to_owned(), |row| row.tier.clone()),
            "",
            chosen.map_or_else(String::new, |row| {
                format!("{} at {}", row.schedule, row.level)
            }),
        ),
    ];
    out.push_str("<div class=\"tiles\">");
    for (value, tone, name) in tiles {
        let _ = write!(
            out,
            "<div class=\"tile\"><b class=\"{tone}\">{}</b><span>{}</span></div>",
            escape(&value),
            escape(&name)
        );
    }
    out.push_str("</div>\n");
}

fn pack_facts(story: &Story) -> Vec<(&'static str, String)> {
    let line = &story.line;
    let text = |key: &str| {
        story.pack.get(key).map_or_else(String::new, |v| {
            v.as_str().map_or_else(|| v.to_string(), str::to_owned)
        })
    };
    let number = |key: &str| {
        story
            .pack
            .get(key)
            .and_then(serde_json::Value::as_f64)
            .unwrap_or(f64::NAN)
    };
    let (nh, dt) = (number("nh"), number("dt"));
    vec![
        (
            "Example",
            format!(
                "two lines coupled over {}, with leads of {} and receivers of {}, seen from {} ports; \
                 0 Hz to {} in steps of {}",
                metres(line.length_m),
                metres(line.lead_m),
                ohms(line.receiver_ohm),
                ohms(line.reference_ohm),
                hertz(line.f_max_hz),
                hertz(line.f_step_hz)
            ),
        ),
        (
            "Shape",
            format!("{nh} taps, {} outputs, {} inputs", text("nq"), text("np")),
        ),
        (
            "Time step",
            format!("{}; the taps span {}", seconds(dt), seconds(nh * dt)),
        ),
        ("Content SHA-256", text("content_sha256")),
        ("Content BLAKE3", text("content_blake3")),
        ("File", format!("{} bytes", story.pack_bytes)),
    ]
}

fn health_facts(story: &Story) -> Vec<(&'static str, String)> {
    let health = &story.health;
    let share =
        |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |v| significant(v, 3));
    vec![
        ("Conclusion", health.message.clone()),
        (
            "Largest singular value",
            format!(
                "{:.6} at {}; at most {:.6} between grid points",
                health.fir_max_singular_value,
                hertz(health.fir_max_at_hz),
                health.fir_bound
            ),
        ),
        (
            "Energy at negative time",
            share(health.negative_time_energy),
        ),
        ("Energy behind the last tap", share(health.tail_energy)),
        (
            "Lowest over highest frequency",
            share(health.f_lo_over_f_hi),
        ),
    ]
}

fn loops(story: &Story) -> String {
    let rows: Vec<Vec<String>> = story
        .health
        .loops
        .iter()
        .map(|found| {
            let end = match (found.diverged_at, found.died_out_at) {
                (Some(step), _) => format!("passed the bound at step {step}"),
                (None, Some(step)) => format!("silent after step {step}"),
                (None, None) => "held to the end".to_owned(),
            };
            vec![
                found.termination.clone(),
                found.steps.to_string(),
                significant(found.max_abs, 4),
                significant(found.algebraic_condition, 4),
                end,
            ]
        })
        .collect();
    html_table(
        &["Ends", "Steps", "Largest amplitude", "Condition", "Outcome"],
        &[1, 2, 3],
        &rows,
    )
}

fn bits(story: &Story) -> String {
    let rows: Vec<Vec<String>> = story
        .bits
        .iter()
        .map(|row| {
            let digest = match &row.digest {
                Digest::Sha256(hex) => hex.chars().take(16).collect::<String>() + "…",
                Digest::Differs(_) => "DIFFERS between schedules".to_owned(),
                Digest::Refused { name, .. } => format!("refused: {name}"),
            };
            vec![
                row.class.clone(),
                row.executor.clone(),
                row.level.clone(),
                row.schedules.to_string(),
                digest,
            ]
        })
        .collect();
    html_table(
        &[
            "Numeric class",
            "Executor",
            "Level",
            "Schedules",
            "SHA-256 of the output",
        ],
        &[3],
        &rows,
    )
}

fn kernels(story: &Story) -> String {
    let rows: Vec<Vec<String>> = story
        .kernels
        .iter()
        .map(|row| {
            let code = row
                .code_sha256
                .as_ref()
                .map_or("ahead of time".to_owned(), |hex| {
                    hex.chars().take(10).collect::<String>() + "…"
                });
            vec![
                row.tier.clone(),
                row.kernel.clone(),
                row.level.clone(),
                nanoseconds(row.compile_ns as f64),
                code,
            ]
        })
        .collect();
    html_table(
        &[
            "Code generator",
            "Kernel",
            "Level",
            "Compiled in",
            "Code SHA-256",
        ],
        &[3],
        &rows,
    )
}

fn routes(story: &Story) -> String {
    let ns = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), nanoseconds);
    let rows: Vec<Vec<String>> = story
        .explanation
        .routes
        .iter()
        .map(|route| {
            let state = match (route.chosen, route.accepted) {
                (true, _) => "runs",
                (false, true) => "could run",
                (false, false) => "refused",
            };
            vec![
                route.route.clone(),
                route.backend.clone(),
                route.schedule.clone(),
                state.to_owned(),
                ns(route.predicted_ns),
                ns(route.measured_ns),
                route.reason.text.clone(),
            ]
        })
        .collect();
    html_table(
        &[
            "Route",
            "Generator",
            "Schedule",
            "State",
            "Predicted",
            "Measured",
            "Why",
        ],
        &[4, 5],
        &rows,
    )
}
