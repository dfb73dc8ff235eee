//! Runs a kernel through the interpreter and through compiled code, and compares every bit.
// Each test file uses what it needs.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use tdse_bundle::{AlignedBuffer, Arg, Executable, Loader};
use tdse_isa::{Host, Level, Preference, Proof};
use tdse_kir::{Access, Contraction, Elem, Kernel, KirArg, Param, Verified, interpret, verify};
use tdse_llvm::Llvm;

/// Every width of register at every level of this machine that can run kernels of a class.
pub fn ways(contraction: Contraction) -> Vec<(Llvm, Proof)> {
    let mut ways: Vec<(Llvm, Proof)> = Vec::new();
    let widths = [
        Preference::Bits128,
        Preference::Bits256,
        Preference::Bits512,
    ];
    for proof in Host::get().levels() {
        if contraction == Contraction::Fma && !proof.level().has_fma() {
            continue;
        }
        for backend in widths.map(Llvm::with_width) {
            let bytes = backend.register_bytes(proof.level());
            let known = |way: &(Llvm, Proof)| {
                way.1.level() == proof.level() && way.0.register_bytes(proof.level()) == bytes
            };
            if !ways.iter().any(known) {
                ways.push((backend, proof));
            }
        }
    }
    ways
}

/// Verifies, then compares interpreter and code at every level, for index parameters at `index`.
pub fn agree(kernel: Kernel, index: i64) {
    let kernel = verify(kernel).unwrap_or_else(|e| panic!("{e}"));
    let mut expected = Buffers::new(&kernel);
    interpret(&kernel, &mut expected.kir_args(&kernel, index)).unwrap();
    // Code for the other architecture cannot run here, but it must exist.
    let elsewhere = match cfg!(target_arch = "aarch64") {
        true => Level::V4,
        false => Level::Neon,
    };
    let elsewhere = Llvm::new().compile(&kernel, elsewhere);
    assert_eq!(elsewhere.err(), None, "{} for elsewhere", kernel.name);
    for (backend, proof) in ways(kernel.class.contraction) {
        let mut found = Buffers::new(&kernel);
        executable(&backend, &kernel, proof)
            .run(&mut found.args(&kernel, index))
            .unwrap();
        let way = format!(
            "{} bytes at {}",
            backend.register_bytes(proof.level()),
            proof.level()
        );
        found.assert_equal(&expected, &kernel, &way);
    }
}

/// Compiles and loads.
pub fn executable(backend: &Llvm, kernel: &Verified, proof: Proof) -> Executable {
    let image = backend
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

    fn assert_equal(&self, expected: &Self, kernel: &Kernel, way: &str) {
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
