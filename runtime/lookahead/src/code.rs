//! What all kernels of a plan are made with.

use tdse_compiler::Tier;
use tdse_isa::Proof;
use tdse_kir::Contraction;

use crate::transform::TransformKind;

/// Code generator, level and rounding of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    /// The code generator.
    pub tier: Tier,
    /// Rounding of products.
    pub contraction: Contraction,
    /// The level that code is made for, proven.
    pub proof: Proof,
    /// Instructions of the transform library.
    pub transform: TransformKind,
}

impl Code {
    /// Transforms at the proof's level.
    pub fn new(tier: Tier, contraction: Contraction, proof: Proof) -> Self {
        Code {
            tier,
            contraction,
            proof,
            transform: TransformKind::of(proof.level()),
        }
    }
}
