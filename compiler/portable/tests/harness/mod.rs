//! Runs a kernel on the interpreter and on every level of this machine, and compares bits.
#![allow(clippy::unwrap_used, clippy::panic, dead_code, unreachable_pub)]

pub mod families;

use std::sync::Arc;
use tdse_backend::{Backend, EntryPoint, Lowered, Slot};
use tdse_isa::{Host, Level};
use tdse_kir::{Buffer, Elem, Kernel, KirArg, Param, Verified, interpret, verify};
use tdse_portable::Portable;

/// Elements on both sides of a buffer that no kernel may touch.
const GUARD: usize = 64;

/// A deterministic stream of numbers (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Mostly ordinary; now and then a zero of either sign, a subnormal, something huge.
    pub fn real(&mut self) -> f64 {
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        sign * match self.below(24) {
            0 => 0.0,
            1 => unit * f64::from(f32::MIN_POSITIVE) / 16.0,
            2 => unit * f64::MIN_POSITIVE / 16.0,
            3 => unit * 1e18,
            _ => unit,
        }
    }
}

/// Memory of a buffer, with its guards.
#[derive(Clone)]
enum Memory {
    F64(Vec<f64>),
    F32(Vec<f32>),
}

impl Memory {
    fn of(buffer: &Buffer, numbers: &mut Numbers) -> Memory {
        let len = buffer.extent as usize + 2 * GUARD;
        let mut real = || numbers.real();
        match buffer.elem {
            Elem::F64 => Memory::F64((0..len).map(|_| real()).collect()),
            Elem::F32 => Memory::F32((0..len).map(|_| real() as f32).collect()),
        }
    }

    fn pointer(&mut self) -> *mut u8 {
        match self {
            Memory::F64(v) => v[GUARD..].as_mut_ptr().cast(),
            Memory::F32(v) => v[GUARD..].as_mut_ptr().cast(),
        }
    }

    /// Bits, all NaNs alike: which NaN an operation gives is left open by every backend.
    fn bits(&self) -> Vec<u64> {
        match self {
            Memory::F64(v) => v
                .iter()
                .map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
                .collect(),
            Memory::F32(v) => v
                .iter()
                .map(|x| {
                    if x.is_nan() {
                        u64::MAX
                    } else {
                        u64::from(x.to_bits())
                    }
                })
                .collect(),
        }
    }

    fn arg(&mut self, writable: bool) -> KirArg<'_> {
        match (self, writable) {
            (Memory::F64(v), true) => {
                let end = v.len() - GUARD;
                KirArg::F64Mut(&mut v[GUARD..end])
            }
            (Memory::F64(v), false) => KirArg::F64(&v[GUARD..v.len() - GUARD]),
            (Memory::F32(v), true) => {
                let end = v.len() - GUARD;
                KirArg::F32Mut(&mut v[GUARD..end])
            }
            (Memory::F32(v), false) => KirArg::F32(&v[GUARD..v.len() - GUARD]),
        }
    }
}

/// Lowers for a level of this machine.
pub fn lower(kernel: &Verified, level: Level) -> Arc<dyn EntryPoint> {
    match Portable.lower(kernel, level) {
        Ok(Lowered::Ready(entry)) => entry,
        Ok(Lowered::Machine(_)) => panic!("portable makes no machine code"),
        Err(refusal) => panic!("{refusal}"),
    }
}

/// The program's text at the machine's best level.
pub fn describe(kernel: &Kernel) -> String {
    let kernel = verify(kernel.clone()).unwrap();
    Portable.describe(&kernel, Host::get().best()).unwrap()
}

/// Asserts equal bits on every level for a kernel, with the index arguments given.
pub fn check(kernel: Kernel, indices: &[i64], seed: u64) {
    let name = kernel.name.clone();
    let kernel = verify(kernel).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut numbers = Numbers(seed);
    let start: Vec<Memory> = kernel
        .params
        .iter()
        .filter_map(|p| match p {
            Param::Buffer(b) => Some(Memory::of(b, &mut numbers)),
            Param::Index { .. } => None,
        })
        .collect();

    let mut expected = start.clone();
    {
        let mut memories = expected.iter_mut();
        let mut given = indices.iter();
        let mut args: Vec<KirArg> = kernel
            .params
            .iter()
            .map(|p| match p {
                Param::Buffer(b) => {
                    let writable = b.access != tdse_kir::Access::ReadOnly;
                    memories.next().unwrap().arg(writable)
                }
                Param::Index { .. } => KirArg::Index(*given.next().unwrap()),
            })
            .collect();
        interpret(&kernel, &mut args).unwrap();
    }

    for proof in Host::get().levels() {
        let entry = lower(&kernel, proof.level());
        let mut found = start.clone();
        let mut memories = found.iter_mut();
        let mut given = indices.iter();
        let slots: Vec<Slot> = kernel
            .params
            .iter()
            .map(|p| match p {
                Param::Buffer(_) => Slot {
                    pointer: memories.next().unwrap().pointer(),
                },
                Param::Index { .. } => Slot {
                    index: *given.next().unwrap(),
                },
            })
            .collect();
        // SAFETY: a slot for each parameter; each buffer has its extent and element alignment,
        // which is all the alignment that this backend uses; the verifier accepted the kernel.
        unsafe { entry.call(slots.as_ptr()) };
        for (i, (e, f)) in expected.iter().zip(&found).enumerate() {
            let (e, f) = (e.bits(), f.bits());
            let differs = (0..e.len()).find(|&at| e[at] != f[at]);
            assert!(
                differs.is_none(),
                "{name} at {}: buffer {i} differs at {} (expected {:x}, found {:x})\n{}",
                proof.level(),
                differs.unwrap() as i64 - GUARD as i64,
                e[differs.unwrap()],
                f[differs.unwrap()],
                Portable.describe(&kernel, proof.level()).unwrap(),
            );
        }
    }
}
