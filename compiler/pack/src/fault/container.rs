//! Refusals about the container of a pack file.

/// The bytes are not a pack container of this version.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ContainerFault {
    /// Fewer bytes than the header and its length need.
    #[error(
        "the file ends inside its header: {wanted} bytes are needed, {found} are there; it is cut off or no pack"
    )]
    HeaderCutOff {
        /// Bytes needed.
        wanted: u64,
        /// Bytes there.
        found: u64,
    },
    /// The header's length passes the limit.
    #[error(
        "the header claims {found} bytes, at most {limit} are accepted; the file is damaged or no pack"
    )]
    HeaderTooLarge {
        /// Claimed length.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// The header is not the JSON that a container needs.
    #[error("the header is not valid: {reason}; the file is damaged or no pack")]
    BadHeader {
        /// What the parser said.
        reason: String,
    },
    /// A key stands twice in the header, in a tensor's entry or in the record.
    #[error("the key {key:?} stands twice; a pack says everything once")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// The tensors' places overlap, leave gaps or are not in the file's order.
    #[error("the places of the tensors are not one gapless sequence: {reason}")]
    BadLayout {
        /// What is wrong.
        reason: String,
    },
    /// The file ends before the data that its header places in it.
    #[error("the tensors need {wanted} bytes, {found} are there; the file is cut off")]
    DataCutOff {
        /// Bytes needed.
        wanted: u64,
        /// Bytes there.
        found: u64,
    },
    /// Bytes follow the last tensor.
    #[error("{found} bytes follow the last tensor; a pack ends with its data")]
    TrailingBytes {
        /// Number of bytes.
        found: u64,
    },
    /// There is no tensor `H`.
    #[error("the tensor H is missing; a pack needs its taps")]
    MissingTaps,
    /// A tensor other than `H` and `IR`.
    #[error("the tensor {name:?} is unknown; a pack holds H and perhaps IR")]
    UnknownTensor {
        /// Its name.
        name: String,
    },
    /// A tensor is not F64.
    #[error("the tensor {tensor} has type {found:?}; a pack needs F64")]
    WrongType {
        /// `"H"` or `"IR"`.
        tensor: &'static str,
        /// The type found.
        found: String,
    },
    /// A tensor has the wrong number of axes, or `IR` has another `nq` than `H`.
    #[error("the tensor {tensor} has shape {found:?}; wanted is {wanted}")]
    WrongShape {
        /// `"H"` or `"IR"`.
        tensor: &'static str,
        /// The shape found.
        found: Vec<u64>,
        /// The shape wanted, in words.
        wanted: &'static str,
    },
    /// Shape and number of bytes of a tensor disagree.
    #[error("the tensor {tensor} has {found} bytes, its shape asks for {wanted}")]
    WrongSize {
        /// `"H"` or `"IR"`.
        tensor: &'static str,
        /// Bytes that the shape asks for.
        wanted: u64,
        /// Bytes between its offsets.
        found: u64,
    },
    /// The metadata have no `tdse` record.
    #[error("the metadata hold no \"tdse\" record; this is a safetensors file, but no pack")]
    MissingRecord,
    /// A metadata key other than `tdse`.
    #[error("the metadata key {key:?} is unknown; a pack holds \"tdse\" alone")]
    UnknownMetadata {
        /// The key.
        key: String,
    },
    /// The record is not JSON with the fields of its schema.
    #[error("the \"tdse\" record is not valid: {reason}")]
    BadRecord {
        /// What is wrong.
        reason: String,
    },
    /// The record's schema is not the one that this version reads.
    #[error("the record's schema is {found:?}; this version reads \"tdse.pack/1\"")]
    UnknownSchema {
        /// The schema found.
        found: String,
    },
    /// A field of the record is unknown.
    #[error("the record's field {field:?} is unknown in tdse.pack/1")]
    UnknownField {
        /// The field.
        field: String,
    },
    /// `dt` and `dt_bits` disagree.
    #[error("dt and dt_bits of the record differ ({bits}); one of them was edited or rounded")]
    TimeStepMismatch {
        /// The bits found, as text.
        bits: String,
    },
}

codes!(ContainerFault {
    HeaderCutOff => 1101 "header_cut_off",
    HeaderTooLarge => 1102 "header_too_large",
    BadHeader => 1103 "bad_header",
    DuplicateKey => 1104 "duplicate_key",
    BadLayout => 1105 "bad_layout",
    DataCutOff => 1106 "data_cut_off",
    TrailingBytes => 1107 "trailing_bytes",
    MissingTaps => 1108 "missing_taps",
    UnknownTensor => 1109 "unknown_tensor",
    WrongType => 1110 "wrong_type",
    WrongShape => 1111 "wrong_shape",
    WrongSize => 1112 "wrong_size",
    MissingRecord => 1113 "missing_record",
    UnknownMetadata => 1114 "unknown_metadata",
    BadRecord => 1115 "bad_record",
    UnknownSchema => 1116 "unknown_schema",
    UnknownField => 1117 "unknown_field",
    TimeStepMismatch => 1118 "time_step_mismatch",
});
