//! Why the cache gave no code, or did not keep some.

use crate::bundle_error::BundleError;

/// The code has to be compiled, now or the next time. Nothing else follows from it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CacheMiss {
    /// Nothing is stored under the key.
    #[error("nothing is stored under this key; the kernel is compiled")]
    Absent,
    /// The folder is not one that only this user or root can write to.
    #[error(
        "the cache {folder} is not used: it is {reason}; name a folder that only its owner can write to"
    )]
    FolderNotTrusted {
        /// The folder.
        folder: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A stored file is not one that only this user or root can write to.
    #[error("{file} in the cache is not used: it is {reason}; remove it")]
    FileNotTrusted {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The system did not let it be read.
    #[error("{path} cannot be read ({reason}); the kernel is compiled")]
    NotReadable {
        /// Folder or file.
        path: String,
        /// What the system answered.
        reason: String,
    },
    /// What is stored is not what was stored.
    #[error("{file} in the cache is not used and replaced; it is damaged (error {})", .fault.code())]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        fault: BundleError,
    },
    /// The file holds code of another key.
    #[error("{file} in the cache holds code of another key ({difference}); remove it")]
    OtherKey {
        /// The file.
        file: String,
        /// Every differing field: asked against found.
        difference: String,
    },
    /// The system did not let it be written.
    #[error("the cache {folder} does not keep the code ({reason}); it is compiled again next time")]
    NotWritable {
        /// The folder.
        folder: String,
        /// What the system answered.
        reason: String,
    },
    /// Code or key break the rules of stored code.
    #[error("the cache does not keep the code: {0}")]
    NotStorable(BundleError),
    /// One piece of code larger than the whole cache may be.
    #[error("the cache does not keep {bytes} bytes: its limit is {limit}; raise it")]
    LargerThanCache {
        /// Bytes of the file.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Old files could not be removed. The code is kept all the same.
    #[error(
        "the cache {folder} passes its limit: old files cannot be removed ({reason}); remove them by hand"
    )]
    NotTrimmed {
        /// The folder.
        folder: String,
        /// What the system answered.
        reason: String,
    },
}

impl CacheMiss {
    /// Number and name of every reason.
    pub const ALL: &[(u32, &'static str)] = &[
        (7301, "cache_absent"),
        (7302, "cache_folder_not_trusted"),
        (7303, "cache_file_not_trusted"),
        (7304, "cache_not_readable"),
        (7305, "cache_damaged"),
        (7306, "cache_other_key"),
        (7307, "cache_not_writable"),
        (7308, "cache_not_storable"),
        (7309, "larger_than_cache"),
        (7310, "cache_not_trimmed"),
    ];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.row().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.row().1
    }

    fn row(&self) -> (u32, &'static str) {
        Self::ALL[match self {
            CacheMiss::Absent => 0,
            CacheMiss::FolderNotTrusted { .. } => 1,
            CacheMiss::FileNotTrusted { .. } => 2,
            CacheMiss::NotReadable { .. } => 3,
            CacheMiss::Damaged { .. } => 4,
            CacheMiss::OtherKey { .. } => 5,
            CacheMiss::NotWritable { .. } => 6,
            CacheMiss::NotStorable(_) => 7,
            CacheMiss::LargerThanCache { .. } => 8,
            CacheMiss::NotTrimmed { .. } => 9,
        }]
    }
}
