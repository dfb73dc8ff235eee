//! The kernel families in odd shapes.

use tdse_kir::verify;
use tdse_templates::{
    BlockSchedule, BlockShape, DirectShape, Schedule, SpectralSchedule, SpectralShape, direct,
    spectral_mac, temporal_block,
};

use super::{CONTRACTIONS, ELEMS, Suite};

const PORTS: [usize; 5] = [1, 2, 3, 5, 8];
const LANES: [u8; 5] = [1, 2, 4, 8, 16];

impl Suite {
    /// The direct families: tails of rows and of terms.
    pub fn direct_families(&self) {
        let shapes = [
            (1, 1, 1),
            (1, 1, 8),
            (1, 2, 9),
            (2, 3, 17),
            (3, 5, 7),
            (4, 4, 31),
            (5, 7, 33),
            (7, 16, 16),
            (8, 17, 24),
        ];
        let schedules = [
            Schedule::Taps { rows: 1, unroll: 1 },
            Schedule::Taps { rows: 2, unroll: 2 },
            Schedule::Taps { rows: 3, unroll: 1 },
            Schedule::Taps { rows: 6, unroll: 2 },
            Schedule::Taps { rows: 8, unroll: 3 },
            Schedule::Rows {
                lanes: 2,
                unroll: 1,
            },
            Schedule::Rows {
                lanes: 4,
                unroll: 2,
            },
            Schedule::Rows {
                lanes: 16,
                unroll: 1,
            },
        ];
        for (np, nq, taps) in shapes {
            for elem in ELEMS {
                for schedule in schedules {
                    for contraction in CONTRACTIONS {
                        let shape = DirectShape { np, nq, taps, elem };
                        self.agree(direct(&shape, contraction, schedule).unwrap(), 0);
                    }
                }
            }
        }
    }

    /// `spectral_mac`: every pair of port counts with every number of lanes and of groups.
    pub fn spectral_mac_of_odd_shapes(&self) {
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
                    let kernel = spectral_mac(&shape, contraction, schedule).unwrap();
                    self.agree_here(&verify(kernel).unwrap(), 0);
                }
            }
        }
    }

    /// `temporal_block`: every pair of port counts with blocks and lags of many sizes.
    pub fn temporal_block_of_odd_shapes(&self) {
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
                    let kernel = temporal_block(&shape, contraction, schedule).unwrap();
                    self.agree_here(&verify(kernel).unwrap(), 0);
                }
            }
        }
    }
}
