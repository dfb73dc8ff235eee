//! The account of a decision: every candidate, taken or left, and why.

use std::fmt;

use serde::Serialize;

/// Why a candidate was taken or left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Stable number.
    pub code: u32,
    /// Stable name.
    pub name: String,
    /// A sentence.
    pub text: String,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouteReport {
    /// Route token.
    pub route: String,
    /// Code generator.
    pub backend: String,
    /// Kernel family.
    pub family: String,
    /// Schedule.
    pub schedule: String,
    /// Level that code is generated for.
    pub level: String,
    /// Plan, on a route that looks ahead.
    pub plan: Option<String>,
    /// Whether it can run here as far as is known: one that a better candidate spared the trial
    /// counts as accepted, one that the pins leave out does not.
    pub accepted: bool,
    /// Whether it runs.
    pub chosen: bool,
    /// Why.
    pub reason: Reason,
    /// Nanoseconds per step on the reference core of the cost model.
    pub predicted_ns: Option<f64>,
    /// Nanoseconds per step measured here, when they were.
    pub measured_ns: Option<f64>,
    /// Conservative upper estimate of the ratio to generic, when the policy made one.
    pub ratio_upper_bound: Option<f64>,
}

/// The whole decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Every candidate in the order of the list.
    pub routes: Vec<RouteReport>,
    /// Index of the candidate that runs.
    pub chosen: usize,
    /// What fixes the bits.
    pub numeric_class: String,
    /// How executable memory is made here, or why it is not.
    pub loader: String,
    /// How the plan was found, on a route that looks ahead.
    pub planning: Option<String>,
    /// Why AUTO did not look further, or that it was not asked.
    pub policy: String,
    /// The command line that repeats the decision.
    pub repro: String,
}

impl Explanation {
    /// The candidate that runs; `None` only where the list is empty, which no decision leaves.
    pub fn chosen_route(&self) -> Option<&RouteReport> {
        self.routes.get(self.chosen)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "numeric class  {}", self.numeric_class)?;
        writeln!(f, "loader         {}", self.loader)?;
        writeln!(f, "policy         {}", self.policy)?;
        if let Some(planning) = &self.planning {
            writeln!(f, "planning       {planning}")?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "  {:<16}{:<11}{:<12}{:<13}{:>12}  why",
            "route", "backend", "schedule", "level", "predicted ns"
        )?;
        for r in &self.routes {
            let mark = match (r.chosen, r.accepted) {
                (true, _) => '*',
                (false, true) => ' ',
                (false, false) => '-',
            };
            let predicted = r
                .predicted_ns
                .map_or_else(|| "-".into(), |ns| format!("{ns:.1}"));
            writeln!(
                f,
                "{mark} {:<16}{:<11}{:<12}{:<13}{predicted:>12}  {}: {}",
                r.route, r.backend, r.schedule, r.level, r.reason.name, r.reason.text
            )?;
        }
        writeln!(f)?;
        write!(f, "repeat with    {}", self.repro)
    }
}
