//! The two element types of a kernel, and how they cross to `f64`.

use tdse_bundle::{Arg, Element};
use tdse_kir::Elem;

/// `f32` or `f64`.
pub trait Real: Element + Default + PartialEq {
    /// The element type in the IR.
    const ELEM: Elem;

    /// Rounds to nearest.
    fn from_f64(value: f64) -> Self;

    /// Exact.
    fn to_f64(self) -> f64;

    /// A buffer that a kernel reads.
    fn read(buffer: &[Self]) -> Arg<'_>;

    /// A buffer that a kernel writes.
    fn write(buffer: &mut [Self]) -> Arg<'_>;
}

impl Real for f64 {
    const ELEM: Elem = Elem::F64;

    fn from_f64(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn read(buffer: &[Self]) -> Arg<'_> {
        Arg::F64(buffer)
    }

    fn write(buffer: &mut [Self]) -> Arg<'_> {
        Arg::F64Mut(buffer)
    }
}

impl Real for f32 {
    const ELEM: Elem = Elem::F32;

    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn read(buffer: &[Self]) -> Arg<'_> {
        Arg::F32(buffer)
    }

    fn write(buffer: &mut [Self]) -> Arg<'_> {
        Arg::F32Mut(buffer)
    }
}
