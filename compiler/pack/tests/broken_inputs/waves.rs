//! Broken wave files.

use tdse_pack::wav::{WavOptions, pack_from_wav};

use crate::specimen::{fmt, riff};
use crate::{check, row};

#[test]
fn broken_waves() {
    let read = |bytes: &[u8]| pack_from_wav(bytes, &WavOptions::default());
    let grouped = |inputs| {
        let file = riff(&[(b"fmt ", &fmt(1, 6, 8000, 1, 8)), (b"data", &[128; 12])]);
        pack_from_wav(&file, &WavOptions { inputs, dt: None })
    };
    let format = fmt(1, 1, 8000, 2, 16);
    let chunks = |chunks: &[(&[u8; 4], &[u8])]| read(&riff(chunks));
    let with_format =
        |format: &[u8], bytes: usize| chunks(&[(b"fmt ", format), (b"data", &vec![0; bytes])]);
    let mut extensible = fmt(0xfffe, 1, 8000, 2, 16);
    extensible.extend_from_slice(&[22, 0, 16, 0, 0, 0, 0, 0]);
    extensible.extend_from_slice(&[7; 16]);
    let mut odd_block = format.clone();
    odd_block[12] = 3;
    odd_block[2] = 2;
    let sound = riff(&[(b"fmt ", &format), (b"data", &[0; 8])]);
    let mut overlong = sound.clone();
    overlong[40..44].copy_from_slice(&u32::MAX.to_le_bytes());
    let nan = f32::NAN.to_le_bytes();
    check(&[
        row("no bytes", 5001, "not_wave", read(&[])),
        row(
            "RIFF of another kind",
            5001,
            "not_wave",
            read(b"RIFF\x04\0\0\0AVI "),
        ),
        row(
            "big-endian RIFX",
            5001,
            "not_wave",
            read(&[b"RIFX", &sound[4..]].concat()),
        ),
        row(
            "cut in the data",
            5002,
            "wav_chunk_cut_off",
            read(&sound[..sound.len() - 1]),
        ),
        row(
            "cut in the format",
            5002,
            "wav_chunk_cut_off",
            read(&sound[..30]),
        ),
        row("data of 4 GiB", 5002, "wav_chunk_cut_off", read(&overlong)),
        row("no chunks", 5003, "wav_missing_format", chunks(&[])),
        row(
            "data alone",
            5003,
            "wav_missing_format",
            chunks(&[(b"data", &[0; 8])]),
        ),
        row(
            "format alone",
            5004,
            "wav_missing_data",
            chunks(&[(b"fmt ", &format)]),
        ),
        row(
            "two formats",
            5005,
            "wav_duplicate_chunk",
            chunks(&[(b"fmt ", &format), (b"fmt ", &format), (b"data", &[0; 8])]),
        ),
        row(
            "two data",
            5005,
            "wav_duplicate_chunk",
            chunks(&[(b"fmt ", &format), (b"data", &[0; 8]), (b"data", &[0; 8])]),
        ),
        row(
            "short format",
            5006,
            "wav_bad_format",
            with_format(&format[..14], 8),
        ),
        row(
            "ADPCM",
            5006,
            "wav_bad_format",
            with_format(&fmt(2, 1, 8000, 1, 8), 8),
        ),
        row(
            "A-law",
            5006,
            "wav_bad_format",
            with_format(&fmt(6, 1, 8000, 1, 8), 8),
        ),
        row(
            "no channel",
            5006,
            "wav_bad_format",
            with_format(&fmt(1, 0, 8000, 2, 16), 8),
        ),
        row(
            "0 bits",
            5006,
            "wav_bad_format",
            with_format(&fmt(1, 1, 8000, 2, 0), 8),
        ),
        row(
            "24 bits in 2 bytes",
            5006,
            "wav_bad_format",
            with_format(&fmt(1, 1, 8000, 2, 24), 8),
        ),
        row(
            "40-bit PCM",
            5006,
            "wav_bad_format",
            with_format(&fmt(1, 1, 8000, 5, 40), 40),
        ),
        row(
            "16-bit float",
            5006,
            "wav_bad_format",
            with_format(&fmt(3, 1, 8000, 2, 16), 8),
        ),
        row(
            "64-bit float",
            5006,
            "wav_bad_format",
            with_format(&fmt(3, 1, 8000, 8, 64), 8),
        ),
        row(
            "block no multiple",
            5006,
            "wav_bad_format",
            with_format(&odd_block, 6),
        ),
        row(
            "unknown sub-format",
            5006,
            "wav_bad_format",
            with_format(&extensible, 8),
        ),
        row(
            "half a frame",
            5006,
            "wav_bad_format",
            with_format(&fmt(1, 3, 8000, 2, 16), 8),
        ),
        row("no sample", 5007, "wav_no_samples", with_format(&format, 0)),
        row("inputs 0", 5009, "wav_bad_grouping", grouped(0)),
        row("inputs 4 of 6", 5009, "wav_bad_grouping", grouped(4)),
        row(
            "rate 0",
            5010,
            "wav_no_rate",
            with_format(&fmt(1, 1, 0, 2, 16), 8),
        ),
        row(
            "NaN sample",
            1205,
            "not_finite",
            chunks(&[(b"fmt ", &fmt(3, 1, 8000, 4, 32)), (b"data", &nan)]),
        ),
    ]);
}
