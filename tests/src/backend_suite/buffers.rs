//! The arguments of a kernel: the same numbers for the interpreter and for compiled code.

use tdse_bundle::{AlignedBuffer, Arg};
use tdse_kir::{Access, Elem, Kernel, KirArg, Param};

use crate::random::Random;

enum Storage {
    F32(AlignedBuffer<f32>),
    F64(AlignedBuffer<f64>),
    Index,
}

/// One buffer for each parameter, filled with numbers of mixed sign and size, some of them zeros
/// of either sign or subnormal, the same in every call. None gives a NaN, whose sign and payload no class fixes.
pub(super) struct Buffers(Vec<Storage>);

impl Buffers {
    pub(super) fn new(kernel: &Kernel) -> Self {
        let mut random = Random::new(1);
        let storage = kernel.params.iter().map(|param| match param {
            Param::Index { .. } => Storage::Index,
            Param::Buffer(b) => {
                let values: Vec<f64> = (0..b.extent).map(|_| number(&mut random, b.elem)).collect();
                match b.elem {
                    Elem::F64 => Storage::F64(AlignedBuffer::from_slice(&values)),
                    Elem::F32 => {
                        let values: Vec<f32> = values.iter().map(|&v| v as f32).collect();
                        Storage::F32(AlignedBuffer::from_slice(&values))
                    }
                }
            }
        });
        Buffers(storage.collect())
    }

    pub(super) fn kir_args(&mut self, kernel: &Kernel, index: i64) -> Vec<KirArg<'_>> {
        let read_only = access(kernel);
        let args = self
            .0
            .iter_mut()
            .zip(read_only)
            .map(|(s, read_only)| match s {
                Storage::F64(b) => match read_only {
                    true => KirArg::F64(b),
                    false => KirArg::F64Mut(b),
                },
                Storage::F32(b) => match read_only {
                    true => KirArg::F32(b),
                    false => KirArg::F32Mut(b),
                },
                Storage::Index => KirArg::Index(index),
            });
        args.collect()
    }

    pub(super) fn args(&mut self, kernel: &Kernel, index: i64) -> Vec<Arg<'_>> {
        let read_only = access(kernel);
        let args = self
            .0
            .iter_mut()
            .zip(read_only)
            .map(|(s, read_only)| match s {
                Storage::F64(b) => match read_only {
                    true => Arg::F64(b),
                    false => Arg::F64Mut(b),
                },
                Storage::F32(b) => match read_only {
                    true => Arg::F32(b),
                    false => Arg::F32Mut(b),
                },
                Storage::Index => Arg::Index(index),
            });
        args.collect()
    }

    pub(super) fn assert_equal(&self, expected: &Self, kernel: &Kernel, way: &str) {
        for (i, pair) in self.0.iter().zip(&expected.0).enumerate() {
            let (found, expected): (Vec<u64>, Vec<u64>) = match pair {
                (Storage::F64(a), Storage::F64(b)) => (
                    a.iter().map(|x| x.to_bits()).collect(),
                    b.iter().map(|x| x.to_bits()).collect(),
                ),
                (Storage::F32(a), Storage::F32(b)) => (
                    a.iter().map(|x| x.to_bits().into()).collect(),
                    b.iter().map(|x| x.to_bits().into()).collect(),
                ),
                _ => continue,
            };
            let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
            let name = &kernel.name;
            assert_eq!(
                differs, None,
                "{name}, {way}: first difference in parameter {i}"
            );
        }
    }
}

fn access(kernel: &Kernel) -> impl Iterator<Item = bool> {
    kernel.params.iter().map(|p| match p {
        Param::Buffer(b) => b.access == Access::ReadOnly,
        Param::Index { .. } => false,
    })
}

fn number(random: &mut Random, elem: Elem) -> f64 {
    let bits = random.bits();
    let unit = (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    let subnormal = match elem {
        Elem::F32 => 1e-40,
        Elem::F64 => 1e-310,
    };
    match bits % 16 {
        0 => 0.0,
        1 => -0.0,
        2 => unit * 1e-20,
        3 => unit * 1e10,
        4 => unit * subnormal,
        _ => unit,
    }
}
