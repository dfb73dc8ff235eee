//! Refusals about choosing an importer and its options.

/// A file cannot be imported as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ImportFault {
    /// Neither content nor suffix says what the file is.
    #[error(
        "{name:?} is no format this program imports; it reads Touchstone (.sNp, .ts), .npy, .npz, .wav and admittance text (.txt, .txt.gz)"
    )]
    UnknownFormat {
        /// The file's name.
        name: String,
    },
    /// The file holds no time step and none was given.
    #[error("a .{format} file holds no time step; give dt in seconds")]
    MissingTimeStep {
        /// The format.
        format: &'static str,
    },
    /// The file holds a time step and another one was given.
    #[error(
        "the file says dt = {found:e} s, the options say {asked:e} s; leave dt out or make them equal"
    )]
    TimeStepConflict {
        /// From the file.
        found: f64,
        /// From the options.
        asked: f64,
    },
    /// An option was given that files of this kind have no use for.
    #[error("{option} has no effect on a {format} file; leave it out")]
    UnusedOption {
        /// The option, as on the command line.
        option: &'static str,
        /// The kind of file.
        format: &'static str,
    },
    /// The file is already a pack.
    #[error("{name:?} is already a pack; open it instead of importing it")]
    AlreadyPack {
        /// The file's name.
        name: String,
    },
}

codes!(ImportFault {
    UnknownFormat => 1301 "unknown_format",
    MissingTimeStep => 1302 "missing_time_step",
    TimeStepConflict => 1303 "time_step_conflict",
    AlreadyPack => 1304 "already_a_pack",
    UnusedOption => 1305 "option_without_effect",
});
