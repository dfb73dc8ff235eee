//! A level of products of spectra.
//!
//! ```text
//!   sliding   [ x of 2B steps ] -FFT-> slot -+   partition i: lags first + iB ..
//!   relaxed   [ x of B | zeros ] -FFT-> slot -+-> sums[q][bin] -inverse FFT-> second half = B outputs
//! ```
//!
//! Every period adds one spectrum an input to a ring of slots; partition `i` meets the spectrum `i` blocks
//! back. Partitions of zeros are left out. A relaxed level that is not the last lets only the blocks of the
//! current block of the level above act, and has nothing to do in the first of them.
//!
//! Cost of a period: np forward and nq backward transforms, and 4 np nq B multiply-adds for each partition.

use std::ops::Range;

use tdse_bundle::AlignedBuffer;
use tdse_compiler::{MacKernel, spectral_lanes, spectral_schedule};
use tdse_templates::{SpectralLayout, SpectralSchedule, SpectralShape, spectral_mac};

use crate::code::Code;
use crate::history::PortHistory;
use crate::level_state::LevelState;
use crate::taps::Taps;
use crate::task::{Grain, LONGEST_SUM, Task, transform_cost};
use crate::transform::{Places, RealTransform, Workspace, round_trip_gain};
use crate::{LookaheadError, Sample};

/// What a level's partitions are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tiling {
    /// Partitions of `B` lags from the first of the range to its end.
    Sliding(Range<usize>),
    /// Segments of `2B` lags, cut to the range, over all older blocks or those of the current block of
    /// `blocks` blocks.
    Relaxed {
        /// Lags that count.
        lags: Range<usize>,
        /// Blocks in a block of the level above; `None` on the last level.
        blocks: Option<usize>,
    },
}

impl Tiling {
    /// Lags of partition `i` and the lag of its first sample.
    fn partition(&self, i: usize, block: usize) -> (usize, Range<usize>) {
        match self {
            Tiling::Sliding(lags) => {
                let first = lags.start + i * block;
                (first, first..(first + block).min(lags.end))
            }
            Tiling::Relaxed { lags, .. } => {
                let first = i * block;
                (
                    first,
                    first.max(lags.start)..(first + 2 * block).min(lags.end),
                )
            }
        }
    }

    /// Partitions, those of zeros included.
    fn partitions(&self, block: usize) -> usize {
        match self {
            Tiling::Sliding(lags) => lags.len().div_ceil(block),
            // Segment i reaches outputs from lag i B + 1 on.
            Tiling::Relaxed { lags, blocks } => {
                let all = lags.end.saturating_sub(1).div_ceil(block);
                blocks.map_or(all, |blocks| all.min(blocks.saturating_sub(1)))
            }
        }
    }

    /// Samples of the past that a transform takes.
    fn samples(&self, block: usize) -> usize {
        match self {
            Tiling::Sliding(_) => 2 * block,
            Tiling::Relaxed { .. } => block,
        }
    }

    /// How many blocks back inputs act on the block that begins as block `number`.
    fn reach(&self, number: u64) -> usize {
        match self {
            Tiling::Relaxed {
                blocks: Some(blocks),
                ..
            } => (number % *blocks as u64) as usize,
            _ => usize::MAX,
        }
    }
}

/// A partition that has taps.
struct Partition {
    /// Blocks between the newest spectrum and the one it meets.
    back: usize,
    /// Where its packed spectra start.
    at: usize,
    /// Whether its products end a partial sum.
    ends_sum: bool,
}

/// Code, spectra and tasks of a level.
pub(crate) struct SpectralLevel<T: Sample> {
    np: usize,
    nq: usize,
    block: usize,
    tiling: Tiling,
    transform: RealTransform<T>,
    bins: Bins<T>,
    partitions: Vec<Partition>,
    /// Where partial sums lie beside the sums; 0 where there is one sum only.
    partial: usize,
    h: AlignedBuffer<T>,
    slots: usize,
    tasks: Vec<Task>,
    costs: Vec<f64>,
}

impl<T: Sample> SpectralLevel<T> {
    /// Compiles the kernels and transforms the taps; `None` when all taps of the level are zero.
    pub(crate) fn build(
        taps: &Taps<'_>,
        block: usize,
        tiling: Tiling,
        grain: Grain,
        code: &Code,
    ) -> Result<Option<Self>, LookaheadError> {
        let (np, nq) = (taps.np(), taps.nq());
        let backs: Vec<usize> = (0..tiling.partitions(block))
            .filter(|&i| taps.sounding(tiling.partition(i, block).1).is_some())
            .collect();
        let Some(&last) = backs.last() else {
            return Ok(None);
        };
        let multiply = 4.0 * (np * nq * block) as f64;
        let transforms = (np + nq) as f64 * transform_cost(block);
        let total = multiply * backs.len() as f64 + transforms;
        let bins = Bins::build(np, nq, block, grain, total, code)?;

        let transform = RealTransform::new(block, code.transform)?;
        let mut h = AlignedBuffer::new(backs.len() * bins.partition_len);
        let mut partitions = Vec::with_capacity(backs.len());
        let spectra = RealTransform::<f64>::new(block, code.transform)?;
        for (index, &back) in backs.iter().enumerate() {
            let at = index * bins.partition_len;
            let packed = &mut h[at..at + bins.partition_len];
            let (first, lags) = tiling.partition(back, block);
            pack_partition(taps, first, lags, &spectra, &bins, packed);
            let in_sum = (LONGEST_SUM / np).max(1);
            let ends_sum = (index + 1).is_multiple_of(in_sum) || index + 1 == backs.len();
            partitions.push(Partition { back, at, ends_sum });
        }

        let long = backs.len() * np > LONGEST_SUM && backs.len() > 1;
        let partial = if long { nq * bins.row_stride } else { 0 };
        let mut tasks = Vec::new();
        let mut costs = Vec::new();
        let mut add = |task: Task, cost: f64| {
            tasks.push(task);
            costs.push(cost);
        };
        let each = transform_cost(block);
        for ports in chunks(np, grain.units(np, each, total, block)) {
            add(Task::Forward(ports.clone()), ports.len() as f64 * each);
        }
        for partition in 0..partitions.len() {
            for slice in 0..bins.slices {
                let cost = multiply / bins.slices as f64;
                add(Task::Multiply { partition, slice }, cost);
            }
        }
        for rows in chunks(nq, grain.units(nq, each, total, block)) {
            add(Task::Backward(rows.clone()), rows.len() as f64 * each);
        }
        Ok(Some(SpectralLevel {
            np,
            nq,
            block,
            tiling,
            transform,
            bins,
            partitions,
            partial,
            h,
            slots: last + 1,
            tasks,
            costs,
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

    /// Complex numbers of scratch that the transforms need.
    pub(crate) fn scratch_len(&self) -> usize {
        self.transform.scratch_len()
    }

    /// An empty state.
    pub(crate) fn state(&self) -> LevelState<T> {
        let spectra = self.slots * self.bins.slot_len;
        let sums = self.nq * self.bins.row_stride + self.partial;
        LevelState::new(spectra, sums, self.nq * self.block)
    }

    /// Begins the period in which block `number` begins.
    pub(crate) fn begin(&self, state: &mut LevelState<T>, number: u64) {
        state.reach = self.tiling.reach(number);
        state.number = number;
        state.next = if state.reach == 0 {
            self.tasks.len()
        } else {
            0
        };
        state.sums.fill(T::default());
    }

    /// Runs the next task.
    pub(crate) fn run(
        &self,
        state: &mut LevelState<T>,
        history: &PortHistory<T>,
        work: &mut Workspace<T>,
    ) -> Result<(), LookaheadError> {
        // The newest complete block is the one before; a period never begins before block 1.
        let newest = state.number.saturating_sub(1);
        let slots = self.slots as u64;
        let slot = |back: usize| {
            let ring = newest % slots + slots - back as u64;
            (ring % slots) as usize * self.bins.slot_len
        };
        match self.tasks.get(state.next) {
            Some(Task::Forward(ports)) => {
                let slot = slot(0);
                let len = self.tiling.samples(self.block);
                let from = (state.number * self.block as u64) as i64 - len as i64;
                let lanes = self.bins.lanes;
                let places = Places {
                    lanes,
                    group: self.np * 2 * lanes,
                    port: 2 * lanes,
                };
                let samples = |port| history.window(port, from, len);
                let spectra = &mut state.spectra[slot..];
                self.transform
                    .forward(ports.clone(), samples, work, spectra, places);
            }
            Some(&Task::Multiply { partition, slice }) => {
                let partition = &self.partitions[partition];
                if partition.back < state.reach {
                    let slot = slot(partition.back);
                    let h = &self.h[partition.at..partition.at + self.bins.partition_len];
                    let x = &state.spectra[slot..slot + self.bins.slot_len];
                    let sums = &mut state.sums[self.partial..];
                    self.bins.multiply(slice, h, x, sums)?;
                }
                if self.partial > 0 && partition.ends_sum {
                    let (sums, partial) = state.sums.split_at_mut(self.partial);
                    self.bins.end_sum(slice, sums, partial);
                }
            }
            Some(Task::Backward(rows)) => {
                let next = state.next_out();
                let sums = &state.sums;
                let spectrum = |row: usize| {
                    let sums = &sums[row * self.bins.row_stride..];
                    sums.split_at(self.bins.row_im)
                };
                let out = &mut state.out[next..];
                self.transform.backward(rows.clone(), spectrum, work, out);
            }
            Some(Task::Lags(_)) | None => {}
        }
        state.next += 1;
        Ok(())
    }

    /// Bytes of spectra and code.
    pub(crate) fn bytes(&self) -> usize {
        let code = self.bins.kernel.code().facts();
        size_of_val::<[T]>(&self.h) + code.map_or(0, |facts| facts.bytes)
    }

    /// The kernel, for its digest.
    pub(crate) fn kernel(&self) -> &MacKernel<T> {
        &self.bins.kernel
    }
}

/// How the bins of a level lie in memory, and the kernel that multiplies them.
struct Bins<T: Sample> {
    lanes: usize,
    slices: usize,
    schedule: SpectralSchedule,
    kernel: MacKernel<T>,
    shape: SpectralShape,
    /// Packed taps of a slice, to whole cache lines.
    slice_len: usize,
    partition_len: usize,
    slot_len: usize,
    row_im: usize,
    row_stride: usize,
}

impl<T: Sample> Bins<T> {
    fn build(
        np: usize,
        nq: usize,
        block: usize,
        grain: Grain,
        total: f64,
        code: &Code,
    ) -> Result<Self, LookaheadError> {
        let (tier, level) = (code.maker.tier(), code.maker.level());
        let lanes = usize::from(spectral_lanes(tier, level, T::ELEM, block, nq));
        let groups = block.div_ceil(lanes);
        let each = 4.0 * (np * nq * lanes) as f64;
        let most = grain.units(groups, each, total, block);
        let in_slice = (1..=most)
            .rev()
            .find(|&n| groups.is_multiple_of(n))
            .unwrap_or(1);
        let slices = groups / in_slice;
        // A line between the halves of a row and between rows keeps them out of one cache set.
        let line = 64 / T::ELEM.bytes();
        let row_im = (groups * lanes).next_multiple_of(line) + line;
        let row_stride = 2 * row_im;
        let shape = SpectralShape {
            np,
            nq,
            groups: in_slice,
            lanes: lanes as u8,
            y_stride: row_stride,
            y_im: row_im,
            elem: T::ELEM,
        };
        let schedule = spectral_schedule(tier, level, &shape);
        let compile = |shape: &SpectralShape| {
            let kernel = spectral_mac(shape, code.contraction, schedule)
                .map_err(tdse_compiler::CompileRefusal::from)?;
            MacKernel::compile(kernel, &code.maker)
        };
        let kernel = compile(&shape)?;
        let packed = SpectralLayout::new(&shape, schedule).len();
        let slice_len = packed.next_multiple_of(line);
        Ok(Bins {
            lanes,
            slices,
            schedule,
            kernel,
            slice_len,
            partition_len: slices * slice_len,
            slot_len: groups * np * 2 * lanes,
            row_im,
            row_stride,
            shape,
        })
    }

    /// Adds one slice of a partition's products to the sums.
    fn multiply(
        &self,
        slice: usize,
        h: &[T],
        x: &[T],
        sums: &mut [T],
    ) -> Result<(), LookaheadError> {
        let groups = slice * self.shape.groups;
        let h = &h[slice * self.slice_len..];
        let x = &x[groups * self.shape.np * 2 * self.lanes..];
        let sums = &mut sums[groups * self.lanes..];
        Ok(self.kernel.run(h, x, sums)?)
    }

    /// Adds one slice of the partial sums to the sums and begins new ones.
    fn end_sum(&self, slice: usize, sums: &mut [T], partial: &mut [T]) {
        let bins = self.shape.groups * self.lanes;
        let rows = sums.chunks_exact_mut(self.row_im);
        for (sums, partial) in rows.zip(partial.chunks_exact_mut(self.row_im)) {
            let range = slice * bins..(slice + 1) * bins;
            let partial = &mut partial[range.clone()];
            for (sum, partial) in sums[range].iter_mut().zip(partial) {
                *sum = *sum + *partial;
                *partial = T::default();
            }
        }
    }
}

/// Transforms the taps of one partition and packs their spectra.
fn pack_partition<T: Sample>(
    taps: &Taps<'_>,
    first: usize,
    lags: Range<usize>,
    transform: &RealTransform<f64>,
    bins: &Bins<T>,
    packed: &mut [T],
) {
    let block = transform.block();
    let mut work = Workspace::new(block, transform.scratch_len());
    let mut samples = vec![0.0; 2 * block];
    let mut spectrum = vec![0.0; 2 * block];
    let scale = 1.0 / round_trip_gain(block);
    let places = Places {
        lanes: 1,
        group: 2,
        port: 0,
    };
    let layout = SpectralLayout::new(&bins.shape, bins.schedule);
    for q in 0..bins.shape.nq {
        for p in 0..bins.shape.np {
            samples.fill(0.0);
            for k in lags.clone() {
                samples[k - first] = taps.at(k, q, p);
            }
            transform.forward(0..1, |_| &samples, &mut work, &mut spectrum, places);
            for (bin, pair) in spectrum.chunks_exact(2).enumerate() {
                let (group, lane) = (bin / bins.lanes, bin % bins.lanes);
                let (slice, group) = (group / bins.shape.groups, group % bins.shape.groups);
                let at = slice * bins.slice_len + lane;
                packed[at + layout.re(group, q, p)] = T::rounded(pair[0] * scale);
                packed[at + layout.im(group, q, p)] = T::rounded(pair[1] * scale);
            }
        }
    }
}

/// `0..len` in pieces of `size`.
fn chunks(len: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len)
        .step_by(size)
        .map(move |start| start..(start + size).min(len))
}
