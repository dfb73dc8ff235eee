//! All peers of a workload, in rounds.

use std::time::Duration;

use crate::calibration::{clock_ns, iteration_ns};
use crate::cold::{Sweep, cold_start};
use crate::lane::{Instruments, Lane};
use crate::peers::Lineup;
use crate::roof::read_bytes_per_s;
use crate::{Budget, PeerRefusal, Row, Skipped, Workload};

/// Share of a peer's time for its starts.
const COLD_SHARE: f64 = 0.1;
const ROOF_TIME: Duration = Duration::from_millis(60);

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// Rows, in the order of the lineup.
    pub rows: Vec<Row>,
    /// What is not among them.
    pub skipped: Vec<Skipped>,
    /// Nanoseconds that reading the clock costs.
    pub clock_ns: u64,
    /// Bytes that direct evaluation reads in a step.
    pub direct_bytes: usize,
    /// Bytes a second that one thread reads from memory of that size.
    pub roof_bytes_per_s: f64,
}

/// Measures a lineup. Each round steps every peer, every other round in the opposite order, so that a
/// drift of the machine touches all alike. `tell` hears the share done.
pub fn measure(
    work: &Workload,
    lineup: Lineup,
    budget: Budget,
    mut tell: impl FnMut(f64),
) -> Measurement {
    let Lineup { peers, mut skipped } = lineup;
    let instruments = Instruments {
        clock_ns: clock_ns(),
        iteration_ns: iteration_ns(),
    };
    let slice_ns = budget.slice_ns(peers.len());
    let mut roof = read_bytes_per_s(work.direct_bytes(), ROOF_TIME);

    let mut lanes = Vec::new();
    let count = peers.len();
    for (n, peer) in peers.into_iter().enumerate() {
        let name = peer.label().route.clone();
        match Lane::new(work, peer, slice_ns, budget.rounds, instruments) {
            Ok(lane) => lanes.push(lane),
            Err(refusal) => skipped.push(Skipped::new(&name, work.elem.name(), &refusal)),
        }
        tell(0.3 * (n + 1) as f64 / count as f64);
    }

    for round in 0..budget.rounds.max(1) {
        if round > 0 {
            lanes.reverse();
        }
        retain(&mut lanes, work, &mut skipped, |lane| {
            lane.round(work, instruments)
        });
        tell(0.3 + 0.6 * f64::from(round + 1) / f64::from(budget.rounds.max(1)));
    }
    if budget.rounds.max(1).is_multiple_of(2) {
        lanes.reverse();
    }

    roof = roof.max(read_bytes_per_s(work.direct_bytes(), ROOF_TIME));
    let mut sweep = Sweep::new();
    let mut rows = Vec::new();
    for mut lane in lanes {
        let times = (lane.step_ns, COLD_SHARE * slice_ns);
        let start = cold_start(
            work,
            lane.peer.as_mut(),
            &mut sweep,
            times,
            instruments.clock_ns,
        );
        match start {
            Ok(cold) => rows.push(lane.row(work, roof, cold)),
            Err(refusal) => skipped.push(skip(&lane, work, &refusal)),
        }
    }
    compare(&mut rows);
    tell(1.0);
    Measurement {
        rows,
        skipped,
        clock_ns: instruments.clock_ns,
        direct_bytes: work.direct_bytes(),
        roof_bytes_per_s: roof,
    }
}

/// Runs something on every lane; a lane that fails leaves.
fn retain(
    lanes: &mut Vec<Lane>,
    work: &Workload,
    skipped: &mut Vec<Skipped>,
    mut run: impl FnMut(&mut Lane) -> Result<(), PeerRefusal>,
) {
    lanes.retain_mut(|lane| match run(lane) {
        Ok(()) => true,
        Err(refusal) => {
            skipped.push(skip(lane, work, &refusal));
            false
        }
    });
}

fn skip(lane: &Lane, work: &Workload, refusal: &PeerRefusal) -> Skipped {
    Skipped::new(&lane.peer.label().route, work.elem.name(), refusal)
}

/// Gives every row its ratio to the fastest OpenBLAS gemv of one thread.
fn compare(rows: &mut [Row]) {
    let gemv = rows
        .iter()
        .filter(|row| row.route == "openblas_gemv" && row.threads == 1)
        .map(|row| row.ns.median)
        .min_by(f64::total_cmp);
    for row in rows {
        row.ratio_to_openblas_gemv = gemv.map(|gemv| gemv / row.ns.median);
    }
}
