//! Of several forms of one peer, the one that is fastest here.
//!
//! A rival gets its best form: block sizes and matrix orders are tried in turns, one period of steps at
//! a time, and the least median of the times wins.

use std::time::{Duration, Instant};

use crate::{Peer, PeerRefusal, Workload};

/// Time for all forms of a peer; slow ones get three turns whatever they take.
const TIME: Duration = Duration::from_millis(150);
/// Turns after which more would not tell more.
const MOST_TURNS: usize = 400;
/// Steps of a turn at least, so that reading the clock does not count.
const STEPS: usize = 32;

/// The fastest of `forms`. Refused when there is none, or one fails.
pub(super) fn quickest(
    work: &Workload,
    mut forms: Vec<Box<dyn Peer>>,
) -> Result<Box<dyn Peer>, PeerRefusal> {
    let mut times: Vec<Vec<u128>> = vec![Vec::new(); forms.len()];
    let mut hr = vec![0.0; work.nq()];
    let start = Instant::now();
    let mut turn = 0;
    while forms.len() > 1 && turn < MOST_TURNS && (turn < 4 || start.elapsed() < TIME) {
        for (form, times) in forms.iter_mut().zip(&mut times) {
            let steps = turn_steps(form.as_ref());
            form.enter()?;
            let begin = Instant::now();
            for step in 0..steps {
                form.step(work.input(step % work.timed_steps), &mut hr)?;
            }
            // The first turn warms caches.
            if turn > 0 {
                times.push(begin.elapsed().as_nanos() / steps as u128);
            }
            form.leave();
        }
        turn += 1;
    }
    let medians = times.iter_mut().map(|times| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or(0)
    });
    let best = medians.enumerate().min_by_key(|&(_, median)| median);
    let (best, _) = best.ok_or_else(|| PeerRefusal::Unsuited {
        peer: "the peer",
        reason: "no form of it fits the pack".into(),
    })?;
    let mut form = forms.swap_remove(best);
    form.reset()?;
    Ok(form)
}

/// A slow product is one step; its period is 1.
fn turn_steps(form: &dyn Peer) -> usize {
    let period = form.period();
    if form.bytes() > 1 << 20 {
        return period;
    }
    STEPS.div_ceil(period) * period
}
