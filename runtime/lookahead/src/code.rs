//! What all kernels of a plan are made with.

use tdse_compiler::Maker;
use tdse_kir::Contraction;

use crate::transform::TransformKind;

/// Maker of the kernels, rounding and transforms of an engine.
#[derive(Debug, Clone)]
pub struct Code {
    /// What makes the kernels' code.
    pub maker: Maker,
    /// Rounding of products.
    pub contraction: Contraction,
    /// Instructions of the transform library.
    pub transform: TransformKind,
}

impl Code {
    /// Transforms at the level that runs here.
    pub fn new(maker: Maker, contraction: Contraction) -> Self {
        Code {
            transform: TransformKind::of(maker.here().level()),
            maker,
            contraction,
        }
    }
}
