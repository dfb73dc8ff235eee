//! The plans worth estimating.
//!
//! Blocks are powers of two, each 2, 4, 8 or 16 times the one before. A plan is a *tail* of spectral levels
//! behind a short *front* of levels in the time domain:
//!
//! ```text
//!   front: none, t a, or t a, t b        tail: f c, f d, ... f z
//!   c / b and b / a at most 16           ratios rise, or fall, along the tail; z >= nh / 128
//! ```
//!
//! The best ratio changes slowly with the block, so ratios that go up and down are not listed. Burst
//! and spread form of the same levels are two plans. With [`Objective::Deadline`] only spread forms
//! are listed. A tail of one level is `uniform_fft`; the two other spectral routes have it only where
//! they are asked for by name. The list has at most [`MAX_PLANS`] plans, in a fixed order.

use super::{Envelope, Objective, PlanShape};
use crate::{Domain, Form, Level, LookaheadRoute, MAX_BLOCK, MAX_LEVELS, Plan};

/// The most plans that are listed.
pub const MAX_PLANS: usize = 20_000;
/// Ratios of a block to the one before, as powers of two.
const RATIOS: std::ops::RangeInclusive<u32> = 1..=4;
/// The largest block of a level in the time domain: beyond it H is read so seldom that transforms win.
const MOST_TIME: u32 = 256;
/// The largest block that a tail of several levels starts with.
const MOST_FIRST: u32 = 1024;
/// The most partitions of a tail's last level.
const MOST_PARTITIONS: usize = 128;

/// All sensible plans of the routes allowed, for a system of some shape.
///
/// `envelope` is given where the componentwise gate is on: spectral levels whose windows range too far are
/// then left out. Empty where no plan has anything to do, as with two taps.
pub fn enumerate(
    shape: &PlanShape,
    objective: Objective,
    route: Option<LookaheadRoute>,
    envelope: Option<&Envelope>,
) -> Vec<Plan> {
    let routes = LookaheadRoute::ALL.into_iter();
    let mut plans = Vec::new();
    for allowed in routes.filter(|r| route.is_none_or(|only| only == *r)) {
        let by_name = route.is_some();
        let tails = tails_of(allowed, shape.nh, by_name);
        for form in [Form::Burst, Form::Spread] {
            if objective == Objective::Deadline && form == Form::Burst {
                continue;
            }
            for levels in &tails {
                let plan = Plan {
                    route: allowed,
                    form,
                    levels: levels.clone(),
                };
                let admitted = || envelope.is_none_or(|e| e.admits(&plan, shape.elem));
                if plan.check_for(shape.nh).is_ok() && admitted() {
                    plans.push(plan);
                }
            }
        }
    }
    plans.truncate(MAX_PLANS);
    plans
}

/// Levels of every plan of a route, fronts included.
fn tails_of(route: LookaheadRoute, nh: usize, by_name: bool) -> Vec<Vec<Level>> {
    if route == LookaheadRoute::TemporalBlock {
        return time_levels(MOST_TIME);
    }
    let tails: Vec<Vec<u32>> = match route {
        LookaheadRoute::UniformFft => blocks(4, MAX_BLOCK).map(|block| vec![block]).collect(),
        _ => {
            let fewest = if by_name { 1 } else { 2 };
            let mut tails = rising_tails(nh);
            tails.retain(|tail| tail.len() >= fewest);
            tails
        }
    };
    let mut all = Vec::new();
    for tail in tails {
        for mut levels in fronts(tail[0]) {
            levels.extend(tail.iter().map(|&block| level(block, Domain::Spectrum)));
            if levels.len() <= MAX_LEVELS {
                all.push(levels);
            }
        }
    }
    all
}

/// Levels in the time domain alone: one, two or three.
fn time_levels(most: u32) -> Vec<Vec<Level>> {
    let mut all = Vec::new();
    for first in blocks(2, most) {
        all.push(vec![first]);
        for second in RATIOS.map(|r| first << r).filter(|&b| b <= most) {
            all.push(vec![first, second]);
            for third in RATIOS.map(|r| second << r).filter(|&b| b <= most) {
                all.push(vec![first, second, third]);
            }
        }
    }
    let levels = |blocks: Vec<u32>| blocks.into_iter().map(|b| level(b, Domain::Time)).collect();
    all.into_iter().map(levels).collect()
}

/// What may stand before a tail that starts with `block`: nothing, one level, two of them.
fn fronts(block: u32) -> Vec<Vec<Level>> {
    let below = |above: u32| {
        RATIOS
            .map(move |r| above >> r)
            .filter(|&b| (2..=MOST_TIME).contains(&b))
    };
    let mut all = vec![Vec::new()];
    for near in below(block) {
        all.push(vec![level(near, Domain::Time)]);
        // Two levels in the time domain pay where one is far below the tail.
        for far in below(near).filter(|&far| near / far >= 4 && block / near == 4) {
            all.push(vec![level(far, Domain::Time), level(near, Domain::Time)]);
        }
    }
    all
}

/// Tails whose ratios rise, or fall, from any first block to one that suits the length.
fn rising_tails(nh: usize) -> Vec<Vec<u32>> {
    let least_last = (nh / MOST_PARTITIONS).min(MAX_BLOCK as usize);
    let mut all = Vec::new();
    for first in blocks(4, MOST_FIRST) {
        for rising in [true, false] {
            let mut found = Vec::new();
            grow(&mut vec![first], rising, nh, &mut found);
            found.retain(|tail| {
                let long_enough = tail.last().is_some_and(|&b| b as usize >= least_last);
                // Equal ratios rise and fall; they are listed once.
                long_enough && (rising || ratios(tail).any(|(a, b)| a > b))
            });
            all.append(&mut found);
        }
    }
    all
}

fn grow(tail: &mut Vec<u32>, rising: bool, nh: usize, found: &mut Vec<Vec<u32>>) {
    found.push(tail.clone());
    let &[.., last] = tail.as_slice() else { return };
    let before = tail.iter().rev().nth(1).map(|before| last / before);
    for ratio in RATIOS.map(|r| 1 << r) {
        let in_order = before.is_none_or(|b| if rising { ratio >= b } else { ratio <= b });
        let next = last * ratio;
        // A relaxed level has work from half its block on, no other sooner.
        let has_work = next <= MAX_BLOCK && (next as usize) / 2 < nh;
        if in_order && has_work && tail.len() < MAX_LEVELS {
            tail.push(next);
            grow(tail, rising, nh, found);
            tail.pop();
        }
    }
}

/// Neighbouring ratios of a tail.
fn ratios(tail: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    tail.windows(3).map(|w| (w[1] / w[0], w[2] / w[1]))
}

fn blocks(first: u32, most: u32) -> impl Iterator<Item = u32> {
    (0..17)
        .map(|s| 1 << s)
        .filter(move |b| (first..=most).contains(b))
}

fn level(block: u32, domain: Domain) -> Level {
    Level { block, domain }
}
