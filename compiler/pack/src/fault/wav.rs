//! Refusals about `.wav` files.

/// A `.wav` file cannot become a pack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WavFault {
    /// The first bytes are not those of a RIFF WAVE file.
    #[error("this is no .wav data: it does not begin with RIFF and WAVE")]
    NotWave,
    /// A chunk reaches past the end of the file.
    #[error("the chunk {chunk:?} claims {wanted} bytes, {found} are left; the file is cut off")]
    ChunkCutOff {
        /// The chunk's four letters.
        chunk: String,
        /// Bytes claimed.
        wanted: u64,
        /// Bytes left.
        found: u64,
    },
    /// There is no `fmt ` chunk before the data.
    #[error("the chunk \"fmt \" is missing, so the samples have no meaning")]
    MissingFormat,
    /// There is no `data` chunk.
    #[error("the chunk \"data\" is missing: the file holds no samples")]
    MissingData,
    /// A chunk that may stand once stands twice.
    #[error("the chunk {chunk:?} stands twice; which one counts is not defined")]
    DuplicateChunk {
        /// The chunk's four letters.
        chunk: String,
    },
    /// The format is not one that this program reads.
    #[error(
        "the sample format cannot be read: {reason}; wanted is PCM of 8, 16, 24 or 32 bits or 32-bit float"
    )]
    BadFormat {
        /// What the reader said.
        reason: String,
    },
    /// The `data` chunk holds no sample.
    #[error("the file holds no sample; at least one is needed for each channel")]
    NoSamples,
    /// A sample cannot be decoded.
    #[error("sample {index} cannot be read: {reason}")]
    BadSample {
        /// Index over all channels.
        index: usize,
        /// What the reader said.
        reason: String,
    },
    /// The channels cannot be grouped by the inputs asked for.
    #[error(
        "{channels} channels cannot be split among {inputs} inputs; the number of inputs must divide the number of channels"
    )]
    BadGrouping {
        /// Channels in the file.
        channels: usize,
        /// Inputs asked for.
        inputs: usize,
    },
    /// The sample rate is 0.
    #[error("the sample rate is 0 Hz; it gives the time step and must be positive")]
    NoRate,
}

codes!(WavFault {
    NotWave => 5001 "not_wave",
    ChunkCutOff => 5002 "wav_chunk_cut_off",
    MissingFormat => 5003 "wav_missing_format",
    MissingData => 5004 "wav_missing_data",
    DuplicateChunk => 5005 "wav_duplicate_chunk",
    BadFormat => 5006 "wav_bad_format",
    NoSamples => 5007 "wav_no_samples",
    BadSample => 5008 "wav_bad_sample",
    BadGrouping => 5009 "wav_bad_grouping",
    NoRate => 5010 "wav_no_rate",
});
