//! Wave files of every accepted format, real ones among them.
#![allow(clippy::unwrap_used)]

mod specimen;

use std::io::Cursor;

use hound::{SampleFormat, WavSpec, WavWriter};
use specimen::{fmt, riff, shared};
use tdse_pack::Pack;
use tdse_pack::npy::pack_from_npz;
use tdse_pack::wav::{WavOptions, pack_from_wav, summarize};

fn import(bytes: &[u8]) -> Pack {
    pack_from_wav(bytes, &WavOptions::default()).unwrap()
}

/// Name, frames, channels, rate as the table of the shared data gives them.
const REAL: [(&str, usize, usize, u32); 9] = [
    ("oct-48-31.wav", 8192, 1, 48000),
    ("oct-48-125.wav", 4096, 1, 48000),
    ("oct-48-8k.wav", 256, 1, 48000),
    ("EYCv2L44.wav", 1024, 2, 44100),
    ("EYCv2L48.wav", 1116, 2, 48000),
    ("mit_kemar_el0_12az_24ch.wav", 512, 24, 44100),
    ("ssr_eq_filter_kemar_min_phase.wav", 513, 1, 44100),
    ("wfs_prefilter_100_1800_44100.wav", 128, 1, 44100),
    ("gx_MakosampCustomHatred.wav", 3814, 1, 44100),
];

#[test]
fn real_files_have_their_sizes() {
    for (name, frames, channels, rate) in REAL {
        let Some(path) = shared(&format!("data/wav/{name}")) else {
            continue;
        };
        let bytes = std::fs::read(path).unwrap();
        let pack = import(&bytes);
        let shape = pack.shape();
        assert_eq!(
            (shape.nh(), shape.nq(), shape.np()),
            (frames, channels, 1),
            "{name}"
        );
        assert_eq!(pack.dt(), 1.0 / f64::from(rate), "{name}");
        assert!(pack.taps().iter().any(|tap| *tap != 0.0), "{name}");
        assert_eq!(summarize(&bytes).unwrap().frames, frames);
        // hound alone reads all of these; both must see the same samples.
        let mut reader = hound::WavReader::new(bytes.as_slice()).unwrap();
        let spec = reader.spec();
        let direct: Vec<f64> = match spec.sample_format {
            SampleFormat::Float => reader.samples::<f32>().map(|s| s.unwrap().into()).collect(),
            SampleFormat::Int => {
                let scale = f64::from(1 << (spec.bits_per_sample - 1));
                reader
                    .samples::<i32>()
                    .map(|s| f64::from(s.unwrap()) / scale)
                    .collect()
            }
        };
        assert_eq!(pack.taps(), direct, "{name}");
    }
}

#[test]
fn channels_group_by_input() {
    let names = [
        "mit_kemar_el0_12az_24ch.wav",
        "mit_kemar_H_512x2x12_f64.npz",
    ];
    let [Some(wave), Some(archive)] = names.map(|name| shared(&format!("data/wav/{name}"))) else {
        return;
    };
    let options = WavOptions {
        inputs: 12,
        dt: None,
    };
    let from_wave = pack_from_wav(&std::fs::read(wave).unwrap(), &options).unwrap();
    let from_archive = pack_from_npz(&std::fs::read(archive).unwrap(), None).unwrap();
    assert_eq!(from_wave.shape(), from_archive.shape());
    assert_eq!(from_wave.taps(), from_archive.taps());
    assert_eq!(from_wave.identity(), from_archive.identity());
}

#[test]
fn integers_of_every_width_scale_to_one() {
    let cases: [(u16, i32, i32); 4] = [
        (8, -128, 64),
        (16, -32768, 16384),
        (24, -8_388_608, 4_194_304),
        (32, i32::MIN, 1 << 30),
    ];
    for (bits, low, half) in cases {
        let mut file = Cursor::new(Vec::new());
        let spec = WavSpec {
            channels: 2,
            sample_rate: 8000,
            bits_per_sample: bits,
            sample_format: SampleFormat::Int,
        };
        let mut writer = WavWriter::new(&mut file, spec).unwrap();
        for sample in [low, half, 0, 1] {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
        let pack = import(&file.into_inner());
        let step = 0.5 / f64::from(half);
        assert_eq!(pack.taps(), [-1.0, 0.5, 0.0, step], "{bits} bits");
        assert_eq!((pack.shape().nh(), pack.shape().nq()), (2, 2));
    }
}

#[test]
fn floats_keep_their_value() {
    let samples = [1.5f32, -0.1, f32::MIN_POSITIVE, 0.0];
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let pack = import(&riff(&[
        (b"fmt ", &fmt(3, 1, 96000, 4, 32)),
        (b"data", &data),
    ]));
    let expected: Vec<f64> = samples.iter().map(|s| f64::from(*s)).collect();
    assert_eq!(pack.taps(), expected);
}

/// The tail of an extensible format: valid bits, channel mask, sub-format of a tag.
fn extensible(tag: u16, valid: u16, mut plain: Vec<u8>) -> Vec<u8> {
    plain[..2].copy_from_slice(&0xfffeu16.to_le_bytes());
    plain.extend_from_slice(&22u16.to_le_bytes());
    plain.extend_from_slice(&valid.to_le_bytes());
    plain.extend_from_slice(&3u32.to_le_bytes());
    plain.extend_from_slice(&tag.to_le_bytes());
    plain.extend_from_slice(&[0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]);
    plain
}

#[test]
fn extensible_formats_are_left_aligned() {
    // 24 valid bits at the top of 32: one half of full scale.
    let half = 0x4000_0000i32.to_le_bytes();
    let format = extensible(1, 24, fmt(1, 1, 48000, 4, 32));
    let pack = import(&riff(&[(b"fmt ", &format), (b"data", &half)]));
    assert_eq!(pack.taps(), [0.5]);
    // 12 valid bits at the top of 16.
    let format = extensible(1, 12, fmt(1, 1, 48000, 2, 16));
    let pack = import(&riff(&[(b"fmt ", &format), (b"data", &[0x00, 0xc0])]));
    assert_eq!(pack.taps(), [-0.5]);
    let format = extensible(3, 32, fmt(3, 2, 48000, 4, 32));
    let samples = [0.25f32, -4.0].map(f32::to_le_bytes).concat();
    let pack = import(&riff(&[(b"fmt ", &format), (b"data", &samples)]));
    assert_eq!(pack.taps(), [0.25, -4.0]);
}

#[test]
fn other_chunks_stand_anywhere() {
    let format = fmt(1, 1, 8000, 1, 8);
    let data: &[u8] = &[128, 192, 0];
    let plain = import(&riff(&[(b"fmt ", &format), (b"data", data)]));
    assert_eq!(plain.taps(), [0.0, 0.5, -1.0]);
    let layouts: [Vec<(&[u8; 4], &[u8])>; 4] = [
        // An odd chunk before the data has a pad byte.
        vec![
            (b"LIST", b"odd"),
            (b"fmt ", &format),
            (b"junk", b"x"),
            (b"data", data),
        ],
        vec![
            (b"fmt ", &format),
            (b"fact", &[3, 0, 0, 0, 9, 9]),
            (b"data", data),
        ],
        vec![
            (b"fmt ", &format),
            (b"data", data),
            (b"LIST", b"INFO..."),
            (b"PEAK", &[0; 16]),
        ],
        // The format after the data is unusual, but says the same.
        vec![(b"data", data), (b"fmt ", &format)],
    ];
    for chunks in layouts {
        assert_eq!(import(&riff(&chunks)).taps(), plain.taps(), "{chunks:?}");
    }
    // The pad byte after the last chunk may be missing.
    let mut unpadded = riff(&[(b"fmt ", &format), (b"data", data)]);
    unpadded.pop();
    assert_eq!(import(&unpadded).taps(), plain.taps());
    // A wrong byte rate and a wrong file size are redundant.
    let mut wrong = format.clone();
    wrong[8] ^= 1;
    let mut file = riff(&[(b"fmt ", &wrong), (b"data", data)]);
    file[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(import(&file).taps(), plain.taps());
}

#[test]
fn a_time_step_that_disagrees_is_refused() {
    let file = riff(&[(b"fmt ", &fmt(1, 1, 44100, 1, 8)), (b"data", &[200])]);
    let ask = |dt| {
        pack_from_wav(
            &file,
            &WavOptions {
                inputs: 1,
                dt: Some(dt),
            },
        )
    };
    assert_eq!(ask(2.267_573_696e-5).unwrap().dt(), 1.0 / 44100.0);
    assert_eq!(ask(2.0e-5).unwrap_err().name(), "time_step_conflict");
}
