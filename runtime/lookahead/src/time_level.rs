//! A level of sums over lags, `B` steps at once.
//!
//! At a block boundary the outputs of a whole block are summed in one pass over the level's taps: `H` is
//! read once for `B` steps. Lags are cut into slices, the oldest first, each with sums of its own that are then
//! added to the outputs: a spread plan sums a slice a commit, and no sum is so long that its rounding shows.
//!
//! Cost of a period: np nq B multiply-adds for each lag.

use std::ops::Range;

use tdse_bundle::AlignedBuffer;
use tdse_compiler::{CompileRefusal, MacKernel, block_schedule};
use tdse_templates::{BlockLayout, BlockShape, temporal_block};

use crate::code::Code;
use crate::history::PortHistory;
use crate::level_state::LevelState;
use crate::taps::Taps;
use crate::task::{Grain, LONGEST_SUM, Task};
use crate::{LookaheadError, Sample};

/// Code, packed taps and tasks of a level.
pub(crate) struct TimeLevel<T: Sample> {
    block: usize,
    nq: usize,
    /// Blocks from the newest input to the outputs, less one, in steps.
    ahead: usize,
    /// One past the oldest lag, padding included.
    end: usize,
    slice: usize,
    kernel: MacKernel<T>,
    h: AlignedBuffer<T>,
    slice_len: usize,
    tasks: Vec<Task>,
    costs: Vec<f64>,
}

impl<T: Sample> TimeLevel<T> {
    /// Compiles the kernel and packs the taps of `lags`; `None` when all are zero. `lead` is the plan's,
    /// `x_stride` that of the history.
    pub(crate) fn build(
        taps: &Taps<'_>,
        block: usize,
        lags: Range<usize>,
        lead: usize,
        x_stride: usize,
        grain: Grain,
        code: &Code,
    ) -> Result<Option<Self>, LookaheadError> {
        let Some((first, last)) = taps.sounding(lags) else {
            return Ok(None);
        };
        let (np, nq) = (taps.np(), taps.nq());
        let count = last + 1 - first;
        let each = (np * nq * block) as f64;
        let slice = grain.units(count, each, each * count as f64, block);
        let slice = slice.min((LONGEST_SUM / np).max(1));
        let slices = count.div_ceil(slice);
        let shape = BlockShape {
            np,
            nq,
            lags: slice,
            block,
            x_stride,
            y_stride: block,
            elem: T::ELEM,
        };
        let schedule = block_schedule(code.maker.tier(), code.maker.level(), &shape);
        let kernel =
            temporal_block(&shape, code.contraction, schedule).map_err(CompileRefusal::from)?;
        let kernel = MacKernel::compile(kernel, &code.maker)?;
        let layout = BlockLayout::new(&shape, schedule);
        let slice_len = layout.len().next_multiple_of(64 / T::ELEM.bytes());
        let end = first + slices * slice;
        let mut h = AlignedBuffer::new(slices * slice_len);
        for k in first..=last {
            let age = end - 1 - k;
            let at = age / slice * slice_len;
            for q in 0..nq {
                for p in 0..np {
                    h[at + layout.index(q, age % slice, p)] = T::rounded(taps.at(k, q, p));
                }
            }
        }
        Ok(Some(TimeLevel {
            block,
            nq,
            ahead: (lead - 1) * block,
            end,
            slice,
            kernel,
            h,
            slice_len,
            tasks: (0..slices).map(Task::Lags).collect(),
            costs: vec![each * slice as f64; slices],
        }))
    }

    /// Steps in a block.
    pub(crate) fn block(&self) -> usize {
        self.block
    }

    /// The relative cost of each task.
    pub(crate) fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// An empty state.
    pub(crate) fn state(&self) -> LevelState<T> {
        LevelState::new(0, self.nq * self.block, self.nq * self.block)
    }

    /// Begins the period in which block `number` begins.
    pub(crate) fn begin(&self, state: &mut LevelState<T>, number: u64) {
        state.number = number;
        state.reach = usize::MAX;
        state.next = 0;
        let next = state.next_out();
        state.out[next..next + self.nq * self.block].fill(T::default());
    }

    /// Runs the next task.
    pub(crate) fn run(
        &self,
        state: &mut LevelState<T>,
        history: &PortHistory<T>,
    ) -> Result<(), LookaheadError> {
        if let Some(&Task::Lags(slice)) = self.tasks.get(state.next) {
            // Output 0 meets its oldest lag, end - 1, at the first sample of slice 0.
            let now = (state.number * self.block as u64) as i64 + self.ahead as i64;
            let from = now + 1 - self.end as i64 + (slice * self.slice) as i64;
            let h = &self.h[slice * self.slice_len..(slice + 1) * self.slice_len];
            let next = state.next_out();
            state.sums.fill(T::default());
            self.kernel.run(h, history.lines(from), &mut state.sums)?;
            let out = &mut state.out[next..next + self.nq * self.block];
            for (out, &sum) in out.iter_mut().zip(state.sums.iter()) {
                *out = *out + sum;
            }
        }
        state.next += 1;
        Ok(())
    }

    /// Bytes of taps and code.
    pub(crate) fn bytes(&self) -> usize {
        let code = self.kernel.code().facts();
        self.h.len() * T::ELEM.bytes() + code.map_or(0, |facts| facts.bytes)
    }

    /// The kernel, for its digest.
    pub(crate) fn kernel(&self) -> &MacKernel<T> {
        &self.kernel
    }
}
