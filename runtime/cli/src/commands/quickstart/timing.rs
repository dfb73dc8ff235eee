//! Step time of every route that can run here, measured in turns.
//!
//! One round steps every route once over the same input; the median over the rounds is reported.
//! Taking turns lets a change of the machine's speed touch all routes alike. The first round warms
//! caches and is not counted. A step is the whole of it: begin, hr, commit, dr.

use std::sync::Arc;

use tdse_compiler::Tier;
use tdse_pack::Pack;
use tdse_runtime::{Model, PrepareOptions, Prepared};
use tdse_templates::Schedule;

use crate::args::Input;
use crate::arrays::Matrix;
use crate::commands::run::sha256_hex;
use crate::fault::Fault;
use crate::report::{TimeRow, Timing};
use crate::stepping::{source_matrix, step_through};

/// Steps of one round of one route: a tenth of a millisecond or so, much less than a time slice, so
/// that the median stands apart from the rounds that the system interrupted.
const STEPS: usize = 256;

/// Rounds that count.
const ROUNDS: usize = 201;

struct Runner {
    model: Model,
    index: usize,
    output_sha256: String,
    ns: Vec<f64>,
}

/// Measures; each row comes with its index in the explanation's list.
pub(super) fn measure(
    pack: &Arc<Pack>,
    prepared: &Prepared,
    mut tell: impl FnMut(f64),
) -> Result<(Vec<(TimeRow, usize)>, Timing), Fault> {
    let source = source_matrix(&Input::Random(1), Some(STEPS), pack.shape().np())?;
    let mut runners = runners(pack, prepared)?;
    for round in 0..=ROUNDS {
        for runner in &mut runners {
            runner.round(&source, round > 0)?;
        }
        tell(round as f64 / ROUNDS as f64);
    }
    let rows = runners
        .into_iter()
        .map(|runner| runner.row(prepared))
        .collect();
    Ok((
        rows,
        Timing {
            steps: STEPS,
            rounds: ROUNDS,
        },
    ))
}

/// A model for every accepted route that really prepares.
fn runners(pack: &Arc<Pack>, prepared: &Prepared) -> Result<Vec<Runner>, Fault> {
    let mut list = Vec::new();
    for (index, route) in prepared.explanation().routes.iter().enumerate() {
        let internal = |what: &str| {
            Fault::Internal(format!(
                "the explanation names {what}, which does not parse"
            ))
        };
        let tier: Tier = route
            .backend
            .parse()
            .map_err(|_| internal(&route.backend))?;
        let schedule: Schedule = route
            .schedule
            .parse()
            .map_err(|_| internal(&route.schedule))?;
        let options = PrepareOptions {
            tier: Some(tier),
            schedule: Some(schedule),
            ..PrepareOptions::default()
        };
        // A route that cannot run stays in the explanation with its reason and gets no time.
        if let Ok(own) = Prepared::new(Arc::clone(pack), &options) {
            list.push(Runner {
                model: own.model(),
                index,
                output_sha256: String::new(),
                ns: Vec::new(),
            });
        }
    }
    Ok(list)
}

impl Runner {
    fn round(&mut self, source: &Matrix, counts: bool) -> Result<(), Fault> {
        self.model.reset();
        let steps = step_through(&mut self.model, source, None, |_| {})?;
        if counts {
            self.ns.push(steps.ns as f64 / source.rows as f64);
        } else {
            self.output_sha256 = sha256_hex(&steps.y.data);
        }
        Ok(())
    }

    fn row(mut self, prepared: &Prepared) -> (TimeRow, usize) {
        self.ns.sort_by(f64::total_cmp);
        let at = |n: usize| self.ns.get(n).copied().unwrap_or(f64::NAN);
        let own = self.model.prepared();
        let chosen = own.explanation().chosen_route();
        let row = TimeRow {
            tier: chosen.map(|r| r.backend.clone()).unwrap_or_default(),
            schedule: chosen.map(|r| r.schedule.clone()).unwrap_or_default(),
            level: own.level().to_string(),
            median_ns: at(self.ns.len() / 2),
            least_ns: at(0),
            most_ns: at(self.ns.len().saturating_sub(1)),
            chosen: self.index == prepared.explanation().chosen,
            output_sha256: self.output_sha256.clone(),
        };
        (row, self.index)
    }
}
