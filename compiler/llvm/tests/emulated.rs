//! Code for aarch64, executed by qemu-aarch64, gives the interpreter's bits.
//!
//! The kernel and its buffers become a program of one segment: it calls the kernel, writes the
//! last buffer to its output and ends. The image lies at a multiple of 64 bytes and not of a page,
//! as the loader may place it.
#![cfg(all(feature = "llvm", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use tdse_isa::Level;
use tdse_kir::{
    Access, Affine, Contraction, Elem, Kernel, KernelBuilder, KirArg, NumericClass, Param, VecType,
    interpret, verify,
};
use tdse_llvm::Llvm;
use tdse_templates::{
    BlockSchedule, BlockShape, DirectShape, Schedule, SpectralSchedule, SpectralShape, direct,
    spectral_mac, temporal_block,
};

const EMULATOR: &str = "qemu-aarch64";

#[test]
fn kernels_for_aarch64_give_the_interpreters_bits() {
    if Command::new(EMULATOR).arg("--version").output().is_err() {
        println!("SKIP {EMULATOR} is not installed");
        return;
    }
    for elem in [Elem::F64, Elem::F32] {
        for contraction in [Contraction::Fma, Contraction::Separate] {
            for kernel in kernels(elem, contraction) {
                agree(kernel, elem);
            }
        }
    }
}

fn kernels(elem: Elem, contraction: Contraction) -> Vec<Kernel> {
    let mut kernels = vec![constants(elem)];
    for (np, nq, taps) in [(1, 1, 1), (2, 3, 17), (5, 7, 33)] {
        let shape = DirectShape { np, nq, taps, elem };
        for schedule in [
            Schedule::Taps { rows: 3, unroll: 2 },
            Schedule::Rows {
                lanes: 4,
                unroll: 1,
            },
        ] {
            kernels.push(direct(&shape, contraction, schedule).unwrap());
        }
    }
    let spectral = SpectralShape {
        np: 3,
        nq: 5,
        groups: 2,
        lanes: 4,
        y_stride: 17,
        y_im: 8,
        elem,
    };
    kernels.push(spectral_mac(&spectral, contraction, SpectralSchedule { rows: 2 }).unwrap());
    let block = BlockShape {
        np: 2,
        nq: 3,
        lags: 7,
        block: 13,
        x_stride: 20,
        y_stride: 13,
        elem,
    };
    let schedule = BlockSchedule { rows: 2, lanes: 8 };
    kernels.push(temporal_block(&block, contraction, schedule).unwrap());
    kernels
}

/// Constants that no immediate holds, so that the code has to find them in memory.
fn constants(elem: Elem) -> Kernel {
    let mut b = KernelBuilder::new("constants", NumericClass::direct(Contraction::Separate));
    let ty = VecType::new(elem, 8);
    let x = b.buffer("x", elem, 8, Access::ReadOnly, 8);
    let y = b.buffer("y", elem, 16, Access::WriteOnly, 8);
    let x = b.load(ty, x, Affine::at(0));
    for (i, number) in [(0, f64::from(1.0_f32 / 3.0)), (8, f64::from(0.1_f32))] {
        let number = b.constant(ty, number);
        let product = b.mul(x, number);
        b.store(y, Affine::at(i), product, 8);
    }
    b.finish()
}

/// Small fractions of either sign, as bytes.
fn numbers(elem: Elem, len: u64, from: usize) -> Vec<f64> {
    let number = |i: usize| ((i * 37 + 11) % 101) as f64 / 7.0 - 7.0;
    let numbers = (from..from + len as usize).map(number);
    match elem {
        Elem::F64 => numbers.collect(),
        Elem::F32 => numbers.map(|v| f64::from(v as f32)).collect(),
    }
}

fn bytes(elem: Elem, numbers: &[f64]) -> Vec<u8> {
    let bytes = numbers.iter().map(|&v| match elem {
        Elem::F64 => v.to_le_bytes().to_vec(),
        Elem::F32 => (v as f32).to_le_bytes().to_vec(),
    });
    bytes.flatten().collect()
}

fn agree(kernel: Kernel, elem: Elem) {
    let kernel = verify(kernel).unwrap();
    let extents: Vec<u64> = kernel
        .params
        .iter()
        .filter_map(|param| match param {
            Param::Buffer(buffer) => Some(buffer.extent),
            Param::Index { .. } => None,
        })
        .collect();
    let buffers: Vec<Vec<f64>> = extents
        .iter()
        .enumerate()
        .map(|(i, &len)| numbers(elem, len, 1000 * i))
        .collect();
    let image = Llvm::new().compile(&kernel, Level::Neon).unwrap();
    let slots: Vec<Vec<u8>> = buffers.iter().map(|b| bytes(elem, b)).collect();
    let expected = interpreted(&kernel, elem, &buffers);
    let found = emulated(&image.bytes, image.entry, &slots);
    assert_eq!(found, expected, "{}", kernel.name);
}

/// What the interpreter leaves in the last buffer.
fn interpreted(kernel: &tdse_kir::Verified, elem: Elem, buffers: &[Vec<f64>]) -> Vec<u8> {
    let (last, read) = buffers.split_last().unwrap();
    match elem {
        Elem::F64 => {
            let mut y = last.clone();
            let mut args: Vec<KirArg> = read.iter().map(|b| KirArg::F64(b)).collect();
            args.push(KirArg::F64Mut(&mut y));
            interpret(kernel, &mut args).unwrap();
            bytes(elem, &y)
        }
        Elem::F32 => {
            let narrow = |b: &Vec<f64>| b.iter().map(|&v| v as f32).collect::<Vec<f32>>();
            let mut y = narrow(last);
            let read: Vec<Vec<f32>> = read.iter().map(narrow).collect();
            let mut args: Vec<KirArg> = read.iter().map(|b| KirArg::F32(b)).collect();
            args.push(KirArg::F32Mut(&mut y));
            interpret(kernel, &mut args).unwrap();
            y.iter().flat_map(|v| v.to_le_bytes()).collect()
        }
    }
}

/// Runs the program and returns what it wrote.
fn emulated(code: &[u8], entry: usize, slots: &[Vec<u8>]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program");
    fs::write(&path, program(code, entry, slots)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    let out = Command::new(EMULATOR).arg(&path).output().unwrap();
    assert!(out.status.success(), "{:?}", out.status);
    out.stdout
}

/// Where the program is loaded.
const BASE: u64 = 0x40_0000;
/// ELF header and one program header, rounded up.
const START: usize = 128;

/// A static ELF program: start, kernel, slots, buffers.
fn program(code: &[u8], entry: usize, slots: &[Vec<u8>]) -> Vec<u8> {
    let mut file = vec![0; START];
    let start = file.len();
    file.resize(start + 128, 0);
    let kernel = file.len();
    assert!(kernel.is_multiple_of(64) && !kernel.is_multiple_of(4096));
    file.extend_from_slice(code);
    file.resize(file.len().next_multiple_of(64), 0);
    let table = file.len();
    file.resize(table + 64, 0);
    for (i, slot) in slots.iter().enumerate() {
        let at = file.len();
        let address = (BASE + at as u64).to_le_bytes();
        file[table + 8 * i..table + 8 * i + 8].copy_from_slice(&address);
        file.extend_from_slice(slot);
        file.resize(file.len().next_multiple_of(64), 0);
    }
    let y = u64::from_le_bytes(
        file[table + 8 * slots.len() - 8..table + 8 * slots.len()]
            .try_into()
            .unwrap(),
    );
    let literals = [
        BASE + table as u64,
        BASE + (kernel + entry) as u64,
        y,
        slots.last().unwrap().len() as u64,
    ];
    let load = |at: usize, register: u32, literal: usize| {
        let distance = 48 + 8 * literal - 4 * at;
        0x5800_0000 | (distance as u32 / 4) << 5 | register
    };
    let instructions = [
        load(0, 0, 0),
        load(1, 16, 1),
        0xd63f_0200, // blr x16
        0xd280_0020, // mov x0, #1
        load(4, 1, 2),
        load(5, 2, 3),
        0xd280_0808, // mov x8, #64: write
        0xd400_0001, // svc #0
        0xd280_0000, // mov x0, #0
        0xd280_0ba8, // mov x8, #93: exit
        0xd400_0001, // svc #0
        0xd503_201f, // nop
    ];
    let text = instructions.iter().flat_map(|i: &u32| i.to_le_bytes());
    let text = text.chain(literals.iter().flat_map(|l| l.to_le_bytes()));
    for (i, byte) in text.enumerate() {
        file[start + i] = byte;
    }
    header(&mut file, BASE + start as u64);
    file
}

/// The headers of a program of one segment.
fn header(file: &mut [u8], entry: u64) {
    let size = file.len() as u64;
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"\x7fELF\x02\x01\x01");
    put(16, &2_u16.to_le_bytes()); // a program
    put(18, &183_u16.to_le_bytes()); // for aarch64
    put(20, &1_u32.to_le_bytes());
    put(24, &entry.to_le_bytes());
    put(32, &64_u64.to_le_bytes()); // program headers
    put(52, &64_u16.to_le_bytes());
    put(54, &56_u16.to_le_bytes());
    put(56, &1_u16.to_le_bytes());
    put(64, &1_u32.to_le_bytes()); // load
    put(68, &7_u32.to_le_bytes()); // read, write, execute
    put(80, &BASE.to_le_bytes());
    put(88, &BASE.to_le_bytes());
    put(96, &size.to_le_bytes());
    put(104, &size.to_le_bytes());
    put(112, &0x1_0000_u64.to_le_bytes());
}
