//! Runs a kernel through the interpreter and through compiled code, and compares every bit.
// Each test file uses what it needs.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use tdse_bundle::{AlignedBuffer, Arg, Executable, Loader};
use tdse_cranelift::Cranelift;
use tdse_isa::{Host, Level, Proof};
use tdse_kir::{Access, Contraction, Elem, Kernel, KirArg, Param, Verified, interpret, verify};

/// Levels of this machine that can run kernels of a class.
pub fn levels(contraction: Contraction) -> Vec<Proof> {
    let mut levels = Host::get().levels();
    levels.retain(|p| contraction == Contraction::Separate || p.level().has_fma());
    levels
}

/// Verifies, then compares interpreter and code at every level, for index parameters at `index`.
pub fn agree(kernel: Kernel, index: i64) {
    let kernel = verify(kernel).unwrap_or_else(|e| panic!("{e}"));
    let mut expected = Buffers::new(&kernel);
    interpret(&kernel, &mut expected.kir_args(&kernel, index)).unwrap();
    // Another machine's code cannot run here, but where this build can make it, it must exist.
    if cfg!(any(feature = "all-arch", target_arch = "aarch64")) {
        let elsewhere = Cranelift::default().compile(&kernel, Level::Neon);
        assert_eq!(elsewhere.err(), None, "{} for aarch64", kernel.name);
    }
    for proof in levels(kernel.class.contraction) {
        let mut found = Buffers::new(&kernel);
        executable(&kernel, proof)
            .run(&mut found.args(&kernel, index))
            .unwrap();
        found.assert_equal(&expected, &kernel, proof.level());
    }
}

/// Compiles and loads.
pub fn executable(kernel: &Verified, proof: Proof) -> Executable {
    let image = Cranelift::default()
        .compile(kernel, proof.level())
        .unwrap_or_else(|e| panic!("{} at {}: {e}", kernel.name, proof.level()));
    let loader = Loader::probe().as_ref().unwrap();
    let code = Arc::new(loader.load(&image, proof).unwrap());
    // SAFETY: the code was lowered from this kernel.
    unsafe { Executable::new(kernel, code) }
}

enum Storage {
    F32(AlignedBuffer<f32>),
    F64(AlignedBuffer<f64>),
    Index,
}

/// One buffer for each parameter, filled with numbers of mixed sign and size, some of them zeros
/// of either sign, the same in every call.
struct Buffers(Vec<Storage>);

impl Buffers {
    fn new(kernel: &Kernel) -> Self {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        let storage = kernel.params.iter().map(|param| match param {
            Param::Index { .. } => Storage::Index,
            Param::Buffer(b) => {
                let values: Vec<f64> = (0..b.extent).map(|_| numbers.next()).collect();
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

    fn kir_args(&mut self, kernel: &Kernel, index: i64) -> Vec<KirArg<'_>> {
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

    fn args(&mut self, kernel: &Kernel, index: i64) -> Vec<Arg<'_>> {
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

    fn assert_equal(&self, expected: &Self, kernel: &Kernel, level: Level) {
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
                "{name} at {level}: first difference in parameter {i}"
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

/// xorshift64*.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let unit = (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        match bits % 16 {
            0 => 0.0,
            1 => -0.0,
            2 => unit * 1e-20,
            3 => unit * 1e10,
            _ => unit,
        }
    }
}
