//! Why a bundle was not read or written.

use tdse_isa::Level;

/// A bundle was refused. Nothing of it is used, and a file that was to be written is as it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// The system did not let the file be read.
    #[error("{path} cannot be read ({reason}); check the path and its permissions")]
    NotReadable {
        /// The file.
        path: String,
        /// What the system answered.
        reason: String,
    },
    /// The system did not let the file be written.
    #[error(
        "{path} cannot be written ({reason}); check the folder, its permissions and free space"
    )]
    NotWritable {
        /// The file.
        path: String,
        /// What the system answered.
        reason: String,
    },
    /// A folder, pipe, socket or device.
    #[error("{path} is {found}, not a regular file; name the bundle itself")]
    NotRegular {
        /// The path.
        path: String,
        /// What it is.
        found: &'static str,
    },
    /// More bytes than are read or written.
    #[error(
        "the file has {found} bytes or more, the limit is {limit}; compile fewer routes into it"
    )]
    FileTooLarge {
        /// Bytes, as far as they are known.
        found: u64,
        /// The most that is read or written.
        limit: u64,
    },
    /// The file does not begin like a file of this kind.
    #[error("the file does not begin with {expected}: it is another kind of file")]
    NotABundle {
        /// What it should begin with.
        expected: &'static str,
    },
    /// A version of the format that this program does not know.
    #[error(
        "the file has format version {found}, this program reads {known}; compile the bundle again"
    )]
    UnknownVersion {
        /// The file's version.
        found: u32,
        /// The one version that is read.
        known: u32,
    },
    /// Fewer bytes than the file says it has.
    #[error("the file ends at byte {found}, {wanted} were expected; copy or compile it again")]
    CutOff {
        /// Bytes needed.
        wanted: u64,
        /// Bytes there.
        found: u64,
    },
    /// Bytes behind the last code.
    #[error("{found} bytes follow the last code; copy or compile the bundle again")]
    TrailingBytes {
        /// How many.
        found: u64,
    },
    /// The file's digest is not that of its bytes.
    #[error("the file is damaged: its digest is not that of its bytes; copy or compile it again")]
    DigestMismatch,
    /// A header longer than is read or written.
    #[error(
        "the header has {found} bytes, the limit is {limit}; compile fewer routes into the bundle"
    )]
    HeaderTooLarge {
        /// Bytes of the header.
        found: u64,
        /// The most it may have.
        limit: u64,
    },
    /// The header is not the JSON of this format.
    #[error("the header is not the JSON of a bundle ({reason}); compile the bundle again")]
    BadHeader {
        /// What the parser said.
        reason: String,
    },
    /// The header means the right thing in another spelling.
    #[error("the header is not spelt as this program spells it; compile the bundle again")]
    HeaderNotCanonical,
    /// A text that is empty, too long or has control characters.
    #[error("{field} is {reason}; a text has 1 to {limit} bytes without control characters")]
    BadText {
        /// Which text.
        field: &'static str,
        /// What is wrong with it.
        reason: &'static str,
        /// The most bytes it may have.
        limit: usize,
    },
    /// A value out of a closed list that is not on it.
    #[error("{field} is {found}, expected was {expected}; compile the bundle again")]
    BadValue {
        /// Which value.
        field: &'static str,
        /// What it is.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A shape that no pack has.
    #[error(
        "the shape {nh} x {nq} x {np} is none of a pack: each at least 1, their product at most {limit}"
    )]
    BadShape {
        /// Taps.
        nh: u64,
        /// Outputs.
        nq: u64,
        /// Inputs.
        np: u64,
        /// Largest product.
        limit: u64,
    },
    /// More of something than a bundle holds.
    #[error("{found} {what}, the limit is {limit}; compile fewer routes into the bundle")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Code that is empty or too long.
    #[error("{kernel} has {found} bytes of code, expected were 1 to {limit}; compile it again")]
    CodeSize {
        /// The kernel.
        kernel: String,
        /// Bytes of its code.
        found: u64,
        /// The most there may be.
        limit: u64,
    },
    /// The entry does not lie in the code.
    #[error(
        "{kernel}: the entry at byte {entry} lies outside the {bytes} bytes of code; compile it again"
    )]
    EntryOutside {
        /// The kernel.
        kernel: String,
        /// Its entry.
        entry: u64,
        /// Bytes of its code.
        bytes: u64,
    },
    /// Bytes between two pieces of code that are not zero.
    #[error("a byte before the code of {kernel} is not zero; copy or compile the bundle again")]
    GapNotZero {
        /// The kernel.
        kernel: String,
    },
    /// Code that is not the one that was stored under this key in this bundle.
    #[error(
        "the code of {kernel} was not made under this key for this bundle: its digest differs; compile the bundle again"
    )]
    EntryDigestMismatch {
        /// The kernel.
        kernel: String,
    },
    /// Two pieces of code under one key.
    #[error("two pieces of code have the key {key}; compile the bundle again")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A route that stands twice.
    #[error(
        "the route {route} stands twice with the same plan, generators and schedule; list it once"
    )]
    DuplicateRoute {
        /// The route.
        route: String,
    },
    /// A route that names a kernel the bundle does not hold.
    #[error(
        "the route {route} names kernel {index}, the bundle holds {entries}; compile the bundle again"
    )]
    NoSuchKernel {
        /// The route.
        route: String,
        /// The index.
        index: usize,
        /// Entries of the bundle.
        entries: usize,
    },
    /// A route that names a kernel twice.
    #[error("the route {route} names kernel {index} twice; compile the bundle again")]
    RepeatedKernel {
        /// The route.
        route: String,
        /// The index.
        index: usize,
    },
    /// Code for another level than the bundle's.
    #[error("{kernel} is for {found}, the bundle for {level}; compile it again")]
    OtherLevel {
        /// The kernel.
        kernel: String,
        /// Level of its code.
        found: Level,
        /// Level of the bundle.
        level: Level,
    },
    /// An entry whose code says something else than its key.
    #[error("the key says {key}, its code says {code}; store code under the key it was made for")]
    KeyNotOfCode {
        /// Kernel and level of the key.
        key: String,
        /// Kernel and level of the code.
        code: String,
    },
}

impl BundleError {
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (7201, "bundle_not_readable"),
        (7202, "bundle_not_writable"),
        (7203, "bundle_not_regular"),
        (7204, "bundle_too_large"),
        (7205, "not_a_bundle"),
        (7206, "unknown_version"),
        (7207, "cut_off"),
        (7208, "trailing_bytes"),
        (7209, "digest_mismatch"),
        (7210, "header_too_large"),
        (7211, "bad_header"),
        (7212, "header_not_canonical"),
        (7213, "bad_text"),
        (7214, "bad_value"),
        (7215, "bad_shape"),
        (7216, "too_many"),
        (7217, "code_size"),
        (7218, "bundle_entry_outside_code"),
        (7219, "gap_not_zero"),
        (7220, "entry_digest_mismatch"),
        (7221, "duplicate_code_key"),
        (7222, "duplicate_route"),
        (7223, "no_such_kernel"),
        (7224, "other_level"),
        (7225, "key_not_of_code"),
        (7226, "repeated_kernel"),
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
            BundleError::NotReadable { .. } => 0,
            BundleError::NotWritable { .. } => 1,
            BundleError::NotRegular { .. } => 2,
            BundleError::FileTooLarge { .. } => 3,
            BundleError::NotABundle { .. } => 4,
            BundleError::UnknownVersion { .. } => 5,
            BundleError::CutOff { .. } => 6,
            BundleError::TrailingBytes { .. } => 7,
            BundleError::DigestMismatch => 8,
            BundleError::HeaderTooLarge { .. } => 9,
            BundleError::BadHeader { .. } => 10,
            BundleError::HeaderNotCanonical => 11,
            BundleError::BadText { .. } => 12,
            BundleError::BadValue { .. } => 13,
            BundleError::BadShape { .. } => 14,
            BundleError::TooMany { .. } => 15,
            BundleError::CodeSize { .. } => 16,
            BundleError::EntryOutside { .. } => 17,
            BundleError::GapNotZero { .. } => 18,
            BundleError::EntryDigestMismatch { .. } => 19,
            BundleError::DuplicateKey { .. } => 20,
            BundleError::DuplicateRoute { .. } => 21,
            BundleError::NoSuchKernel { .. } => 22,
            BundleError::OtherLevel { .. } => 23,
            BundleError::KeyNotOfCode { .. } => 24,
            BundleError::RepeatedKernel { .. } => 25,
        }]
    }
}
