//! The typed call accepts what fits and names what does not.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use tdse_backend::{EntryPoint, Slot};
use tdse_bundle::{AlignedBuffer, Arg, CallError, Executable};
use tdse_kir::VecType;
use tdse_kir::{
    Access, Affine, Bound, Contraction, Elem, KernelBuilder, NumericClass, Order, Verified, verify,
};

/// `y[0..4] = x[0..4] * 1`, with a loop bound as third parameter.
fn kernel() -> Verified {
    let class = NumericClass {
        order: Order::Elementwise,
        contraction: Contraction::Separate,
    };
    let mut b = KernelBuilder::new("copy", class);
    let x = b.buffer("x", Elem::F64, 4, Access::ReadOnly, 64);
    let y = b.buffer("y", Elem::F64, 4, Access::ReadWrite, 8);
    let n = b.index("n", 0, 4);
    b.repeat("i", Bound::Const(0), Bound::Param(n), &[], |b, i, _| {
        let value = b.load(VecType::scalar(Elem::F64), x, Affine::at(0).plus(i, 1));
        b.store(y, Affine::at(0).plus(i, 1), value, 1);
        Vec::new()
    });
    verify(b.finish()).unwrap()
}

/// Copies as the kernel says.
struct Copies;

impl EntryPoint for Copies {
    unsafe fn call(&self, slots: *const Slot) {
        // SAFETY: the typed call passes three slots: two buffers of four `f64` and an index to 4.
        unsafe {
            let (x, y, n) = (
                (*slots).pointer,
                (*slots.add(1)).pointer,
                (*slots.add(2)).index,
            );
            std::ptr::copy_nonoverlapping(x.cast::<f64>(), y.cast(), n as usize);
        }
    }
}

fn executable() -> Executable {
    // SAFETY: `Copies` does what the kernel says.
    unsafe { Executable::new(&kernel(), Arc::new(Copies)) }
}

#[test]
fn a_fitting_call_runs() {
    let x = AlignedBuffer::from_slice(&[1.0, 2.0, 3.0, 4.0]);
    let mut y = [0.0; 5];
    executable()
        .run(&mut [Arg::F64(&x), Arg::F64Mut(&mut y), Arg::Index(3)])
        .unwrap();
    assert_eq!(y, [1.0, 2.0, 3.0, 0.0, 0.0]);
    let mut x = x;
    executable()
        .run(&mut [Arg::F64Mut(&mut x), Arg::F64Mut(&mut y), Arg::Index(4)])
        .unwrap();
    assert_eq!(y, [1.0, 2.0, 3.0, 4.0, 0.0]);
}

#[test]
fn what_does_not_fit_is_named_and_does_not_run() {
    let x = AlignedBuffer::from_slice(&[1.0; 5]);
    let narrow = [1.0_f32; 4];
    let mut y = [7.0; 4];
    let e = executable();
    let mut refused: Vec<CallError> = Vec::new();
    let mut ask = |args: &mut [Arg<'_>]| refused.push(e.run(args).unwrap_err());
    ask(&mut [Arg::F64(&x), Arg::F64Mut(&mut y)]);
    ask(&mut [Arg::F32(&narrow), Arg::F64Mut(&mut y), Arg::Index(0)]);
    ask(&mut [Arg::Index(0), Arg::F64Mut(&mut y), Arg::Index(0)]);
    ask(&mut [Arg::F64(&x), Arg::F64(&x), Arg::Index(0)]);
    ask(&mut [Arg::F64(&x), Arg::F64Mut(&mut y), Arg::F64(&x)]);
    ask(&mut [Arg::F64(&x[..3]), Arg::F64Mut(&mut y), Arg::Index(0)]);
    ask(&mut [Arg::F64(&x[1..]), Arg::F64Mut(&mut y), Arg::Index(0)]);
    ask(&mut [Arg::F64(&x), Arg::F64Mut(&mut y), Arg::Index(5)]);
    ask(&mut [Arg::F64(&x), Arg::F64Mut(&mut y), Arg::Index(-1)]);
    let names: Vec<&str> = refused.iter().map(CallError::name).collect();
    let expected = [
        "argument_count",
        "argument_type",
        "argument_type",
        "argument_type",
        "argument_type",
        "argument_too_short",
        "argument_misaligned",
        "index_out_of_range",
        "index_out_of_range",
    ];
    assert_eq!(names, expected);
    let codes: Vec<u32> = refused.iter().map(CallError::code).collect();
    assert_eq!(
        codes,
        [7101, 7103, 7103, 7103, 7103, 7104, 7105, 7106, 7106]
    );
    assert_eq!(
        refused[5].to_string(),
        "parameter 0 (x) needs 4 elements, the argument has 3"
    );
    assert_eq!(
        refused[7].to_string(),
        "parameter 2 (n) takes 0 to 4, the argument is 5"
    );
    assert_eq!(y, [7.0; 4]);
}
