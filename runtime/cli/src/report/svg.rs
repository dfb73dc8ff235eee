//! A drawing as SVG text: escaped text, rounded coordinates, colours by class.

use std::fmt::Write;

/// Colours and type, in light and in dark. Series tones are told apart by people with the common
/// forms of colour blindness, in both settings.
const STYLE: &str = "\
svg.tdse{--ink:#1b1f24;--soft:#59636e;--grid:#e4e7eb;--axis:#aab2bb;--paper:#ffffff;\
--s0:#2a78d6;--s1:#d9541e;--s2:#128a5f;--s3:#6a4fc3;--mute:#b6bfc9;--alarm:#c0262d;\
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:12px}\
@media (prefers-color-scheme:dark){svg.tdse{--ink:#e8ebef;--soft:#a3adb8;--grid:#2b3138;--axis:#59636e;\
--paper:#14181d;--s0:#5b9df0;--s1:#f0803f;--s2:#37b98a;--s3:#a08cf0;--mute:#4a545f;--alarm:#f2686e}}\
svg.tdse .paper{fill:var(--paper)}svg.tdse text{fill:var(--soft)}svg.tdse text.head{fill:var(--ink);\
font-size:14px;font-weight:600}svg.tdse text.strong{fill:var(--ink)}svg.tdse text.alarm{fill:var(--alarm)}\
svg.tdse .grid{stroke:var(--grid);stroke-width:1}svg.tdse .axis{stroke:var(--axis);stroke-width:1}\
svg.tdse .rule{stroke:var(--alarm);stroke-width:1.2;stroke-dasharray:5 4}\
svg.tdse .line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\
svg.tdse .l0{stroke:var(--s0)}svg.tdse .l1{stroke:var(--s1)}svg.tdse .l2{stroke:var(--s2)}svg.tdse .l3{stroke:var(--s3)}\
svg.tdse .f0{fill:var(--s0)}svg.tdse .f1{fill:var(--s1)}svg.tdse .f2{fill:var(--s2)}svg.tdse .f3{fill:var(--s3)}\
svg.tdse .mute{fill:var(--mute)}";

/// Mean width of a character in the figures' type, in pixels; generous, so that labels keep apart.
pub(crate) const CHARACTER: f64 = 6.7;

/// Where a text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A drawing being made.
#[derive(Debug)]
pub(crate) struct Svg(String);

impl Svg {
    /// An empty drawing of a size in pixels, with its title shown at the top left.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut text = String::new();
        let escaped = escape(title);
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "<svg class=\"tdse\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{escaped}\">\
             <title>{escaped}</title><style>{STYLE}</style>\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"
        );
        let mut svg = Svg(text);
        svg.text(16.0, 24.0, Anchor::Start, "head", title);
        svg
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.0,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = write!(self.0, "<polyline class=\"{class}\" points=\"");
        for (x, y) in points {
            let _ = write!(self.0, "{x:.1},{y:.1} ");
        }
        self.0.push_str("\"/>");
    }

    /// A dot.
    pub(crate) fn dot(&mut self, class: &str, at: (f64, f64), radius: f64) {
        let _ = write!(
            self.0,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>",
            at.0, at.1
        );
    }

    /// A filled rectangle with round corners.
    pub(crate) fn bar(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) {
        let _ = write!(
            self.0,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"2\"/>",
            at.0, at.1, size.0, size.1
        );
    }

    /// A text.
    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = write!(
            self.0,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    /// A text that reads upwards, centred on a point.
    pub(crate) fn upright_text(&mut self, x: f64, y: f64, text: &str) {
        let _ = write!(
            self.0,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escape(text)
        );
    }

    /// The finished text.
    pub(crate) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// Text with the characters that mean something in XML replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
