//! Horizontal bars with their values.

use super::svg::{Anchor, CHARACTER, Svg};

/// One bar.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// Its name, to the left.
    pub(crate) name: String,
    /// Its length.
    pub(crate) value: f64,
    /// The value as text, to the right.
    pub(crate) label: String,
    /// Whether it stands out.
    pub(crate) chosen: bool,
}

const WIDTH: f64 = 760.0;
const ROW: f64 = 26.0;
const TOP: f64 = 46.0;

/// Draws bars in the order given, from zero.
pub(crate) fn bar_chart(title: &str, bars: &[Bar]) -> String {
    let mut svg = Svg::new(WIDTH, TOP + ROW * bars.len() as f64 + 14.0, title);
    let longest = |text: fn(&Bar) -> &str| {
        bars.iter()
            .map(|b| text(b).chars().count())
            .max()
            .unwrap_or(0) as f64
    };
    let left = 24.0 + longest(|b| &b.name) * CHARACTER;
    let room = (WIDTH - left - 24.0 - longest(|b| &b.label) * CHARACTER).max(40.0);
    let most = bars
        .iter()
        .map(|b| b.value)
        .fold(f64::MIN_POSITIVE, f64::max);
    for (n, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * n as f64;
        let length = (bar.value / most).clamp(0.0, 1.0) * room;
        let (fill, text) = if bar.chosen {
            ("f0", "strong")
        } else {
            ("mute", "")
        };
        svg.text(left - 8.0, y + 16.0, Anchor::End, text, &bar.name);
        svg.bar(fill, (left, y + 4.0), (length.max(1.0), ROW - 10.0));
        svg.text(
            left + length + 8.0,
            y + 16.0,
            Anchor::Start,
            text,
            &bar.label,
        );
    }
    svg.line(
        "axis",
        (left, TOP - 2.0),
        (left, TOP + ROW * bars.len() as f64),
    );
    svg.finish()
}
