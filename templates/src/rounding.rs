//! How a product joins a sum.

use tdse_kir::{Contraction, KernelBuilder, Value};

/// `h * x + sum`, rounded as the class says.
pub(crate) fn accumulate(
    b: &mut KernelBuilder,
    contraction: Contraction,
    h: Value,
    x: Value,
    sum: Value,
) -> Value {
    match contraction {
        Contraction::Fma => b.fma(h, x, sum),
        Contraction::Separate => {
            let product = b.mul(h, x);
            b.add(product, sum)
        }
    }
}
