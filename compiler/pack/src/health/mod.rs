//! Is this pack safe to close a loop around?
//!
//! A response that is passive at the frequencies it was measured at can still gain energy between them once
//! it is cut to taps, and a host that closes the loop then diverges. So the check looks at the taps that
//! will really run:
//!
//! ```text
//! taps --> norm over a finer grid ---- below 1 everywhere --> Stable (small gain)
//!      \-> loops with open, short, alternating, matched ends -- one passes the bound --> Unstable
//!                                                            \- none does             --> NotRefuted
//! ```
//!
//! Y and Z packs have no waves; for them the Hermitian part must nowhere have a negative eigenvalue. It is a
//! trigonometric polynomial of degree `nh - 1`, so its values on `n` points bound it between them
//! (H. Ehlich and K. Zeller, Math. Z. 86, 1964): it leaves their range `[a, b]` by at most
//! `(b - a)/2 (1 / cos(pi (nh - 1) / n) - 1)`.
//!
//! Invariant: `Stable` is a proof up to rounding (the bound covers the frequencies between grid points too);
//! `Unstable` is a demonstration; everything else says that it is neither.
//!
//! Cost: one spectral norm or factorisation for each grid point, and `nh np nq` multiply-adds for each step
//! of four loops.

mod burst;
pub(crate) mod fir_norm;
mod hermitian;
mod history;
mod judgement;
mod report;
mod soak;

pub use report::{HealthReport, LoopReport, Verdict};

use crate::sparams::BuildFault;
use crate::{Pack, PackError};
use fir_norm::Grid;
use judgement::{judge_immittance, judge_waves};
use soak::{Limits, Soak, Termination};

/// Parts of the band in [`HealthReport::fir_curve`].
const CURVE_POINTS: usize = 1024;

/// Largest refinement of the grid when a certificate is within reach.
const MAX_GRID_FACTOR: usize = 128;

/// Most work of a refined grid, in points times the cube of the larger side: seconds.
const MAX_REFINED_WORK: f64 = 1e10;

/// Choices of [`check`].
#[derive(Debug, Clone, PartialEq)]
pub struct HealthOptions {
    /// Steps of each loop.
    pub steps: usize,
    /// Points of the frequency grid over taps (or points of the data), at least 4.
    pub grid_factor: usize,
    /// Amplitude at which a loop counts as diverged; the burst has amplitude 1.
    pub bound: f64,
    /// The device is active: a norm above 1 is right, and loops are reported but not judged.
    pub declared_active: bool,
    /// Seed of the burst.
    pub seed: u64,
}

impl Default for HealthOptions {
    fn default() -> HealthOptions {
        HealthOptions {
            steps: 100_000,
            grid_factor: 4,
            bound: 1e6,
            declared_active: false,
            seed: 1,
        }
    }
}

/// Checks a pack; `progress` is called with the share done, from 0 to 1.
///
/// # Errors
/// [`PackError::Build`] with `health_option` when an option is out of range.
pub fn check(
    pack: &Pack,
    o: &HealthOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<HealthReport, PackError> {
    check_options(o)?;
    progress(0.0);
    let kind = Kind::of(pack);
    let mut report = frequency_side(pack, o);
    progress(0.2);
    match &kind {
        Kind::Waves { assumed } => {
            let soak = Soak::new(pack.taps(), pack.shape().np());
            let limits = Limits {
                steps: o.steps as u64,
                bound: o.bound,
                seed: o.seed,
            };
            for (i, end) in Termination::ALL.into_iter().enumerate() {
                let share = 0.8 / Termination::ALL.len() as f64;
                let start = 0.2 + share * i as f64;
                report
                    .loops
                    .push(soak.run(end, limits, &mut |done| progress(start + share * done)));
                progress(start + share);
            }
            report.small_gain_certificate = report.fir_bound < 1.0;
            judge_waves(&mut report, *assumed);
        }
        Kind::Immittance => {
            let grid = Grid::new(pack.shape(), o.grid_factor, data_points(pack));
            let (least, bin) = least_hermitian(pack, &grid);
            let hz = bin as f64 / (report.grid_points as f64 * pack.dt());
            report.min_hermitian_eigenvalue = Some((least, hz));
            // No eigenvalue of the Hermitian part is above the norm.
            let half_range = 0.5 * report.fir_max_singular_value - 0.5 * least;
            let bound =
                least - half_range * (grid.overshoot_of_degree(pack.shape().nh() - 1) - 1.0);
            report.loops_skipped =
                Some("the taps are admittances or impedances, not waves at ports".into());
            judge_immittance(&mut report, (least, hz), bound);
        }
        Kind::Other(reason) => {
            report.loops_skipped = Some(reason.clone());
            report.message = format!("no loop can be closed: {reason}");
        }
    }
    progress(1.0);
    Ok(report)
}

/// What the taps describe.
enum Kind {
    Waves {
        /// The pack does not say so.
        assumed: bool,
    },
    Immittance,
    Other(String),
}

impl Kind {
    fn of(pack: &Pack) -> Kind {
        let text = |key: &str| {
            pack.made_by()
                .get(key)
                .and_then(|v| v.as_str())
                .unwrap_or("")
                .to_ascii_lowercase()
        };
        let shape = pack.shape();
        if shape.np() != shape.nq() {
            return Kind::Other(format!(
                "the pack has {} inputs and {} outputs, so it has no ports",
                shape.np(),
                shape.nq()
            ));
        }
        if text("importer") == "wav" {
            return Kind::Other(
                "the pack was made from audio responses, which are not waves at ports".into(),
            );
        }
        match text("parameter").as_str() {
            "y" | "z" => Kind::Immittance,
            parameter => Kind::Waves {
                assumed: parameter != "s",
            },
        }
    }
}

fn check_options(o: &HealthOptions) -> Result<(), BuildFault> {
    let refuse = |option, found, expected| {
        Err(BuildFault::HealthOption {
            option,
            found,
            expected,
        })
    };
    if !(4..=MAX_GRID_FACTOR).contains(&o.grid_factor) {
        return refuse(
            "grid_factor",
            o.grid_factor as f64,
            "use 4 to 128: a coarser grid misses the overshoot",
        );
    }
    if !(o.bound.is_finite() && o.bound > 1.0) {
        return refuse(
            "bound",
            o.bound,
            "use a finite amplitude above 1, the size of the burst",
        );
    }
    if o.steps == 0 {
        return refuse("steps", 0.0, "use at least 1");
    }
    Ok(())
}

/// Norm of the taps over frequency, and what the pack says of its making.
fn frequency_side(pack: &Pack, o: &HealthOptions) -> HealthReport {
    let build = pack.made_by().get("build");
    let figure = |key: &str| {
        build
            .and_then(|b| b.get(key))
            .and_then(serde_json::Value::as_f64)
    };
    let shape = pack.shape();
    let grid = Grid::new(shape, o.grid_factor, data_points(pack));
    let hz = |grid: &Grid, bin: usize| bin as f64 / (grid.points() as f64 * pack.dt());
    let curve = grid.curve(pack.taps(), CURVE_POINTS);
    let mut value = curve.iter().fold(0.0, |m: f64, c| m.max(c.value));
    let mut at = curve
        .iter()
        .find(|c| c.value == value)
        .map_or(0.0, |c| hz(&grid, c.bin));
    let mut bound = value * grid.overshoot();
    if let Some(fine) = refined(shape, value, bound, data_points(pack)) {
        let largest = fine.largest(pack.taps());
        bound = bound.min(largest.value * fine.overshoot());
        if largest.value > value {
            (value, at) = (largest.value, hz(&fine, largest.bin));
        }
    }
    HealthReport {
        fir_max_singular_value: value,
        fir_max_at_hz: at,
        fir_bound: bound,
        grid_points: grid.points(),
        fir_curve: curve.iter().map(|c| (hz(&grid, c.bin), c.value)).collect(),
        negative_time_energy: figure("negative_time_energy"),
        tail_energy: figure("truncated_energy"),
        f_lo_over_f_hi: figure("extrapolated_fraction"),
        min_hermitian_eigenvalue: None,
        loops: Vec::new(),
        loops_skipped: None,
        small_gain_certificate: false,
        declared_active: o.declared_active,
        verdict: Verdict::NotApplicable,
        message: String::new(),
    }
}

/// Points of the data the pack was built from, 0 when it does not say.
fn data_points(pack: &Pack) -> usize {
    let m = pack
        .made_by()
        .get("build")
        .and_then(|b| b.get("m"))
        .and_then(serde_json::Value::as_u64)
        .unwrap_or(0);
    // A claim in a file must not cost memory; 64 times the taps leave an overshoot of 2e-5 at most.
    let limit = pack.shape().nh().saturating_mul(64);
    usize::try_from(m).unwrap_or(limit).min(limit)
}

/// A grid fine enough to prove a norm below 1, when the coarse one suggests but does not prove it.
fn refined(shape: crate::Shape, value: f64, bound: f64, m: usize) -> Option<Grid> {
    if value >= 1.0 || bound < 1.0 {
        return None;
    }
    let points = std::f64::consts::PI * (shape.nh() - 1) as f64 / 2.0 / value.acos() * 1.1;
    let factor = (points / shape.nh().max(m) as f64).ceil();
    let side = shape.np().max(shape.nq()) as f64;
    if factor > MAX_GRID_FACTOR as f64 || points * side * side * side > MAX_REFINED_WORK {
        return None;
    }
    Some(Grid::new(shape, factor as usize + 1, m))
}

/// The smallest eigenvalue of the Hermitian part over the grid, and its bin.
fn least_hermitian(pack: &Pack, grid: &Grid) -> (f64, usize) {
    let n = pack.shape().np();
    let mut least = (f64::INFINITY, 0);
    grid.visit(pack.taps(), |bin, matrix| {
        let value = hermitian::smallest_of_hermitian_part(matrix, n);
        if value < least.0 {
            least = (value, bin);
        }
    });
    least
}
