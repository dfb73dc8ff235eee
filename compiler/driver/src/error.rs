//! Why a candidate does not become a kernel.

use tdse_backend::Refusal;
use tdse_bundle::LoadRefusal;
use tdse_kir::KirError;
use tdse_templates::TemplateError;

/// Why a candidate does not become a kernel.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompileRefusal {
    /// A name that is no tier of this build.
    #[error(
        "'{0}' is no code generator; there are llvm (where the build has it), cranelift and portable"
    )]
    UnknownTier(String),
    /// The template makes no such kernel.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The template made a kernel that the verifier refuses: a defect of this project.
    #[error("the template made a kernel that the verifier refuses ({0}); please report this")]
    Verifier(#[from] KirError),
    /// The backend lowers no such kernel.
    #[error(transparent)]
    Backend(#[from] Refusal),
    /// No code for the kernel was supplied, and none may be made.
    #[error("{kernel}: no code was supplied ({reason}); compile the pack again")]
    NotSupplied {
        /// The kernel.
        kernel: String,
        /// Why.
        reason: String,
    },
    /// The code cannot be loaded here.
    #[error(transparent)]
    Load(#[from] LoadRefusal),
}

impl CompileRefusal {
    /// Number and name of every refusal of this crate's own; the others keep theirs.
    pub const ALL: &[(u32, &'static str)] = &[(6201, "unknown_tier"), (6202, "code_not_supplied")];

    /// The stable number.
    pub fn code(&self) -> u32 {
        match self {
            CompileRefusal::UnknownTier(_) => Self::ALL[0].0,
            CompileRefusal::NotSupplied { .. } => Self::ALL[1].0,
            CompileRefusal::Template(e) => e.code(),
            CompileRefusal::Verifier(e) => e.code(),
            CompileRefusal::Backend(e) => e.code(),
            CompileRefusal::Load(e) => e.code(),
        }
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            CompileRefusal::UnknownTier(_) => Self::ALL[0].1,
            CompileRefusal::NotSupplied { .. } => Self::ALL[1].1,
            CompileRefusal::Template(e) => e.name(),
            CompileRefusal::Verifier(e) => e.name(),
            CompileRefusal::Backend(e) => e.name(),
            CompileRefusal::Load(e) => e.name(),
        }
    }
}
