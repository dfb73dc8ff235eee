//! `tdse pack inspect`: what a pack holds, or what an importer reads from a file.

use std::io::Read;
use std::path::Path;

use tdse_pack::import::describe;
use tdse_pack::looks_like_pack;

use super::pack_file::{facts, open, text};
use crate::args::InspectArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;

/// Describes the file; nothing is built.
pub(crate) fn pack_inspect(args: &InspectArgs, console: &Console) -> Result<Outcome, Fault> {
    let data = if begins_as_pack(&args.file) {
        facts(&open(&args.file)?)
    } else {
        describe(&args.file).map_err(|error| Fault::Pack {
            path: args.file.clone(),
            error,
        })?
    };
    console.say(text(&data));
    Ok(Outcome::ok(data))
}

/// Whether the file begins as a container does. A file that cannot be read does not; the importer
/// then says why.
fn begins_as_pack(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(16).read_to_end(&mut head));
    read.is_ok() && looks_like_pack(&head)
}
