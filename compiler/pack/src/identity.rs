//! What a pack *is*, apart from how its file was laid out.
//!
//! Two files may hold the same numbers with other padding, tensor order or remarks about how they
//! were made. Kernels, bundles and caches must be keyed by the numbers alone, so the identity is
//! taken over a canonical byte sequence, never over the file:
//!
//! ```text
//! "tdse-pack-content/1\0"
//! nh, nq, np           u64 LE each
//! dt                   f64 bits, LE
//! H                    f64 LE, [nh][nq][np]
//! IR steps             u64 LE (0 without IR)
//! IR                   f64 LE, [steps][nq]
//! inputs, outputs      each: u64 LE count, then for each name u64 LE bytes and the UTF-8
//! ```
//!
//! Invariant: `made_by` and the container never enter. Every field has a fixed place or a length
//! before it, so two different contents never give the same sequence.
//!
//! Cost: one pass over the taps through both hash functions, 64 KiB at a time.

use sha2::Digest;

use crate::PackParts;

/// The domain string in front of the canonical content form.
pub const CONTENT_DOMAIN: &[u8] = b"tdse-pack-content/1\0";

/// SHA-256 and BLAKE3 of a pack's canonical content form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// SHA-256, the name of the pack in manifests and signatures.
    pub sha256: [u8; 32],
    /// BLAKE3, the key of caches.
    pub blake3: [u8; 32],
}

impl Identity {
    /// The SHA-256 as 64 lower-case hexadecimal digits.
    pub fn sha256_hex(&self) -> String {
        hex(&self.sha256)
    }

    /// The BLAKE3 as 64 lower-case hexadecimal digits.
    pub fn blake3_hex(&self) -> String {
        hex(&self.blake3)
    }

    /// Hashes the content of a pack.
    pub(crate) fn of(parts: &PackParts) -> Identity {
        let mut both = Both {
            sha256: sha2::Sha256::new(),
            blake3: blake3::Hasher::new(),
        };
        let shape = parts.shape;
        both.bytes(CONTENT_DOMAIN);
        both.count(shape.nh());
        both.count(shape.nq());
        both.count(shape.np());
        both.floats(&[parts.dt]);
        both.floats(&parts.taps);
        let ir = parts.ir.as_deref().unwrap_or(&[]);
        both.count(ir.len() / shape.nq());
        both.floats(ir);
        both.names(&parts.inputs);
        both.names(&parts.outputs);
        Identity {
            sha256: both.sha256.finalize().into(),
            blake3: *both.blake3.finalize().as_bytes(),
        }
    }
}

struct Both {
    sha256: sha2::Sha256,
    blake3: blake3::Hasher,
}

impl Both {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        self.blake3.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    fn floats(&mut self, values: &[f64]) {
        let mut block = Vec::with_capacity(64 << 10);
        for chunk in values.chunks(8 << 10) {
            block.clear();
            block.extend(chunk.iter().flat_map(|value| value.to_le_bytes()));
            self.bytes(&block);
        }
    }

    fn names(&mut self, names: &[String]) {
        self.count(names.len());
        for name in names {
            self.count(name.len());
            self.bytes(name.as_bytes());
        }
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
