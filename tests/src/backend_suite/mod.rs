//! What every backend that makes machine code is held to: the interpreter's bits, and no access beyond a buffer.
//!
//! ```text
//! Suite { ways, elsewhere }      of one backend
//!   operations.rs    every operation, mask and form of loop
//!   families.rs      the kernel families, odd shapes
//!   guard_pages.rs   buffers that end, or begin, at an inaccessible page
//! ```
//!
//! A kernel is verified, interpreted, and then compiled and run in each of the ways; every bit of every
//! buffer is compared.
#![allow(clippy::unwrap_used, clippy::panic)]

mod buffers;
mod families;
#[cfg(target_os = "linux")]
mod guard_pages;
mod operations;

use std::sync::Arc;

use buffers::Buffers;
use tdse_backend::{Backend, Lowered};
use tdse_bundle::{Executable, Loader};
use tdse_isa::{Level, Proof};
use tdse_kir::{Contraction, Elem, Kernel, Verified, interpret, verify};

const CONTRACTIONS: [Contraction; 2] = [Contraction::Fma, Contraction::Separate];
const ELEMS: [Elem; 2] = [Elem::F32, Elem::F64];

/// A backend in each of the ways in which it is to be tried.
pub struct Suite {
    /// Ways to run code here.
    pub ways: Vec<Way>,
    /// Code that cannot run here, but must exist.
    pub elsewhere: Vec<(Box<dyn Backend>, Level)>,
}

/// A way to run kernels here.
pub struct Way {
    /// What makes the code.
    pub backend: Box<dyn Backend>,
    /// The level it is made for.
    pub proof: Proof,
}

impl Suite {
    /// Holds the code of a kernel here to the interpreter's bits, and asks for that of elsewhere.
    fn agree(&self, kernel: Kernel, index: i64) {
        let kernel = verify(kernel).unwrap_or_else(|e| panic!("{e}"));
        for (backend, level) in &self.elsewhere {
            if can(&kernel, *level) {
                let made = backend.lower(&kernel, *level);
                assert!(
                    made.is_ok(),
                    "{} for {level}: {:?}",
                    kernel.name,
                    made.err()
                );
            }
        }
        self.agree_here(&kernel, index);
    }

    fn agree_here(&self, kernel: &Verified, index: i64) {
        let mut expected = Buffers::new(kernel);
        interpret(kernel, &mut expected.kir_args(kernel, index)).unwrap();
        for way in self.ways_of(kernel) {
            let mut found = Buffers::new(kernel);
            way.executable(kernel)
                .run(&mut found.args(kernel, index))
                .unwrap();
            found.assert_equal(&expected, kernel, &way.name());
        }
    }

    /// The ways whose level has the kernel's class.
    fn ways_of(&self, kernel: &Verified) -> impl Iterator<Item = &Way> {
        self.ways
            .iter()
            .filter(|way| can(kernel, way.proof.level()))
    }
}

impl Way {
    fn executable(&self, kernel: &Verified) -> Executable {
        let image = match self.backend.lower(kernel, self.proof.level()) {
            Ok(Lowered::Machine(image)) => image,
            Ok(Lowered::Ready(_)) => panic!("{}: no machine code", kernel.name),
            Err(refusal) => panic!("{}, {}: {refusal}", kernel.name, self.name()),
        };
        let loader = Loader::probe().as_ref().unwrap();
        let code = Arc::new(loader.load(&image, self.proof).unwrap());
        // SAFETY: the code was lowered from this kernel.
        unsafe { Executable::new(kernel, code) }
    }

    fn name(&self) -> String {
        format!("{} at {}", self.backend.identity(), self.proof.level())
    }
}

fn can(kernel: &Kernel, level: Level) -> bool {
    kernel.class.contraction == Contraction::Separate || level.has_fma()
}
