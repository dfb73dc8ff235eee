//! Exit codes: the one place where their numbers stand. docs/cli.md lists them; a test compares.

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// Everything asked for was done.
    Ok,
    /// A defect of the program.
    Internal,
    /// The command line does not parse; the number is clap's own.
    Usage,
    /// An input file or value was refused.
    Input,
    /// The work was done and its answer is "no".
    CheckFailed,
    /// A pinned route, tier, schedule or ISA level cannot run here.
    RouteRefused,
    /// An output could not be written.
    Output,
}

impl ExitCode {
    /// Every code with its number and meaning, in the order of the documentation.
    pub(crate) const ALL: [(ExitCode, u8, &'static str); 7] = [
        (ExitCode::Ok, 0, "everything asked for was done"),
        (ExitCode::Internal, 1, "a defect of the program"),
        (ExitCode::Usage, 2, "the command line does not parse"),
        (ExitCode::Input, 3, "an input file or value was refused"),
        (
            ExitCode::CheckFailed,
            4,
            "a check failed: an unstable pack, a loop that cannot be solved, bits that differ, a bundle that does not run",
        ),
        (
            ExitCode::RouteRefused,
            5,
            "a pinned backend, route, tier, schedule or level cannot run here",
        ),
        (ExitCode::Output, 6, "an output could not be written"),
    ];

    /// The number the operating system sees.
    pub(crate) fn number(self) -> u8 {
        Self::ALL
            .iter()
            .find(|row| row.0 == self)
            .map_or(1, |row| row.1)
    }
}
