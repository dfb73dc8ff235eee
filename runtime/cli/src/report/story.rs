//! Everything a quickstart found: the data behind the page and the content of `report.json`.

use serde::Serialize;
use serde_json::Value;
use tdse_pack::health::HealthReport;
use tdse_runtime::Explanation;

use crate::example_line::CoupledLine;

/// What a quickstart found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Story {
    /// Version and commit of the program.
    pub(crate) tdse: String,
    /// Where it ran.
    pub(crate) machine: Machine,
    /// The example's physics.
    pub(crate) line: CoupledLine,
    /// The pack: shape, identity, and how it was made.
    pub(crate) pack: Value,
    /// Size of the pack file in bytes.
    pub(crate) pack_bytes: usize,
    /// The check.
    pub(crate) health: HealthReport,
    /// Kernels compiled for this machine.
    pub(crate) kernels: Vec<KernelRow>,
    /// Output bits by executor and level.
    pub(crate) bits: Vec<BitRow>,
    /// Whether every executor of a class gave the same bits.
    pub(crate) bits_identical: bool,
    /// Step times.
    pub(crate) times: Vec<TimeRow>,
    /// Steps of each timed round, and rounds.
    pub(crate) timing: Timing,
    /// The decision, with the measured times filled in.
    pub(crate) explanation: Explanation,
    /// Files of the report folder.
    pub(crate) files: Vec<String>,
    /// Commands that repeat each part by hand.
    pub(crate) commands: Vec<String>,
}

/// Where a quickstart ran.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    /// Processor name, as far as the system tells.
    pub(crate) processor: String,
    /// Highest ISA level.
    pub(crate) level: String,
    /// Target of the build.
    pub(crate) target: String,
    /// Profile of the build.
    pub(crate) profile: String,
}

/// One compiled kernel.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct KernelRow {
    /// Code generator.
    pub(crate) tier: String,
    /// The kernel's key.
    pub(crate) kernel: String,
    /// Level that it was compiled for.
    pub(crate) level: String,
    /// From description to callable code.
    pub(crate) compile_ns: u64,
    /// SHA-256 of the machine code; none for code compiled ahead of time.
    pub(crate) code_sha256: Option<String>,
}

/// Output bits of one executor.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BitRow {
    /// Numeric class.
    pub(crate) class: String,
    /// `interpreter`, or a code generator.
    pub(crate) executor: String,
    /// Level that the code was generated for; empty for the interpreter.
    pub(crate) level: String,
    /// Schedules run.
    pub(crate) schedules: usize,
    /// What came out.
    pub(crate) digest: Digest,
}

/// Digest of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Digest {
    /// Every schedule gave these bits.
    Sha256(String),
    /// Schedules of this executor disagree.
    Differs(Vec<String>),
    /// The executor refuses the class at this level.
    Refused {
        /// Stable name of the refusal.
        name: String,
        /// The refusal in a sentence.
        text: String,
    },
}

/// Step time of one route.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TimeRow {
    /// Code generator.
    pub(crate) tier: String,
    /// Schedule.
    pub(crate) schedule: String,
    /// Level.
    pub(crate) level: String,
    /// Median over the rounds, per step.
    pub(crate) median_ns: f64,
    /// Fastest round, per step.
    pub(crate) least_ns: f64,
    /// Slowest round, per step.
    pub(crate) most_ns: f64,
    /// Whether AUTO runs this one.
    pub(crate) chosen: bool,
    /// SHA-256 of the output.
    pub(crate) output_sha256: String,
}

/// How step times were measured.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Timing {
    /// Steps of one round of one route.
    pub(crate) steps: usize,
    /// Rounds counted; each visits every route.
    pub(crate) rounds: usize,
}
