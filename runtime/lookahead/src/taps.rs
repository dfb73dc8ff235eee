//! The taps that an engine evaluates: those of a pack, or of some rows and ports of it.

use std::ops::Range;

use tdse_pack::Pack;

/// A view of a pack's taps with its own numbering of rows and ports.
pub(crate) struct Taps<'a> {
    pack: &'a Pack,
    rows: Vec<usize>,
    ports: Vec<usize>,
}

impl<'a> Taps<'a> {
    /// The taps from `ports` to `rows`.
    pub(crate) fn new(pack: &'a Pack, rows: Vec<usize>, ports: Vec<usize>) -> Self {
        Taps { pack, rows, ports }
    }

    /// Ports of the view.
    pub(crate) fn np(&self) -> usize {
        self.ports.len()
    }

    /// Rows of the view.
    pub(crate) fn nq(&self) -> usize {
        self.rows.len()
    }

    /// Taps of the pack.
    pub(crate) fn nh(&self) -> usize {
        self.pack.shape().nh()
    }

    /// `H[k][q][p]`, zero outside the pack's lags.
    pub(crate) fn at(&self, k: usize, q: usize, p: usize) -> f64 {
        let shape = self.pack.shape();
        if k >= shape.nh() {
            return 0.0;
        }
        self.pack.taps()[(k * shape.nq() + self.rows[q]) * shape.np() + self.ports[p]]
    }

    /// The first and the last lag within `lags` that has a tap, if any has.
    pub(crate) fn sounding(&self, lags: Range<usize>) -> Option<(usize, usize)> {
        let spans = (0..self.nq()).filter_map(|q| self.span(q, lags.clone()));
        spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// The first and the last lag within `lags` that has a tap in row `q`, if any has.
    pub(crate) fn span(&self, q: usize, lags: Range<usize>) -> Option<(usize, usize)> {
        let sounds = |&k: &usize| (0..self.np()).any(|p| self.at(k, q, p) != 0.0);
        let first = lags.clone().find(sounds)?;
        let last = lags.rev().find(sounds)?;
        Some((first, last))
    }
}
