//! Lanes and schedules of the families that work ahead, by tier and level.
//!
//! Pure functions: they pick what was measured to be fastest (the example `mac_schedules`),
//! and never change a bit, except that the lanes decide how many bins are padding.

use tdse_isa::Level;
use tdse_kir::Elem;
use tdse_templates::{BlockSchedule, BlockShape, SpectralSchedule, SpectralShape};

use crate::tier::Tier;

/// Registers of accumulators that a loop keeps: half of the sixteen of x86-64; the rest hold
/// operands.
const ACCUMULATORS: usize = 8;

/// Bins in a group for spectra of `block` bins: the caller pads its spectra to whole groups.
///
/// Few rows do not fill the accumulators, so their groups take several registers; never so many
/// that there is more padding than one register needs.
pub fn spectral_lanes(tier: Tier, level: Level, elem: Elem, block: usize, nq: usize) -> u8 {
    let register = tier.register_lanes(level, elem);
    let registers = match nq {
        0 | 1 => 4,
        2 | 3 => 2,
        _ => 1,
    };
    let least = (16 / elem.bytes()).max(block.next_power_of_two());
    let mut lanes = (register * registers).min(least).clamp(1, 16);
    while lanes > register && block.next_multiple_of(lanes) > block.next_multiple_of(register) {
        lanes /= 2;
    }
    lanes as u8
}

/// Rows in a block of a spectral kernel.
pub fn spectral_schedule(tier: Tier, level: Level, shape: &SpectralShape) -> SpectralSchedule {
    let register = tier.register_lanes(level, shape.elem);
    let registers = usize::from(shape.lanes).div_ceil(register);
    let rows = (ACCUMULATORS / (2 * registers)).clamp(1, 8);
    SpectralSchedule {
        rows: rows.min(shape.nq) as u8,
    }
}

/// Rows and lanes of a temporal block.
pub fn block_schedule(tier: Tier, level: Level, shape: &BlockShape) -> BlockSchedule {
    let register = tier.register_lanes(level, shape.elem);
    let rows = shape.nq.clamp(1, 4);
    let mut lanes = (register * ACCUMULATORS / rows.next_power_of_two()).clamp(1, 16);
    while lanes > 1 && lanes / 2 >= shape.block {
        lanes /= 2;
    }
    BlockSchedule {
        rows: rows as u8,
        lanes: lanes as u8,
    }
}
