//! One peer in a measurement: its position in the input, its samples.

use std::time::Instant;

use crate::calibration::Calibration;
use crate::histogram::Histogram;
use crate::reference::Distance;
use crate::row::{Calm, ColdStart, Nanoseconds, Places, Row};
use crate::{Peer, PeerRefusal, Workload};

/// Steps that are checked even where they take long.
const LEAST_VERIFIED: usize = 64;
/// Single steps of a round at least.
const LEAST_SINGLE: usize = 4;
/// Share of a run before it that warms the caches.
const WARM_UP: usize = 8;

/// What a round of a lane does.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Steps in one reading of the clock.
    run: usize,
    /// Steps timed one by one.
    single: usize,
}

/// A peer that is being measured.
pub(crate) struct Lane {
    pub(crate) peer: Box<dyn Peer>,
    hr: Vec<f64>,
    at: usize,
    pub(crate) step_ns: f64,
    rel_l2: f64,
    verified_steps: usize,
    extent: Extent,
    calibration: Calibration,
    means: Vec<f64>,
    steps: u64,
    single: Histogram,
    /// Least time of a single step at each place of the plan's period.
    places: Vec<u64>,
    /// Steps since the peer's reset.
    taken: usize,
    calm: Histogram,
}

/// What all lanes share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instruments {
    /// Cost of reading the clock.
    pub(crate) clock_ns: u64,
    /// One iteration of the calibration loop.
    pub(crate) iteration_ns: f64,
}

impl Lane {
    /// Checks the peer from an empty history for at most about a third of `slice_ns`, and plans its
    /// rounds.
    pub(crate) fn new(
        work: &Workload,
        mut peer: Box<dyn Peer>,
        slice_ns: f64,
        rounds: u32,
        instruments: Instruments,
    ) -> Result<Self, PeerRefusal> {
        peer.enter()?;
        let verified = verify(work, peer.as_mut(), 0.35 * slice_ns);
        peer.leave();
        let (distance, verified_steps, step_ns) = verified?;
        let round_ns = slice_ns / f64::from(rounds.max(1));
        let whole = |ns: f64, least: usize| {
            let period = peer.period();
            let steps = (ns / step_ns).ceil().max(least as f64) as usize;
            steps.div_ceil(period) * period
        };
        let extent = Extent {
            run: whole(0.3 * round_ns, 1),
            single: whole(0.12 * round_ns, LEAST_SINGLE),
        };
        Ok(Lane {
            hr: vec![0.0; work.nq()],
            at: 0,
            step_ns,
            rel_l2: distance.relative_l2(),
            verified_steps,
            extent,
            calibration: Calibration::of(step_ns, instruments.iteration_ns),
            means: Vec::new(),
            steps: 0,
            single: Histogram::new(),
            places: vec![u64::MAX; peer.period()],
            taken: verified_steps,
            calm: Histogram::new(),
            peer,
        })
    }

    /// One round.
    pub(crate) fn round(
        &mut self,
        work: &Workload,
        instruments: Instruments,
    ) -> Result<(), PeerRefusal> {
        self.peer.enter()?;
        self.run(work, self.extent.run.div_ceil(WARM_UP))?;
        let start = Instant::now();
        self.run(work, self.extent.run)?;
        let ns = start.elapsed().as_nanos() as f64;
        self.means.push(ns / self.extent.run as f64);
        self.steps += self.extent.run as u64;
        self.singles(work, instruments.clock_ns)?;
        self.peer.leave();
        Ok(())
    }

    fn run(&mut self, work: &Workload, steps: usize) -> Result<(), PeerRefusal> {
        for _ in 0..steps {
            self.peer.step(work.input(self.at), &mut self.hr)?;
            self.advance(work);
        }
        Ok(())
    }

    fn singles(&mut self, work: &Workload, clock_ns: u64) -> Result<(), PeerRefusal> {
        for _ in 0..self.extent.single {
            let start = Instant::now();
            self.peer.step(work.input(self.at), &mut self.hr)?;
            let between = Instant::now();
            self.calibration.run();
            let end = Instant::now();
            let ns = |from: Instant, to: Instant| {
                let ns = to.duration_since(from).as_nanos() as u64;
                ns.saturating_sub(clock_ns)
            };
            let step = ns(start, between);
            self.single.add(step);
            let place = self.taken % self.places.len();
            self.places[place] = self.places[place].min(step);
            self.calm.add(ns(between, end));
            self.advance(work);
        }
        Ok(())
    }

    fn advance(&mut self, work: &Workload) {
        self.taken += 1;
        self.at += 1;
        if self.at == work.timed_steps {
            self.at = 0;
        }
    }

    /// The row, without what needs the other rows.
    pub(crate) fn row(mut self, work: &Workload, roof: f64, cold: ColdStart) -> Row {
        self.means.sort_by(f64::total_cmp);
        let median = self.means.get(self.means.len() / 2).copied().unwrap_or(0.0);
        let label = self.peer.label().clone();
        let bytes_per_s = work.direct_bytes() as f64 / median * 1e9;
        Row {
            np: work.np(),
            nq: work.nq(),
            nh: work.nh(),
            dtype: work.elem.name(),
            route: label.route,
            peer: label.peer,
            backend: label.backend,
            threads: label.threads,
            ns: Nanoseconds {
                median,
                p99: self.single.quantile(0.99),
                p999: self.single.quantile(0.999),
                max: self.single.max(),
                p50_step: self.single.quantile(0.5),
                least: self.means.first().copied().unwrap_or(0.0),
            },
            mean_ns: self.means.iter().sum::<f64>() / self.means.len().max(1) as f64,
            rel_l2: self.rel_l2,
            ratio_to_openblas_gemv: None,
            bytes_per_s,
            roof_share: bytes_per_s / roof,
            setup_ns: self.peer.setup_ns(),
            bytes: self.peer.bytes(),
            version: label.version,
            plan: label.plan,
            note: label.note,
            delay: self.peer.delay(),
            input: work.signal.name(),
            verified_steps: self.verified_steps,
            steps: self.steps,
            single_steps: self.single.total(),
            places: Places::of(self.places),
            calibration: Calm {
                median: self.calm.quantile(0.5),
                p99: self.calm.quantile(0.99),
                p999: self.calm.quantile(0.999),
                max: self.calm.max(),
            },
            cold,
        }
    }
}

/// Error of the outputs, steps looked at, time of a step.
fn verify(
    work: &Workload,
    peer: &mut dyn Peer,
    time_ns: f64,
) -> Result<(Distance, usize, f64), PeerRefusal> {
    peer.reset()?;
    let mut hr = vec![0.0; work.nq()];
    let mut distance = Distance::default();
    let mut chosen = 0;
    // Late outputs have to have come, and every kind of step once.
    let least = LEAST_VERIFIED.max(peer.period()) + peer.delay();
    let start = Instant::now();
    let mut step = 0;
    while step < work.steps() {
        peer.step(work.input(step), &mut hr)?;
        if work.reference.steps.get(chosen) == step.checked_sub(peer.delay()).as_ref() {
            distance.add(&hr, work.reference.row(chosen));
            chosen += 1;
        }
        step += 1;
        let looks = step >= least && step % LEAST_VERIFIED == 0;
        if looks && start.elapsed().as_nanos() as f64 > time_ns {
            break;
        }
    }
    let step_ns = start.elapsed().as_nanos() as f64 / step as f64;
    Ok((distance, step, step_ns.max(1.0)))
}
