//! Compiled code of the families that work ahead gives the interpreter's bits.
#![allow(clippy::unwrap_used)]

mod oracle;

use oracle::agree;
use tdse_kir::{Contraction, Elem};
use tdse_templates::{
    BlockSchedule, BlockShape, SpectralSchedule, SpectralShape, spectral_mac, temporal_block,
};

const CONTRACTIONS: [Contraction; 2] = [Contraction::Fma, Contraction::Separate];
const ELEMS: [Elem; 2] = [Elem::F32, Elem::F64];
const PORTS: [usize; 5] = [1, 2, 3, 5, 8];
const LANES: [u8; 5] = [1, 2, 4, 8, 16];

/// Every pair of port counts with every number of lanes and of groups.
#[test]
fn spectral_mac_of_odd_shapes() {
    let mut turn = 0;
    for (np, nq) in PORTS.into_iter().flat_map(|np| PORTS.map(|nq| (np, nq))) {
        for (lanes, groups) in LANES.into_iter().flat_map(|l| [1, 2, 3, 7].map(|g| (l, g))) {
            turn += 1;
            let bins = groups * usize::from(lanes);
            let shape = SpectralShape {
                np,
                nq,
                groups,
                lanes,
                y_stride: 2 * bins + turn % 3,
                y_im: bins + turn % 3,
                elem: ELEMS[turn / 2 % 2],
            };
            let rows = [1, 2, 3, 4, 5, 8][turn % 6];
            for contraction in CONTRACTIONS {
                let schedule = SpectralSchedule { rows };
                agree(spectral_mac(&shape, contraction, schedule).unwrap(), 0);
            }
        }
    }
}

#[test]
fn temporal_block_of_odd_shapes() {
    let mut turn = 0;
    for (np, nq) in PORTS.into_iter().flat_map(|np| PORTS.map(|nq| (np, nq))) {
        for block in [1, 2, 3, 5, 7, 8, 16, 33] {
            for lags in [1, 2, 7, 31] {
                turn += 1;
                let shape = BlockShape {
                    np,
                    nq,
                    lags,
                    block,
                    x_stride: block + lags - 1 + turn % 3,
                    y_stride: block + turn % 2,
                    elem: ELEMS[turn / 2 % 2],
                };
                let schedule = BlockSchedule {
                    rows: [1, 2, 3, 4, 5, 8][turn % 6],
                    lanes: LANES[turn % 5],
                };
                let contraction = CONTRACTIONS[turn / 4 % 2];
                agree(temporal_block(&shape, contraction, schedule).unwrap(), 0);
            }
        }
    }
}
