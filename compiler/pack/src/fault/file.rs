//! Refusals about files as such.

/// A file could not be read or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FileFault {
    /// The operating system refused to read.
    #[error("cannot read {path}: {reason}; check that it is a readable file")]
    Read {
        /// The file.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// The operating system refused to write.
    #[error("cannot write {path}: {reason}; check that its folder exists and is writable")]
    Write {
        /// The file.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// The file passes [`crate::MAX_FILE_BYTES`].
    #[error("{path} has more than {limit} bytes, the most this program reads; split it")]
    TooLarge {
        /// The file.
        path: String,
        /// The limit in bytes.
        limit: u64,
    },
}

codes!(FileFault {
    Read => 1001 "file_not_readable",
    Write => 1002 "file_not_writable",
    TooLarge => 1003 "file_too_large",
});
