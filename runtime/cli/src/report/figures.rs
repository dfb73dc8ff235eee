//! The figures of the report.

use tdse_pack::Pack;
use tdse_pack::health::HealthReport;

use super::bar_chart::{Bar, bar_chart};
use super::line_chart::{LineChart, Series};
use super::number::{hertz, nanoseconds};
use super::story::TimeRow;

/// One figure.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// File name in the report folder.
    pub(crate) file: &'static str,
    /// What is shown, in a sentence or two.
    pub(crate) caption: String,
    /// The drawing.
    pub(crate) svg: String,
}

/// All figures, in the order of the page.
pub(crate) fn figures(pack: &Pack, health: &HealthReport, times: &[TimeRow]) -> [Figure; 4] {
    [
        through(pack),
        coupled(pack),
        singular_values(health),
        step_times(times),
    ]
}

fn through(pack: &Pack) -> Figure {
    let taps = shown_taps(pack, &[(1, 0)]);
    Figure {
        file: "impulse-through.svg",
        caption: format!(
            "What leaves the far end of line A (port 2) when a unit wave enters its near end (port 1) for one step. \
             The delay is the time of flight; the slow fall after the peak is skin effect and dielectric loss. Dots \
             are taps. The first {taps} of {} taps are drawn, the others are smaller than 0.1 % of the peak.",
            pack.shape().nh()
        ),
        svg: responses(
            pack,
            "Impulse response: through",
            taps,
            &[("S21 through", 1, 0, 0)],
        ),
    }
}

fn coupled(pack: &Pack) -> Figure {
    let entries = [
        ("S11 reflection", 0, 0, 1),
        ("S31 near-end crosstalk", 2, 0, 2),
        ("S41 far-end crosstalk", 3, 0, 3),
    ];
    let taps = shown_taps(pack, &[(1, 0), (0, 0), (2, 0), (3, 0)]);
    Figure {
        file: "impulse-coupled.svg",
        caption: "What comes back at port 1 and what appears on line B, for the same unit wave into port 1. Near-end \
                  crosstalk starts when the wave reaches the coupled section and ends when its echo from the far end \
                  has come back; far-end crosstalk arrives with the wave and has the shape of its slope."
            .to_owned(),
        svg: responses(pack, "Impulse responses: reflection and crosstalk", taps, &entries),
    }
}

/// Entries are name, output, input, tone.
fn responses(
    pack: &Pack,
    title: &str,
    taps: usize,
    entries: &[(&str, usize, usize, usize)],
) -> String {
    let np = pack.shape().np();
    let series = entries
        .iter()
        .map(|&(name, q, p, tone)| Series {
            name: name.to_owned(),
            points: (0..taps)
                .map(|k| (k as f64 * pack.dt() * 1e9, pack.tap(k)[q * np + p]))
                .collect(),
            tone,
            sampled: true,
        })
        .collect();
    LineChart {
        title: title.to_owned(),
        x_label: "time after the impulse (ns)".to_owned(),
        y_label: "tap".to_owned(),
        series,
        rule: None,
        mark: None,
    }
    .draw()
}

/// Taps up to the last one above a thousandth of the entries' peak, and a margin.
fn shown_taps(pack: &Pack, entries: &[(usize, usize)]) -> usize {
    let np = pack.shape().np();
    let size = |k: usize| {
        entries
            .iter()
            .map(|&(q, p)| pack.tap(k)[q * np + p].abs())
            .fold(0.0, f64::max)
    };
    let peak = (0..pack.shape().nh()).map(size).fold(0.0, f64::max);
    let last = (0..pack.shape().nh())
        .rev()
        .find(|&k| size(k) > 1e-3 * peak)
        .unwrap_or(0);
    (last + 4).min(pack.shape().nh())
}

fn singular_values(health: &HealthReport) -> Figure {
    let points: Vec<(f64, f64)> = health
        .fir_curve
        .iter()
        .map(|&(hz, value)| (hz / 1e9, value))
        .collect();
    let (at, value) = (health.fir_max_at_hz, health.fir_max_singular_value);
    Figure {
        file: "singular-values.svg",
        caption: format!(
            "Largest singular value of the pack's taps over frequency, from 0 Hz to half the sampling rate, on a grid \
             of {} points. Below 1 at every frequency, no passive termination can make the loop grow; a value \
             above 1 is where one might. The fall towards the end is the spectral window.",
            health.grid_points
        ),
        svg: LineChart {
            title: "Largest singular value of the taps".to_owned(),
            x_label: "frequency (GHz)".to_owned(),
            y_label: "singular value".to_owned(),
            series: vec![Series {
                name: "taps".to_owned(),
                points,
                tone: 0,
                sampled: false,
            }],
            rule: Some((1.0, "1: more energy out than in above this line".to_owned())),
            mark: Some((
                (at / 1e9, value),
                format!("largest: {value:.6} at {}", hertz(at)),
            )),
        }
        .draw(),
    }
}

fn step_times(times: &[TimeRow]) -> Figure {
    let mut sorted: Vec<&TimeRow> = times.iter().collect();
    sorted.sort_by(|a, b| a.median_ns.total_cmp(&b.median_ns));
    let bars: Vec<Bar> = sorted
        .into_iter()
        .map(|row| Bar {
            name: format!("{} {}", row.tier, row.schedule),
            value: row.median_ns,
            label: format!(
                "{}{}",
                nanoseconds(row.median_ns),
                if row.chosen {
                    "  (runs by default)"
                } else {
                    ""
                }
            ),
            chosen: row.chosen,
        })
        .collect();
    Figure {
        file: "step-time.svg",
        caption: "Median time of one whole host step (begin, hr, commit, dr) by code generator and schedule; shorter \
                  is better. All routes ran in turns in one process, on one thread."
            .to_owned(),
        svg: bar_chart("Step time by route", &bars),
    }
}
