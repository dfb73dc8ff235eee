//! The first steps of a history, out of cold caches.
//!
//! The peer is reset; 64 MiB of other memory are written, so that neither its taps nor its history are
//! near; then its first nh steps are timed one by one. Three times, and the medians are reported.

use std::time::Instant;

use crate::row::ColdStart;
use crate::{Peer, PeerRefusal, Workload};

/// Memory between two starts.
const SWEEP_BYTES: usize = 64 << 20;
const REPEATS: usize = 3;

/// Memory that is written to fill the caches.
pub(crate) struct Sweep(Vec<u64>);

impl Sweep {
    pub(crate) fn new() -> Self {
        Sweep(vec![1; SWEEP_BYTES / 8])
    }

    fn run(&mut self) {
        for value in &mut self.0 {
            *value = value.rotate_left(1);
        }
    }
}

/// Times starts of a peer whose steps take about `step_ns`, within about `time_ns`.
pub(crate) fn cold_start(
    work: &Workload,
    peer: &mut dyn Peer,
    sweep: &mut Sweep,
    (step_ns, time_ns): (f64, f64),
    clock_ns: u64,
) -> Result<ColdStart, PeerRefusal> {
    let affordable = (time_ns / REPEATS as f64 / step_ns.max(1.0)) as usize;
    let steps = affordable.clamp(1, work.nh());
    let mut hr = vec![0.0; work.nq()];
    let mut starts = [(0, 0, 0); REPEATS];
    for (first, sum, max) in &mut starts {
        peer.reset()?;
        sweep.run();
        peer.enter()?;
        for step in 0..steps {
            let start = Instant::now();
            peer.step(work.input(step % work.steps()), &mut hr)?;
            let ns = (start.elapsed().as_nanos() as u64).saturating_sub(clock_ns);
            if step == 0 {
                *first = ns;
            }
            *sum += ns;
            *max = ns.max(*max);
        }
        peer.leave();
    }
    let median = |of: fn(&(u64, u64, u64)) -> u64| {
        let mut values = starts.each_ref().map(of);
        values.sort_unstable();
        values[REPEATS / 2] as f64
    };
    Ok(ColdStart {
        steps,
        first_ns: median(|start| start.0),
        mean_ns: median(|start| start.1) / steps as f64,
        max_ns: median(|start| start.2),
    })
}
