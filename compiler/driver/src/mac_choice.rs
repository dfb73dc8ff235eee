//! Lanes and schedules of the families that work ahead, by tier and level.
//!
//! Pure functions: they pick what was measured to be fastest (the example `mac_schedules`),
//! and never change a bit, except that the lanes decide how many bins are padding.
//!
//! Measured on a busy 2-core Zen 3 guest at level v3, operands in a near cache, `fma`; GFlop/s of
//! what is picked here, the best of many short runs. The peak of 128-bit vectors is about 27 in f64.
//!
//! | `spectral_mac`: np = nq, bins | Cranelift f64, f32 | portable f64, f32 |
//! |---|---|---|
//! | 1, 32 | 8, 11 | 4, 5 |
//! | 1, 512 | 13, 26 | 13, 22 |
//! | 2, 256 | 20, 37 | 25, 46 |
//! | 4, 64 | 22, 41 | 34, 54 |
//! | 8, 32 | 21, 42 | 33, 69 |
//! | 16, 16 | 21, 42 | 33, 57 |
//! | 32, 8 | 18, 37 | 31, 58 |
//!
//! | `temporal_block`: np = nq, block, lags | Cranelift f64, f32 | portable f64, f32 |
//! |---|---|---|
//! | 1, 8, 256 | 12, 12 | 12, 12 |
//! | 1, 16, 256 | 13, 24 | 13, 23 |
//! | 4, 8, 64 | 16, 31 | 36, 43 |
//! | 5, 16, 32 | 16, 33 | 29, 57 |
//! | 8, 16, 32 | 22, 42 | 46, 91 |
//! | 8, 33, 32 | 21, 34 | 33, 59 |
//! | 16, 16, 16 | 21, 41 | 47, 85 |
//!
//! LLVM with 256-bit vectors, on the same guest, busier still (peak about 54 and 108):
//!
//! | `spectral_mac`: np = nq, bins | f64, f32 | `temporal_block`: np = nq, block, lags | f64, f32 |
//! |---|---|---|---|
//! | 1, 32 | 10, 12 | 1, 8, 256 | 12, 12 |
//! | 1, 512 | 18, 39 | 1, 16, 256 | 23, 24 |
//! | 2, 256 | 26, 54 | 2, 16, 128 | 34, 46 |
//! | 4, 64 | 32, 65 | 4, 8, 64 | 39, 47 |
//! | 5, 64 | 34, 74 | 5, 16, 32 | 36, 76 |
//! | 8, 32 | 33, 84 | 8, 16, 32 | 45, 73 |
//! | 16, 16 | 37, 73 | 16, 16, 16 | 43, 81 |
//!
//! From two ports on the portable tier is faster than Cranelift: its vectors have 256 bits, those of
//! Cranelift 128. One port with few bins costs it more steps of its program than arithmetic.

use tdse_isa::Level;
use tdse_kir::Elem;
use tdse_templates::{BlockSchedule, BlockShape, SpectralSchedule, SpectralShape};

use crate::tier::Tier;

/// The code generator that is faster here for the families that work ahead; both give the same bits.
pub fn ahead_tier(level: Level, np: usize, nq: usize) -> Tier {
    #[cfg(feature = "llvm")]
    if level.has_fma() {
        return Tier::Llvm;
    }
    match level {
        Level::V3 | Level::V4 if np * nq >= 4 => Tier::Portable,
        _ => Tier::Cranelift,
    }
}

/// Bins in a group for spectra of `block` bins: the caller pads its spectra to whole groups.
///
/// One register of bins, or two where there are too few rows to fill the accumulators, and for five
/// and seven rows of the portable tier; two never where they need more padding than one.
pub fn spectral_lanes(tier: Tier, level: Level, elem: Elem, block: usize, nq: usize) -> u8 {
    let register = vector_lanes(tier, level, elem);
    let few = nq < 3 || tier == Tier::Portable && matches!(nq, 5 | 7);
    let two = few && block.next_multiple_of(2 * register) == block.next_multiple_of(register);
    (if two { 2 * register } else { register }) as u8
}

/// Rows in a block of a spectral kernel: as many as fill the accumulators, two a row.
pub fn spectral_schedule(tier: Tier, level: Level, shape: &SpectralShape) -> SpectralSchedule {
    let vector = usize::from(shape.lanes) * shape.elem.bytes();
    // No loop of the portable tier fills registers of more than 32 bytes.
    let registers = vector.div_ceil(tier.register_bytes(level).min(32));
    let most = (accumulators(tier) / (2 * registers)).clamp(1, 6);
    // Rows left over are a second step for each group of the portable tier (13 against 24 GFlop/s
    // with five rows), which only many rows are worth.
    let rows = match tier {
        Tier::Portable if shape.nq <= 8 => divisor(shape.nq, most),
        _ => balanced(shape.nq, most),
    };
    SpectralSchedule { rows: rows as u8 }
}

/// Rows and lanes of a temporal block: eight accumulators where there are rows or steps enough.
pub fn block_schedule(tier: Tier, level: Level, shape: &BlockShape) -> BlockSchedule {
    let bytes = shape.elem.bytes();
    let (rows, lanes) = match tier {
        Tier::Llvm => {
            let register = tier.register_bytes(level) / bytes;
            // One or two rows alone wait for their own sums.
            let (most, registers) = if shape.nq < 3 { (2, 4) } else { (6, 2) };
            let lanes = (registers * register).min(16);
            (
                balanced(shape.nq, most),
                halved_to_fit(lanes, register, shape.block),
            )
        }
        Tier::Cranelift => {
            let (most, registers) = match shape.nq {
                // More registers of x at once leave none for the sums.
                1 => (1, 4),
                2 if shape.np < 4 => (2, 2),
                2 => (2, 4),
                nq if nq.is_multiple_of(8) => (8, 1),
                _ => (5, 2),
            };
            let register = 16 / bytes;
            let lanes = (registers * register).min(16);
            (
                balanced(shape.nq, most),
                halved_to_fit(lanes, register, shape.block),
            )
        }
        Tier::Portable => {
            let most = if tier.register_bytes(level) < 32 {
                2
            } else {
                4
            };
            let lanes = whole_loops(bytes, shape.block);
            (balanced(shape.nq, most), lanes)
        }
    };
    BlockSchedule {
        rows: rows as u8,
        lanes: lanes as u8,
    }
}

/// No more lanes than the block needs; half as many where those, not less than a register, divide
/// it and these do not.
fn halved_to_fit(mut lanes: usize, register: usize, block: usize) -> usize {
    let leaves = |lanes: usize| !block.is_multiple_of(lanes);
    while lanes > 1
        && (lanes / 2 >= block || lanes > register && leaves(lanes) && !leaves(lanes / 2))
    {
        lanes /= 2;
    }
    lanes
}

/// The most lanes for which vectors and what is left over by them are loops of the portable tier:
/// 64, 32, 16 or fewer bytes.
fn whole_loops(bytes: usize, block: usize) -> usize {
    let fits = |lanes: &usize| {
        let left = block % lanes * bytes;
        lanes / 2 < block && (left <= 16 || left == 32)
    };
    let register = 16 / bytes;
    let wide = [64 / bytes, 32 / bytes].into_iter().find(fits);
    wide.unwrap_or(halved_to_fit(register, register, block))
}

/// The most rows up to `most` that leave none over.
fn divisor(nq: usize, most: usize) -> usize {
    let divides = |rows: &usize| nq.is_multiple_of(*rows);
    (1..=most.min(nq)).rev().find(divides).unwrap_or(1)
}

/// Rows in a block, at most `most`, so that the last block is as full as the others can make it:
/// one row alone waits for its own sums.
pub(crate) fn balanced(nq: usize, most: usize) -> usize {
    let nq = nq.max(1);
    nq.div_ceil(nq.div_ceil(most))
}

/// Registers of sums that a loop keeps: half of the sixteen of x86-64; the rest hold operands. LLVM
/// reads one operand of a multiply-add from memory and needs fewer.
fn accumulators(tier: Tier) -> usize {
    match tier {
        Tier::Llvm => 12,
        _ => 8,
    }
}

/// Lanes that a vector should have at least. The portable tier runs vectors of 32 bytes and of 64 as
/// loops of their own whatever the registers, and others step by step, tens of times slower.
fn vector_lanes(tier: Tier, level: Level, elem: Elem) -> usize {
    let bytes = match tier {
        Tier::Portable => 32,
        _ => tier.register_bytes(level),
    };
    bytes / elem.bytes()
}
