//! Refusals about `.npy` and `.npz` files.

/// A NumPy file cannot become a pack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NpyFault {
    /// The first bytes are not those of a `.npy` file.
    #[error("this is no .npy data: it does not begin with the NumPy magic")]
    NotNpy,
    /// The header is cut off or longer than the limit.
    #[error(
        "the .npy header needs {wanted} bytes, {found} are there or allowed; the file is damaged"
    )]
    HeaderSize {
        /// Bytes claimed.
        wanted: u64,
        /// Bytes there or allowed.
        found: u64,
    },
    /// The header cannot be parsed.
    #[error("the .npy header is not valid: {reason}")]
    BadHeader {
        /// What the parser said.
        reason: String,
    },
    /// The element type is no real number.
    #[error("the .npy element type is {found}; wanted is f4, f8, or an integer of 1 to 8 bytes")]
    WrongType {
        /// The type found.
        found: String,
    },
    /// The shape's product passes the limit.
    #[error(
        "the .npy shape {shape:?} has too many elements; at most {} are read",
        crate::MAX_TAPS
    )]
    TooManyElements {
        /// The shape.
        shape: Vec<u64>,
    },
    /// The data are shorter or longer than the shape asks for.
    #[error("the .npy shape asks for {wanted} data bytes, {found} are there")]
    WrongSize {
        /// Bytes that the shape asks for.
        wanted: u64,
        /// Bytes there.
        found: u64,
    },
    /// A wide integer has no exact f64.
    #[error(
        "element {index} of the .npy data is the integer {value}, which a 64-bit float cannot hold exactly"
    )]
    InexactInteger {
        /// Row-major index.
        index: usize,
        /// The value.
        value: i128,
    },
    /// The taps are neither 1-D nor 3-D.
    #[error(
        "the array has {axes} axes; taps are [nh] (one input, one output) or [nh][nq][np]: reshape a 2-D array so that both ports show"
    )]
    WrongAxes {
        /// Axes found.
        axes: usize,
    },
    /// The zip archive cannot be read.
    #[error("the .npz archive is not valid: {reason}")]
    BadArchive {
        /// What the reader said.
        reason: String,
    },
    /// More arrays, or more bytes, than the limits allow.
    #[error("the .npz entry {entry:?} passes a limit: {reason}")]
    ArchiveTooLarge {
        /// The entry.
        entry: String,
        /// Which limit.
        reason: String,
    },
    /// Two entries have one name.
    #[error("the .npz archive holds the array {name:?} twice")]
    DuplicateArray {
        /// The array's name.
        name: String,
    },
    /// There is no array `H`.
    #[error("the .npz archive holds no array \"H\"; taps are expected under that name")]
    MissingTaps,
    /// `dt` or `fs` is no usable number.
    #[error("the array {name:?} must be one positive finite number; {reason}")]
    BadScalar {
        /// `"dt"` or `"fs"`.
        name: &'static str,
        /// What was found.
        reason: String,
    },
    /// `dt` and `fs` disagree.
    #[error("the archive says dt = {dt:e} s and fs = {fs:e} Hz, which disagree; drop one")]
    RateConflict {
        /// `dt` in seconds.
        dt: f64,
        /// `fs` in hertz.
        fs: f64,
    },
    /// `IR` is not `[steps][nq]`.
    #[error(
        "the array \"IR\" has shape {shape:?}; wanted is [steps][{nq}], or [steps] for one output"
    )]
    IrShape {
        /// The shape found.
        shape: Vec<usize>,
        /// Outputs.
        nq: usize,
    },
}

codes!(NpyFault {
    NotNpy => 4001 "not_npy",
    HeaderSize => 4002 "npy_header_size",
    BadHeader => 4003 "npy_bad_header",
    WrongType => 4004 "npy_wrong_type",
    TooManyElements => 4005 "npy_too_many_elements",
    WrongSize => 4006 "npy_wrong_size",
    InexactInteger => 4007 "npy_inexact_integer",
    WrongAxes => 4008 "npy_wrong_axes",
    BadArchive => 4101 "npz_bad_archive",
    ArchiveTooLarge => 4102 "npz_too_large",
    DuplicateArray => 4103 "npz_duplicate_array",
    MissingTaps => 4104 "npz_missing_taps",
    BadScalar => 4105 "npz_bad_scalar",
    RateConflict => 4106 "npz_rate_conflict",
    IrShape => 4107 "npz_ir_shape",
});
