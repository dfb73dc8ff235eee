//! From an object file to bytes that run wherever they are put.
//!
//! ```text
//! object  .text  .rodata.cst32  relocations      image  [ code | constants ]
//!           \______________________________________________/ distances filled in
//! ```
//!
//! Sections of code and constants are laid one after the other, each at its alignment, and the
//! references between them, all relative to the place that refers, are computed once and for all. What would need a
//! linker or the place in memory is refused: undefined symbols (so no call leaves the image),
//! writable data, and every other type of relocation.

use std::fmt;

use object::elf;
use object::read::elf::ElfFile64;
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionIndex, SectionKind, SymbolSection,
};

use crate::lowering::FUNCTION;

/// Code with its constants, without relocations.
pub(crate) struct Flat {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entry: usize,
}

/// Why an object does not flatten.
#[derive(Debug)]
pub(crate) struct NotFlat(String);

impl fmt::Display for NotFlat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its object does not flatten: {}", self.0)
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T, NotFlat> {
    Err(NotFlat(message.into()))
}

fn unreadable(error: object::Error) -> NotFlat {
    NotFlat(error.to_string())
}

/// The most alignment that the loader gives an image.
const MOST_ALIGN: u64 = 64;

/// Lays out and resolves an ELF object.
pub(crate) fn flatten(object: &[u8]) -> Result<Flat, NotFlat> {
    let file = ElfFile64::<Endianness>::parse(object).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let mut placed: Vec<(SectionIndex, usize)> = Vec::new();
    // Code first: its section is the first that holds any.
    for wanted in [SectionKind::Text, SectionKind::ReadOnlyData] {
        for section in file.sections() {
            let constants = matches!(
                section.kind(),
                SectionKind::ReadOnlyData | SectionKind::ReadOnlyString
            );
            let kind = if constants {
                SectionKind::ReadOnlyData
            } else {
                section.kind()
            };
            if section.size() > 0 && writable(kind) {
                return refuse(format!("writable section {}", name(&section)));
            }
            // Unwind tables are read by nobody here.
            if kind != wanted || name(&section) == ".eh_frame" {
                continue;
            }
            if section.align() > MOST_ALIGN {
                return refuse(format!("section aligned to {}", section.align()));
            }
            let start = bytes
                .len()
                .next_multiple_of(section.align().max(1) as usize);
            bytes.resize(start, 0);
            bytes.extend_from_slice(section.data().map_err(unreadable)?);
            placed.push((section.index(), start));
        }
    }
    let layout = Layout {
        file: &file,
        placed,
    };
    let mut patches = Vec::new();
    for &(index, start) in &layout.placed {
        let section = file.section_by_index(index).map_err(unreadable)?;
        for (at, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return refuse("a relocation without a symbol");
            };
            let symbol = file.symbol_by_index(symbol).map_err(unreadable)?;
            let target = layout.address(&symbol)?.checked_add(relocation.addend());
            let place = usize::try_from(at)
                .ok()
                .and_then(|at| start.checked_add(at));
            let (Some(target), Some(place)) = (target, place) else {
                return refuse("a relocation beyond all memory");
            };
            let RelocationFlags::Elf { r_type } = relocation.flags() else {
                return refuse("a relocation of another format");
            };
            patches.push((place, target, r_type));
        }
    }
    let architecture = file.architecture();
    let page = |&&(_, _, r_type): &&(usize, i64, u32)| r_type == elf::R_AARCH64_ADR_PREL_PG_HI21;
    let whole: Vec<i64> = patches.iter().filter(page).map(|patch| patch.1).collect();
    for &(place, target, r_type) in &patches {
        // The low part becomes 0, which is right only where the whole address was made.
        if architecture == object::Architecture::Aarch64 && !whole.contains(&target) {
            return refuse("the low part of an address that no adrp makes");
        }
        patch(&mut bytes, place, target, r_type, architecture)?;
    }
    let entry = file
        .symbols()
        .find(|s| s.is_definition() && s.name() == Ok(FUNCTION))
        .ok_or_else(|| NotFlat("no function".into()))?;
    let entry = layout.address(&entry)?;
    match usize::try_from(entry) {
        Ok(entry) if entry < bytes.len() => Ok(Flat { bytes, entry }),
        _ => refuse("the function lies outside the code"),
    }
}

fn writable(kind: SectionKind) -> bool {
    matches!(
        kind,
        SectionKind::Data
            | SectionKind::UninitializedData
            | SectionKind::ReadOnlyDataWithRel
            | SectionKind::Tls
            | SectionKind::UninitializedTls
            | SectionKind::Common
    )
}

fn name<'data>(section: &impl ObjectSection<'data>) -> String {
    section.name().unwrap_or("?").to_owned()
}

struct Layout<'a, 'data> {
    file: &'a ElfFile64<'data, Endianness>,
    placed: Vec<(SectionIndex, usize)>,
}

impl<'data> Layout<'_, 'data> {
    /// Offset of a symbol in the image.
    fn address(&self, symbol: &impl ObjectSymbol<'data>) -> Result<i64, NotFlat> {
        let name = symbol.name().unwrap_or("?");
        let SymbolSection::Section(index) = symbol.section() else {
            return refuse(format!("undefined symbol {name}"));
        };
        let Some((_, start)) = self.placed.iter().find(|p| p.0 == index) else {
            let section = self.file.section_by_index(index).map_err(unreadable)?;
            return refuse(format!("{name} lies in {}", self::name(&section)));
        };
        let address = i64::try_from(symbol.address()).ok();
        let address = address.and_then(|at| at.checked_add(*start as i64));
        address.ok_or_else(|| NotFlat(format!("{name} lies beyond all memory")))
    }
}

/// Writes the distance from `place` to `target`.
fn patch(
    bytes: &mut [u8],
    place: usize,
    target: i64,
    r_type: u32,
    architecture: object::Architecture,
) -> Result<(), NotFlat> {
    let Some(field) = bytes.get_mut(place..).and_then(|rest| rest.get_mut(..4)) else {
        return refuse("a relocation outside its section");
    };
    let Some(distance) = target.checked_sub(place as i64) else {
        return refuse("a distance of more than 2 GiB");
    };
    let old = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
    let new = match (architecture, r_type) {
        (object::Architecture::X86_64, elf::R_X86_64_PC32 | elf::R_X86_64_PLT32) => {
            let Ok(distance) = i32::try_from(distance) else {
                return refuse("a distance of more than 2 GiB");
            };
            distance as u32
        }
        (object::Architecture::Aarch64, elf::R_AARCH64_ADR_PREL_PG_HI21) => adr(old, distance)?,
        (
            object::Architecture::Aarch64,
            elf::R_AARCH64_ADD_ABS_LO12_NC
            | elf::R_AARCH64_LDST8_ABS_LO12_NC
            | elf::R_AARCH64_LDST16_ABS_LO12_NC
            | elf::R_AARCH64_LDST32_ABS_LO12_NC
            | elf::R_AARCH64_LDST64_ABS_LO12_NC
            | elf::R_AARCH64_LDST128_ABS_LO12_NC,
        ) => old & !(0xfff << 10),
        _ => return refuse(format!("relocation type {r_type}")),
    };
    field.copy_from_slice(&new.to_le_bytes());
    Ok(())
}

/// `adrp` to the page of a target becomes `adr` to the target itself, so that the image may lie
/// anywhere, not on a page only; the low part that another instruction adds becomes 0. Both name
/// the same target: an object whose sections may lie anywhere cannot share pages between targets.
fn adr(old: u32, distance: i64) -> Result<u32, NotFlat> {
    if !(-(1 << 20)..1 << 20).contains(&distance) {
        return refuse("a distance of more than 1 MiB");
    }
    let bits = distance as u32;
    let register = old & 0x1f;
    Ok(0x1000_0000 | (bits & 3) << 29 | (bits >> 2 & 0x7_ffff) << 5 | register)
}
