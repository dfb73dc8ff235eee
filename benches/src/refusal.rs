//! Why a peer is not in the table.

use tdse_blas::BlasRefusal;
use tdse_runtime::RuntimeError;

/// Why a peer cannot run, or stopped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PeerRefusal {
    /// The runtime refused to prepare or to step.
    #[error(transparent)]
    Runtime(Box<RuntimeError>),
    /// There is no BLAS, or it refused a call.
    #[error(transparent)]
    Blas(Box<BlasRefusal>),
    /// The peer cannot evaluate this shape or element type.
    #[error("{peer} cannot run this: {reason}")]
    Unsuited {
        /// The peer.
        peer: &'static str,
        /// What it lacks.
        reason: String,
    },
    /// The peer's library is not on this machine.
    #[error("{library} cannot be loaded ({reason}); install {package} for this row")]
    Library {
        /// The library.
        library: &'static str,
        /// What the loader said.
        reason: String,
        /// Where it comes from.
        package: &'static str,
    },
    /// A library of another version than the one whose interface is known.
    #[error("{library} is not the one this program knows how to call: {reason}")]
    Version {
        /// The library.
        library: &'static str,
        /// What differs.
        reason: String,
    },
    /// The peer reported an error of its own.
    #[error("{peer} failed: {reason}")]
    Failed {
        /// The peer.
        peer: &'static str,
        /// What it said.
        reason: String,
    },
}

impl PeerRefusal {
    /// Number and name of every refusal; those of the layers below keep their own.
    pub const ALL: &[(u32, &'static str)] = &[
        (8401, "peer_unsuited"),
        (8402, "peer_library"),
        (8403, "peer_version"),
        (8404, "peer_failed"),
    ];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.entry().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u32, &'static str) {
        match self {
            PeerRefusal::Runtime(error) => (error.code(), error.name()),
            PeerRefusal::Blas(refusal) => (refusal.code(), refusal.name()),
            PeerRefusal::Unsuited { .. } => Self::ALL[0],
            PeerRefusal::Library { .. } => Self::ALL[1],
            PeerRefusal::Version { .. } => Self::ALL[2],
            PeerRefusal::Failed { .. } => Self::ALL[3],
        }
    }
}

impl From<RuntimeError> for PeerRefusal {
    fn from(error: RuntimeError) -> Self {
        PeerRefusal::Runtime(Box::new(error))
    }
}

impl From<BlasRefusal> for PeerRefusal {
    fn from(refusal: BlasRefusal) -> Self {
        PeerRefusal::Blas(Box::new(refusal))
    }
}
