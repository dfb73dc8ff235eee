//! `tdse bundle disasm`: the machine code of a bundle as text.
//!
//! x86-64 is decoded; words of AArch64 are printed as they are, for a disassembler of that architecture.

use std::fmt::Write;

use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter, Instruction};
use serde_json::json;
use tdse_isa::Level;

use super::bundle_file::open_bundle;
use crate::args::DisasmArgs;
use crate::console::Console;
use crate::envelope::Outcome;
use crate::fault::Fault;

/// Prints the kernels whose names contain what was asked for.
pub(crate) fn bundle_disasm(args: &DisasmArgs, console: &Console) -> Result<Outcome, Fault> {
    let bundle = open_bundle(&args.bundle)?;
    let wanted = args.kernel.as_deref().unwrap_or("");
    let entries = bundle.entries.iter();
    let entries: Vec<_> = entries.filter(|e| e.key.kernel.contains(wanted)).collect();
    if entries.is_empty() {
        return Err(Fault::Value(format!(
            "no kernel of the bundle has '{wanted}' in its name; `tdse bundle inspect` lists them"
        )));
    }
    let mut kernels = Vec::new();
    for entry in entries {
        let listing = listing(&entry.code.bytes, entry.code.level);
        console.say(format!("{}:\n{listing}", entry.key.kernel));
        kernels.push(json!({"kernel": entry.key.kernel, "listing": listing}));
    }
    Ok(Outcome::ok(json!({ "kernels": kernels })))
}

/// One instruction a line, with its offset from the entry's piece of code. What follows the code, constants
/// that it refers to, is decoded like code.
fn listing(code: &[u8], level: Level) -> String {
    let mut text = String::new();
    if level == Level::Neon {
        for (index, word) in code.chunks(4).enumerate() {
            let word = word
                .iter()
                .rev()
                .fold(0, |word, &b| word << 8 | u32::from(b));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{:6x}  .word {word:#010x}", 4 * index);
        }
        return text;
    }
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let mut formatter = GasFormatter::new();
    let mut instruction = Instruction::default();
    let mut line = String::new();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        line.clear();
        formatter.format(&instruction, &mut line);
        let _ = writeln!(text, "{:6x}  {line}", instruction.ip());
    }
    text
}
