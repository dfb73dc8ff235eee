//! From figures to a verdict and the sentence that explains it.

use super::report::{HealthReport, LoopReport, Verdict};
use crate::frequency_text::hertz;

/// Growth between the last two quarters of a loop from which on the sentence mentions it.
const NOTABLE_GROWTH: f64 = 1.01;

/// Judges taps that are waves at ports; `assumed` when the pack does not say so itself.
pub(super) fn judge_waves(report: &mut HealthReport, assumed: bool) {
    let norm = format!(
        "the largest singular value of the taps is {:.6} at {}",
        report.fir_max_singular_value,
        hertz(report.fir_max_at_hz)
    );
    let first = report
        .loops
        .iter()
        .filter_map(|l| l.diverged_at.map(|step| (step, l)))
        .min_by_key(|(step, _)| *step);
    let steps = report.loops.iter().map(|l| l.steps).max().unwrap_or(0);
    (report.verdict, report.message) = match (report.small_gain_certificate, first) {
        (_, Some((step, l))) if report.declared_active => (
            Verdict::NotApplicable,
            format!(
                "{norm}; the device was declared active, so this is no error, but {}: close it only with \
                 terminations that keep it stable",
                failure(step, l)
            ),
        ),
        (_, Some((step, l))) if l.has_no_solution() => (
            Verdict::Unstable,
            format!(
                "{norm}, and {}: a host cannot close this loop; end the ports with some loss",
                failure(step, l)
            ),
        ),
        (_, Some((step, l))) => (
            Verdict::Unstable,
            format!(
                "{norm}, and {}: a host that closes this loop diverges; rebuild with a smoother window \
                 (--window kaiser:BETA) or more low-frequency data, or declare the device active",
                failure(step, l)
            ),
        ),
        (true, None) => (
            Verdict::Stable,
            format!(
                "{norm} and below {:.6} at every frequency: stable with any passive termination",
                report.fir_bound
            ),
        ),
        (false, None) => (
            Verdict::NotRefuted,
            format!(
                "{norm}, which proves nothing; no loop passed the bound within {steps} steps{}",
                growth(&report.loops)
            ),
        ),
    };
    if assumed {
        report.message.push_str(
            "; the pack does not say what its taps are, they were taken for waves at ports",
        );
    }
}

/// Judges taps that are admittances or impedances by the least eigenvalue of their Hermitian part over the
/// grid, `least` at `hz`, and its lower bound at all frequencies.
pub(super) fn judge_immittance(report: &mut HealthReport, (least, hz): (f64, f64), bound: f64) {
    // Rounding of the transform, relative to the largest value there is.
    let noise = 1e-12 * report.fir_max_singular_value;
    let shown = format!(
        "the smallest eigenvalue of the Hermitian part of the taps is {least:.6e} at {}",
        hertz(hz)
    );
    (report.verdict, report.message) = if bound >= 0.0 {
        (
            Verdict::Stable,
            format!("{shown} and nowhere below {bound:.6e}: passive at every frequency"),
        )
    } else if noise.is_finite() && least >= -noise {
        (
            Verdict::NotRefuted,
            format!(
                "{shown}: passive on the grid, unproven between its points; a larger grid factor may prove it"
            ),
        )
    } else if report.declared_active {
        (
            Verdict::NotApplicable,
            format!("{shown}; the device was declared active"),
        )
    } else {
        (
            Verdict::NotPassive,
            format!(
                "{shown}: the taps give power out there, so some passive circuit around them diverges; build \
                 S-parameters instead (--param s) and check those, or declare the device active"
            ),
        )
    };
}

fn failure(step: u64, l: &LoopReport) -> String {
    let end = &l.termination;
    if l.has_no_solution() {
        return format!("the loop with {end} ends has no solution (I - G H0 is singular)");
    }
    format!("the loop with {end} ends passed the bound at step {step}")
}

fn growth(loops: &[LoopReport]) -> String {
    let grown = |l: &&LoopReport| l.late_growth.is_some_and(|g| g > NOTABLE_GROWTH);
    match loops.iter().find(grown) {
        Some(l) => format!(
            ", but the loop with {} ends still grew {:.3} times from the third quarter of them to the last: run more steps",
            l.termination,
            l.late_growth.unwrap_or(1.0)
        ),
        None => String::new(),
    }
}
