//! A level of either domain, behind one set of calls.

use tdse_compiler::MacKernel;

use crate::history::PortHistory;
use crate::level_state::LevelState;
use crate::spectral_level::SpectralLevel;
use crate::time_level::TimeLevel;
use crate::transform::Workspace;
use crate::{LookaheadError, Sample};

/// A level ready to run.
pub(crate) enum LevelEngine<T: Sample> {
    /// Sums over lags.
    Time(Box<TimeLevel<T>>),
    /// Products of spectra.
    Spectrum(Box<SpectralLevel<T>>),
}

impl<T: Sample> LevelEngine<T> {
    /// Steps in a block.
    pub(crate) fn block(&self) -> usize {
        match self {
            LevelEngine::Time(level) => level.block(),
            LevelEngine::Spectrum(level) => level.block(),
        }
    }

    /// The relative cost of each task of a period.
    pub(crate) fn costs(&self) -> &[f64] {
        match self {
            LevelEngine::Time(level) => level.costs(),
            LevelEngine::Spectrum(level) => level.costs(),
        }
    }

    /// An empty state.
    pub(crate) fn state(&self) -> LevelState<T> {
        match self {
            LevelEngine::Time(level) => level.state(),
            LevelEngine::Spectrum(level) => level.state(),
        }
    }

    /// Begins the period in which block `number` begins.
    pub(crate) fn begin(&self, state: &mut LevelState<T>, number: u64) {
        match self {
            LevelEngine::Time(level) => level.begin(state, number),
            LevelEngine::Spectrum(level) => level.begin(state, number),
        }
    }

    /// Runs tasks until `until` of the period's are done, or all of them.
    pub(crate) fn run_until(
        &self,
        until: usize,
        state: &mut LevelState<T>,
        history: &PortHistory<T>,
        work: &mut Workspace<T>,
    ) -> Result<(), LookaheadError> {
        let until = until.min(self.costs().len());
        while state.next < until {
            match self {
                LevelEngine::Time(level) => level.run(state, history)?,
                LevelEngine::Spectrum(level) => level.run(state, history, work)?,
            }
        }
        Ok(())
    }

    /// Complex numbers of scratch that the transforms need.
    pub(crate) fn scratch_len(&self) -> usize {
        match self {
            LevelEngine::Time(_) => 0,
            LevelEngine::Spectrum(level) => level.scratch_len(),
        }
    }

    /// Bytes of taps, spectra and code.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            LevelEngine::Time(level) => level.bytes(),
            LevelEngine::Spectrum(level) => level.bytes(),
        }
    }

    /// The kernel, for its digest.
    pub(crate) fn kernel(&self) -> &MacKernel<T> {
        match self {
            LevelEngine::Time(level) => level.kernel(),
            LevelEngine::Spectrum(level) => level.kernel(),
        }
    }
}
