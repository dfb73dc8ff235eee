//! `.wav` files: each channel is a series of taps.
//!
//! ```text
//! RIFF chunks -> "fmt " and "data" -> plain header + data -> hound -> taps [frame][channel]
//! ```
//!
//! The chunks are walked here and hound (3.5.1) decodes the samples behind a plain header, since
//! hound alone takes an odd chunk before the data without its pad byte, assumes 4 bytes in every
//! `fact` chunk, reads 24-bit samples in 32-bit containers right-aligned though the format aligns
//! them left, and refuses files whose redundant byte rate is wrong.
//!
//! Channels become outputs of one input. With [`WavOptions::inputs`] = np, channel `c` is output
//! `c % nq` of input `c / nq` (all outputs of input 0 first, as recordings of several sources
//! with the same microphones are stored).
//!
//! PCM of b bits is `value / 2^(b-1)`, 8-bit PCM is unsigned around 128; floats are taken as they
//! are. The time step is 1 / sample rate.
//!
//! Invariants: a chunk never reaches past the bytes at hand; a missing pad byte after the last
//! chunk is accepted, as are chunks before and after the data.
//!
//! Cost: one pass over the samples.

use std::io::Read;

use hound::{SampleFormat, WavReader};

use crate::fault::WavFault;
use crate::{Pack, PackError, PackParts, Shape, time_step};

/// How channels become inputs and outputs, and an expected time step.
#[derive(Debug, Clone, PartialEq)]
pub struct WavOptions {
    /// Number of inputs; it must divide the number of channels.
    pub inputs: usize,
    /// Time step in seconds that the file must have, when given.
    pub dt: Option<f64>,
}

impl Default for WavOptions {
    fn default() -> Self {
        WavOptions {
            inputs: 1,
            dt: None,
        }
    }
}

/// What a `.wav` file says about itself.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct WavSummary {
    /// Channels.
    pub channels: usize,
    /// Samples for each channel.
    pub frames: usize,
    /// Samples a second.
    pub sample_rate_hz: u32,
    /// Bits of one sample's container.
    pub bits: u16,
    /// Whether samples are floats.
    pub float: bool,
    /// Identifiers of the chunks, in the file's order.
    pub chunks: Vec<String>,
}

/// Makes a pack of a `.wav` file.
///
/// # Errors
/// A [`WavFault`] (codes 50xx), a contradicting time step, and the content rules of
/// [`Pack::from_parts`] (a float sample may be infinite).
pub fn pack_from_wav(bytes: &[u8], options: &WavOptions) -> Result<Pack, PackError> {
    let riff = Riff::parse(bytes)?;
    let summary = riff.summary()?;
    let (channels, inputs) = (summary.channels, options.inputs);
    if inputs == 0 || !channels.is_multiple_of(inputs) {
        return Err(WavFault::BadGrouping { channels, inputs }.into());
    }
    let shape = Shape::new(summary.frames, channels / inputs, inputs)?;
    let found = 1.0 / f64::from(summary.sample_rate_hz);
    let (dt, _) = time_step::choose("wav", Some(found), options.dt)?;
    let samples = riff.samples()?;
    let made_by = serde_json::json!({
        "importer": "wav",
        "wave": summary,
        "inputs": inputs,
        "channel": "c = p * nq + q",
    });
    Pack::from_parts(PackParts {
        shape,
        dt,
        taps: group(&samples, shape),
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by,
    })
}

/// Reads what a `.wav` file says about itself, without its samples.
///
/// # Errors
/// A [`WavFault`] (codes 50xx).
pub fn summarize(bytes: &[u8]) -> Result<WavSummary, PackError> {
    Ok(Riff::parse(bytes)?.summary()?)
}

/// From `[frame][channel]` with `channel = p * nq + q` to `[k][q][p]`.
fn group(samples: &[f64], shape: Shape) -> Vec<f64> {
    let (nq, np) = (shape.nq(), shape.np());
    let mut taps = Vec::with_capacity(samples.len());
    for frame in samples.chunks_exact(nq * np) {
        for q in 0..nq {
            taps.extend((0..np).map(|p| frame[p * nq + q]));
        }
    }
    taps
}

/// The two chunks that matter, and the names of all.
struct Riff<'a> {
    format: Format,
    data: &'a [u8],
    chunks: Vec<String>,
}

impl<'a> Riff<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, WavFault> {
        let Some(mut rest) = chunks_of(bytes) else {
            return Err(WavFault::NotWave);
        };
        let mut format = None;
        let mut data = None;
        let mut chunks = Vec::new();
        // Fewer than 8 bytes at the end are padding, not a chunk.
        while let Some((head, after)) = rest.split_first_chunk::<8>() {
            let [a, b, c, d, length @ ..] = *head;
            let name = String::from_utf8_lossy(&[a, b, c, d]).into_owned();
            let length = u32::from_le_bytes(length) as usize;
            let Some((body, next)) = after.split_at_checked(length) else {
                return Err(WavFault::ChunkCutOff {
                    chunk: name,
                    wanted: length as u64,
                    found: after.len() as u64,
                });
            };
            let twice = match name.as_str() {
                "fmt " => format.replace(Format::parse(body)?).is_some(),
                "data" => data.replace(body).is_some(),
                _ => false,
            };
            if twice {
                return Err(WavFault::DuplicateChunk { chunk: name });
            }
            chunks.push(name);
            // Chunks begin at even places; the last one may lack its pad byte.
            rest = next.get(length % 2..).unwrap_or(&[]);
        }
        Ok(Riff {
            format: format.ok_or(WavFault::MissingFormat)?,
            data: data.ok_or(WavFault::MissingData)?,
            chunks,
        })
    }

    fn summary(&self) -> Result<WavSummary, WavFault> {
        let format = &self.format;
        let frame = usize::from(format.channels) * usize::from(format.bytes);
        if !self.data.len().is_multiple_of(frame) {
            return Err(bad_format(&format!(
                "{} data bytes are no whole number of frames of {frame} bytes",
                self.data.len()
            )));
        }
        if self.data.is_empty() {
            return Err(WavFault::NoSamples);
        }
        Ok(WavSummary {
            channels: usize::from(format.channels),
            frames: self.data.len() / frame,
            sample_rate_hz: format.rate,
            bits: format.bytes * 8,
            float: format.float,
            chunks: self.chunks.clone(),
        })
    }

    /// All samples as `[frame][channel]`.
    fn samples(&self) -> Result<Vec<f64>, WavFault> {
        let header = self.format.plain_header(self.data.len());
        let reader = WavReader::new(header.as_slice().chain(self.data))
            .map_err(|error| bad_format(&error.to_string()))?;
        match reader.spec().sample_format {
            SampleFormat::Float => decode::<_, f32>(reader, 1.0),
            SampleFormat::Int => {
                let full_scale = f64::from(1u32 << (self.format.bytes * 8 - 1));
                decode::<_, i32>(reader, full_scale)
            }
        }
    }
}

fn decode<R: Read, S: hound::Sample + Into<f64>>(
    reader: WavReader<R>,
    full_scale: f64,
) -> Result<Vec<f64>, WavFault> {
    reader
        .into_samples::<S>()
        .enumerate()
        .map(|(index, sample)| match sample {
            Ok(sample) => Ok(sample.into() / full_scale),
            Err(error) => Err(WavFault::BadSample {
                index,
                reason: error.to_string(),
            }),
        })
        .collect()
}

/// The bytes after `RIFF`, size, `WAVE`. The size is not used: writers that stream leave it wrong,
/// and the chunks say where they end.
fn chunks_of(bytes: &[u8]) -> Option<&[u8]> {
    let (riff, rest) = bytes.split_first_chunk::<4>()?;
    let (_, rest) = rest.split_first_chunk::<4>()?;
    let (wave, rest) = rest.split_first_chunk::<4>()?;
    (riff == b"RIFF" && wave == b"WAVE").then_some(rest)
}

/// Sample format as the `fmt ` chunk gives it.
struct Format {
    float: bool,
    channels: u16,
    rate: u32,
    /// Bytes of one sample's container. Valid bits lie at its top, so it alone sets the scale.
    bytes: u16,
}

impl Format {
    const PCM: u16 = 1;
    const FLOAT: u16 = 3;
    const EXTENSIBLE: u16 = 0xfffe;
    /// The tail of every sub-format identifier; the two bytes before it are the format tag.
    const SUBFORMAT: [u8; 14] = [0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113];

    fn parse(chunk: &[u8]) -> Result<Format, WavFault> {
        let Some((plain, extension)) = chunk.split_first_chunk::<16>() else {
            return Err(bad_format("the chunk \"fmt \" has fewer than 16 bytes"));
        };
        let word = |at: usize| u16::from_le_bytes([plain[at], plain[at + 1]]);
        let (mut tag, channels, block, bits) = (word(0), word(2), word(12), word(14));
        let rate = u32::from_le_bytes([plain[4], plain[5], plain[6], plain[7]]);
        if tag == Self::EXTENSIBLE {
            // Extension size, valid bits, channel mask, then tag and tail of the sub-format.
            tag = match extension.get(8..24) {
                Some([a, b, tail @ ..]) if tail == Self::SUBFORMAT => u16::from_le_bytes([*a, *b]),
                _ => return Err(bad_format("its extensible sub-format is unknown")),
            };
        }
        if channels == 0 {
            return Err(bad_format("it has no channel"));
        }
        if rate == 0 {
            return Err(WavFault::NoRate);
        }
        let bytes = block / channels;
        if bytes * channels != block || bits == 0 || u32::from(bits) > u32::from(bytes) * 8 {
            return Err(bad_format(&format!(
                "{bits} bits and {channels} channels do not fit frames of {block} bytes"
            )));
        }
        match (tag, bytes) {
            (Self::PCM, 1..=4) | (Self::FLOAT, 4) => Ok(Format {
                float: tag == Self::FLOAT,
                channels,
                rate,
                bytes,
            }),
            _ => Err(bad_format(&format!(
                "format tag {tag} with samples of {bytes} bytes is not supported"
            ))),
        }
    }

    /// A 44-byte header with nothing but this format, for a decoder that must not guess.
    fn plain_header(&self, data: usize) -> Vec<u8> {
        let tag = if self.float { Self::FLOAT } else { Self::PCM };
        let frame = self.channels * self.bytes;
        // The decoder compares this product, and the rate of a real file does not overflow it.
        let byte_rate = self.rate.saturating_mul(u32::from(frame));
        // The data come from a chunk, so their length has 32 bits.
        let data = data as u32;
        let mut header = Vec::with_capacity(44);
        header.extend_from_slice(b"RIFF");
        header.extend_from_slice(&data.saturating_add(36).to_le_bytes());
        header.extend_from_slice(b"WAVEfmt ");
        header.extend_from_slice(&16u32.to_le_bytes());
        header.extend_from_slice(&tag.to_le_bytes());
        header.extend_from_slice(&self.channels.to_le_bytes());
        header.extend_from_slice(&self.rate.to_le_bytes());
        header.extend_from_slice(&byte_rate.to_le_bytes());
        header.extend_from_slice(&frame.to_le_bytes());
        header.extend_from_slice(&(self.bytes * 8).to_le_bytes());
        header.extend_from_slice(b"data");
        header.extend_from_slice(&data.to_le_bytes());
        header
    }
}

fn bad_format(reason: &str) -> WavFault {
    WavFault::BadFormat {
        reason: reason.to_owned(),
    }
}
