//! Packs of `--shape`: numbers of a fixed seed.

use serde_json::json;
use tdse_pack::{Pack, PackParts, Shape};

use crate::args::{BenchShape, TapKind};
use crate::fault::Fault;
use crate::random::SplitMix64;

/// Seed of the taps.
const TAP_SEED: u64 = 1;

/// What the taps of `decay` have lost at the last one: 120 dB.
const DECAY: f64 = 1e-6;

/// The kind's name.
pub(super) fn name(taps: TapKind) -> &'static str {
    match taps {
        TapKind::White => "white",
        TapKind::Decay => "decay",
    }
}

/// A pack of that shape.
pub(super) fn pack(shape: BenchShape, taps: TapKind) -> Result<Pack, Fault> {
    let refused = |error| Fault::Pack {
        path: "--shape".into(),
        error,
    };
    let BenchShape { np, nq, nh } = shape;
    let size = Shape::new(nh, nq, np).map_err(refused)?;
    let mut random = SplitMix64::new(TAP_SEED);
    let amplitude = |k: usize| match taps {
        TapKind::White => 1.0,
        TapKind::Decay => DECAY.powf(k as f64 / nh as f64),
    };
    let taps = (0..nh * nq * np)
        .map(|i| random.uniform() * amplitude(i / (nq * np)))
        .collect();
    Pack::from_parts(PackParts {
        shape: size,
        dt: 1e-9,
        taps,
        ir: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        made_by: json!({}),
    })
    .map_err(refused)
}
