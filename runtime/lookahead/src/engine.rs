//! The levels of a plan over one set of rows and ports.
//!
//! ```text
//!   commit x -> history -> at the boundaries of each level: begin, tasks, publish
//!            -> at each boundary of the smallest level: sum the levels' outputs for its block
//!   response: the row of that block for the coming step
//! ```
//!
//! Outputs of the levels are summed in one order, the largest level first, whenever the work was done, so
//! burst, spread and idle time give the same bits for the same levels.

use crate::code::Code;
use crate::history::{PortHistory, stride};
use crate::level_engine::LevelEngine;
use crate::level_state::LevelState;
use crate::plan::{Domain, Form, Plan};
use crate::silence::{Activity, Silence};
use crate::spectral_level::{SpectralLevel, Tiling};
use crate::taps::Taps;
use crate::task::Grain;
use crate::time_level::TimeLevel;
use crate::timetable::{Load, Timetable};
use crate::transform::Workspace;
use crate::{LookaheadError, Sample};

/// Code, taps and timetable of a plan's levels; shared by all models of a pack.
pub(crate) struct Engine<T: Sample> {
    np: usize,
    nq: usize,
    /// Steps in a block of the smallest level.
    block: usize,
    levels: Vec<LevelEngine<T>>,
    timetable: Option<Timetable>,
    silence: Silence,
    samples: usize,
}

/// What a model keeps of its levels.
#[derive(Clone)]
pub(crate) struct EngineState<T: Sample> {
    /// Vectors committed, and so the time of the coming step.
    time: u64,
    /// Steps since the last boundary of the smallest level.
    in_block: usize,
    history: PortHistory<T>,
    levels: Vec<LevelState<T>>,
    /// What the levels give, `[step of the block][row]`.
    pending: Vec<T>,
    activity: Activity,
    work: Workspace<T>,
}

/// Samples of history that the levels of a plan read, from the coming step back.
///
/// A spectral level takes two blocks and may be a block late in spread form. A level in the time domain takes
/// its lags, padded at most to twice their number, and may be two blocks ahead or late.
fn samples(plan: &Plan, nh: usize) -> usize {
    let lags = |i: usize| {
        let end = plan
            .levels
            .get(i + 1)
            .map_or(nh, |next| plan.lead() * next.block as usize);
        end.min(nh)
    };
    let levels = plan.levels.iter().enumerate();
    let reach = levels.map(|(i, level)| {
        let block = level.block as usize;
        match level.domain {
            Domain::Spectrum => 3 * block,
            Domain::Time => 2 * lags(i) + 2 * block,
        }
    });
    reach.max().unwrap_or(0)
}

impl<T: Sample> Engine<T> {
    /// Builds every level that has taps.
    pub(crate) fn build(taps: &Taps<'_>, plan: &Plan, code: &Code) -> Result<Self, LookaheadError> {
        let (np, nq, nh) = (taps.np(), taps.nq(), taps.nh());
        let lead = plan.lead();
        let samples = samples(plan, nh);
        let grain = match plan.form {
            Form::Burst => Grain::Whole,
            Form::Spread => Grain::Step,
        };
        let mut levels = Vec::new();
        let near = plan.near_end().min(nh);
        for (i, level) in plan.levels.iter().enumerate() {
            let block = level.block as usize;
            let next = plan.levels.get(i + 1);
            let end = next.map_or(nh, |next| lead * next.block as usize).min(nh);
            let lags = lead * block..end;
            let built = match level.domain {
                Domain::Time => {
                    let x_stride = stride::<T>(samples);
                    TimeLevel::build(taps, block, lags, lead, x_stride, grain, code)?
                        .map(|level| LevelEngine::Time(Box::new(level)))
                }
                Domain::Spectrum => {
                    let tiling = if plan.relaxed() {
                        Tiling::Relaxed {
                            lags: near..nh,
                            blocks: next.map(|next| next.block as usize / block),
                        }
                    } else {
                        Tiling::Sliding(lags)
                    };
                    SpectralLevel::build(taps, block, tiling, grain, code)?
                        .map(|level| LevelEngine::Spectrum(Box::new(level)))
                }
            };
            levels.extend(built);
        }
        let timetable = (plan.form == Form::Spread).then(|| {
            let load = |level: &LevelEngine<T>| (level.block(), level.costs().to_vec());
            let loads: Vec<_> = levels.iter().map(load).collect();
            let loads: Vec<_> = loads
                .iter()
                .map(|(block, costs)| Load {
                    block: *block,
                    costs,
                })
                .collect();
            Timetable::new(&loads)
        });
        Ok(Engine {
            np,
            nq,
            block: plan.block(0),
            timetable,
            silence: Silence::new(taps, (plan.head_taps() + 1).min(nh)..nh),
            samples,
            levels,
        })
    }

    /// A state in which nothing has been committed and the coming step is at `time`.
    pub(crate) fn state(&self, time: u64) -> EngineState<T> {
        let scratch = self.levels.iter().map(LevelEngine::scratch_len).max();
        let largest = self.levels.iter().map(LevelEngine::block).max();
        EngineState {
            time,
            in_block: (time % self.block as u64) as usize,
            history: PortHistory::new(self.np, self.samples),
            levels: self.levels.iter().map(LevelEngine::state).collect(),
            pending: vec![T::default(); self.block * self.nq],
            activity: self.silence.activity(),
            work: Workspace::new(largest.unwrap_or(0), scratch.unwrap_or(0)),
        }
    }

    /// Bytes of taps, spectra, code and timetable.
    pub(crate) fn bytes(&self) -> usize {
        let levels: usize = self.levels.iter().map(LevelEngine::bytes).sum();
        levels + self.timetable.as_ref().map_or(0, Timetable::bytes)
    }

    /// The levels that have taps.
    pub(crate) fn levels(&self) -> &[LevelEngine<T>] {
        &self.levels
    }

    /// Accepts the vector of the coming step.
    pub(crate) fn commit(&self, state: &mut EngineState<T>, x: &[T]) -> Result<(), LookaheadError> {
        state.history.push(state.time, x);
        self.silence.note(&mut state.activity, state.time, x);
        state.time += 1;
        state.in_block += 1;
        if state.in_block == self.block {
            state.in_block = 0;
            self.boundary(state)?;
        }
        if let Some(timetable) = &self.timetable {
            let row = timetable.row(state.time);
            for ((level, own), &until) in self.levels.iter().zip(&mut state.levels).zip(row) {
                level.run_until(until as usize, own, &state.history, &mut state.work)?;
            }
        }
        let pending = &mut state.pending[state.in_block * self.nq..][..self.nq];
        self.silence.apply(&state.activity, state.time, pending);
        Ok(())
    }

    /// What the levels contribute to the coming step.
    pub(crate) fn response<'a>(&self, state: &'a EngineState<T>) -> &'a [T] {
        &state.pending[state.in_block * self.nq..][..self.nq]
    }

    /// Runs the most urgent task that is left of a spread plan; false when none is.
    pub(crate) fn idle(&self, state: &mut EngineState<T>) -> Result<bool, LookaheadError> {
        for (level, own) in self.levels.iter().zip(&mut state.levels) {
            if own.next < level.costs().len() {
                let until = own.next + 1;
                level.run_until(until, own, &state.history, &mut state.work)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends and begins the periods that meet at the coming step, and sums its block's outputs.
    fn boundary(&self, state: &mut EngineState<T>) -> Result<(), LookaheadError> {
        for (level, own) in self.levels.iter().zip(&mut state.levels).rev() {
            let block = level.block() as u64;
            if !state.time.is_multiple_of(block) {
                continue;
            }
            if self.timetable.is_none() {
                level.begin(own, state.time / block);
            }
            level.run_until(usize::MAX, own, &state.history, &mut state.work)?;
            own.publish();
            if self.timetable.is_some() {
                level.begin(own, state.time / block);
            }
        }
        self.gather(state);
        Ok(())
    }

    /// Sums the levels' outputs for the block that begins at the coming step.
    ///
    /// A level whose block begins now adds, once for its whole block, what the larger levels have summed; so a
    /// boundary of the smallest level adds two rows and turns them, however many levels there are.
    fn gather(&self, state: &mut EngineState<T>) {
        let time = state.time;
        let mut larger: Option<(&[T], usize)> = None;
        for (level, own) in self.levels.iter().zip(&mut state.levels).rev() {
            let block = level.block();
            if time.is_multiple_of(block as u64) {
                own.sum(larger, block, time);
            }
            larger = own.summed().map(|sums| (sums, block)).or(larger);
        }
        let Some((sums, block)) = larger else {
            state.pending.fill(T::default());
            return;
        };
        let offset = (time % block as u64) as usize;
        for (row, steps) in sums.chunks_exact(block).enumerate() {
            let places = state.pending[row..].iter_mut().step_by(self.nq);
            for (place, &value) in places.zip(&steps[offset..offset + self.block]) {
                *place = value;
            }
        }
    }
}

impl<T: Sample> EngineState<T> {
    /// Back to nothing committed, the coming step at 0.
    pub(crate) fn clear(&mut self) {
        self.time = 0;
        self.in_block = 0;
        self.history.clear();
        self.levels.iter_mut().for_each(LevelState::clear);
        self.pending.fill(T::default());
        self.activity.clear();
    }

    /// Bytes of history, spectra, outputs and scratch.
    pub(crate) fn bytes(&self) -> usize {
        let levels: usize = self.levels.iter().map(LevelState::bytes).sum();
        let pending = size_of_val(self.pending.as_slice());
        let rest = self.activity.bytes() + self.work.bytes();
        self.history.bytes() + levels + pending + rest
    }
}
