//! One file a command. A command returns what it found; it says progress and results to the
//! console and leaves errors, envelope and exit code to the caller.

mod bench;
mod bundle_check;
mod bundle_disasm;
mod bundle_file;
mod bundle_inspect;
mod compile;
mod explain;
mod features;
mod pack_build;
mod pack_check;
mod pack_file;
mod pack_inspect;
mod quickstart;
mod run;

pub(crate) use bench::bench;
pub(crate) use bundle_check::bundle_check;
pub(crate) use bundle_disasm::bundle_disasm;
pub(crate) use bundle_file::open_bundle;
pub(crate) use bundle_inspect::bundle_inspect;
pub(crate) use compile::compile;
pub(crate) use explain::explain;
pub(crate) use features::features;
pub(crate) use pack_build::pack_build;
pub(crate) use pack_check::pack_check;
pub(crate) use pack_inspect::pack_inspect;
pub(crate) use quickstart::quickstart;
pub(crate) use run::run;
