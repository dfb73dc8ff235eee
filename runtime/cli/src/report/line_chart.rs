//! Lines over a numeric axis, with ticks at round numbers and a legend above the plot.

use super::svg::{Anchor, CHARACTER, Svg};

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Points in the order of x.
    pub(crate) points: Vec<(f64, f64)>,
    /// Tone, 0 to 3.
    pub(crate) tone: usize,
    /// Whether each point gets a dot: for samples, where the line between is only a guide.
    pub(crate) sampled: bool,
}

/// A chart.
#[derive(Debug, Clone)]
pub(crate) struct LineChart {
    /// Heading.
    pub(crate) title: String,
    /// Name and unit of the horizontal axis.
    pub(crate) x_label: String,
    /// Name and unit of the vertical axis.
    pub(crate) y_label: String,
    /// The lines.
    pub(crate) series: Vec<Series>,
    /// A level to compare with, and its name.
    pub(crate) rule: Option<(f64, String)>,
    /// A point to name, in the place of the legend: for charts of one line.
    pub(crate) mark: Option<((f64, f64), String)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = HEIGHT - 50.0;

impl LineChart {
    /// Draws the chart.
    pub(crate) fn draw(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, &self.title);
        let x = Scale::around(self.values(|p| p.0), Room::Tight, (LEFT, RIGHT));
        let levels = self.values(|p| p.1).chain(self.rule.iter().map(|r| r.0));
        let y = Scale::around(levels, Room::Loose, (BOTTOM, TOP));
        self.axes(&mut svg, &x, &y);
        if let Some((level, name)) = &self.rule {
            svg.line("rule", (LEFT, y.at(*level)), (RIGHT, y.at(*level)));
            svg.text(RIGHT - 4.0, y.at(*level) - 5.0, Anchor::End, "alarm", name);
        }
        for series in &self.series {
            let points: Vec<(f64, f64)> = series
                .points
                .iter()
                .map(|p| (x.at(p.0), y.at(p.1)))
                .collect();
            svg.polyline(&format!("line l{}", series.tone), &points);
            if series.sampled {
                for &point in &points {
                    svg.dot(&format!("f{}", series.tone), point, 2.0);
                }
            }
        }
        if let Some((point, name)) = &self.mark {
            svg.dot("f1", (x.at(point.0), y.at(point.1)), 3.5);
            svg.dot("f1", (LEFT + 6.0, 44.0), 3.5);
            svg.text(LEFT + 16.0, 48.0, Anchor::Start, "strong", name);
        }
        self.legend(&mut svg);
        svg.finish()
    }

    fn values<'a>(&'a self, pick: fn(&(f64, f64)) -> f64) -> impl Iterator<Item = f64> + 'a {
        self.series
            .iter()
            .flat_map(move |s| s.points.iter().map(pick))
    }

    fn axes(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        for tick in y.ticks() {
            let class = if tick == 0.0 { "axis" } else { "grid" };
            svg.line(class, (LEFT, y.at(tick)), (RIGHT, y.at(tick)));
            svg.text(
                LEFT - 8.0,
                y.at(tick) + 4.0,
                Anchor::End,
                "",
                &y.label(tick),
            );
        }
        for tick in x.ticks() {
            svg.line("axis", (x.at(tick), BOTTOM), (x.at(tick), BOTTOM + 4.0));
            svg.text(
                x.at(tick),
                BOTTOM + 18.0,
                Anchor::Middle,
                "",
                &x.label(tick),
            );
        }
        svg.line("axis", (LEFT, BOTTOM), (RIGHT, BOTTOM));
        svg.text(
            (LEFT + RIGHT) / 2.0,
            BOTTOM + 38.0,
            Anchor::Middle,
            "",
            &self.x_label,
        );
        svg.upright_text(18.0, (TOP + BOTTOM) / 2.0, &self.y_label);
    }

    fn legend(&self, svg: &mut Svg) {
        if self.series.len() < 2 {
            return;
        }
        let mut at = LEFT;
        for series in &self.series {
            svg.line(
                &format!("line l{}", series.tone),
                (at, 44.0),
                (at + 18.0, 44.0),
            );
            svg.text(at + 24.0, 48.0, Anchor::Start, "strong", &series.name);
            at += 24.0 + series.name.chars().count() as f64 * CHARACTER + 18.0;
        }
    }
}

/// Whether a scale ends at the data or a little beyond, at half a tick step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Tight,
    Loose,
}

/// A linear map from values to pixels, with a round tick step.
#[derive(Debug, Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
    step: f64,
    pixels: (f64, f64),
}

impl Scale {
    fn around(values: impl Iterator<Item = f64>, room: Room, pixels: (f64, f64)) -> Self {
        let (low, high) = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
                (a.min(v), b.max(v))
            });
        // No values, or all the same: one unit around them, so that the map exists.
        let (low, high) = match (low <= high, low < high) {
            (false, _) => (0.0, 1.0),
            (true, false) => (low - 0.5, high + 0.5),
            (true, true) => (low, high),
        };
        match room {
            Room::Tight => Scale {
                low,
                high,
                step: round_step((high - low) / 9.0),
                pixels,
            },
            Room::Loose => {
                let step = round_step((high - low) / 6.0);
                let (half, margin) = (step / 2.0, 0.02 * (high - low));
                let margin_below = if low >= 0.0 { 0.0 } else { margin };
                Scale {
                    low: ((low - margin_below) / half).floor() * half,
                    high: ((high + margin) / half).ceil() * half,
                    step,
                    pixels,
                }
            }
        }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        let Scale {
            low, high, step, ..
        } = *self;
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        (first..=last).map(move |n| n as f64 * step)
    }

    fn label(&self, tick: f64) -> String {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        format!("{tick:.decimals$}")
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `raw`.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|s| *s >= raw * 0.999_999)
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::around([0.0, 19.99].into_iter(), Room::Tight, (0.0, 100.0));
        let labels: Vec<String> = scale.ticks().map(|t| scale.label(t)).collect();
        assert_eq!(labels, ["0", "5", "10", "15"]);
        let scale = Scale::around([-0.03, 0.41].into_iter(), Room::Loose, (100.0, 0.0));
        assert!(
            (scale.low + 0.05).abs() < 1e-9 && (scale.high - 0.45).abs() < 1e-9,
            "{scale:?}"
        );
        assert!((scale.at(scale.high)).abs() < 1e-9);
    }

    #[test]
    fn empty_and_flat_data_still_draw() {
        for values in [vec![], vec![2.0, 2.0], vec![f64::NAN]] {
            let scale = Scale::around(values.into_iter(), Room::Loose, (0.0, 1.0));
            assert!(scale.low < scale.high && scale.ticks().count() < 20);
        }
    }
}
