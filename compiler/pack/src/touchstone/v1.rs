//! Version 1: an option line, records, and behind a 2-port's records perhaps noise rows.
//!
//! The number of ports comes from the file name or, if that is silent, from the length of the
//! first record. 2-ports are written 11 21 12 22, all others row by row. Nothing marks a noise
//! block: it begins where a 2-port row has five numbers and its frequency is not above the
//! highest so far, unless a row of four numbers follows (then it is a wrapped record).

use super::heading::{Heading, Raw};
use super::keyword::{self, Keyword};
use super::matrix::Layout;
use super::noise;
use super::record::Records;
use super::text::{Kind, Line, Lines, Place};
use super::{TouchstoneFault, Version, number, port_count};
use crate::PackError;

/// Reads a version 1 text. `named` is the number of ports that the file name states.
pub(super) fn parse(text: &[u8], named: Option<usize>) -> Result<Raw, PackError> {
    let mut lines = Lines::new(text);
    let mut heading = Heading::default();
    let mut records: Option<Records> = None;
    let mut ports = named;
    let mut noise_rows = Vec::new();
    while let Some(line) = lines.next() {
        heading.read_comment(&line);
        match line.kind() {
            Kind::Blank => {}
            Kind::Option => heading.read_option_line(&line)?,
            Kind::Keyword => version_one_only(&line)?,
            Kind::Data => {
                let unit = heading.unit(&line)?;
                if !noise_rows.is_empty() {
                    noise_rows.push(noise::row(&line, unit)?);
                    continue;
                }
                let known = match ports {
                    Some(known) => known,
                    None => {
                        let known = infer(&line, lines.clone())?;
                        heading.notes.push(format!("the file name states no port count; the first record has {known} port(s)"));
                        *ports.insert(known)
                    }
                };
                let records =
                    records.get_or_insert_with(|| Records::new(layout(known).numbers(known), unit));
                if known == 2 && noise_starts(&line, records, lines.clone()) {
                    noise_rows.push(noise::row(&line, unit)?);
                } else {
                    records.push(&line)?;
                }
            }
        }
    }
    let last = Place::line(lines.number().max(1));
    let (Some(records), Some(ports)) = (records, ports) else {
        return Err(last.fault(TouchstoneFault::NoData));
    };
    records.finish()?;
    if !noise_rows.is_empty() {
        heading.notes.push(format!(
            "{} noise rows behind the network data",
            noise_rows.len()
        ));
    }
    let Heading { options, notes, .. } = heading.finish();
    let options = options.ok_or_else(|| last.fault(TouchstoneFault::MissingOptionLine))?;
    let reference = options.references(ports)?;
    let layout = layout(ports);
    Ok(Raw {
        version: Version::V1,
        ports,
        options,
        reference,
        layout,
        records,
        noise: noise_rows,
        mixed_mode: None,
        notes,
    })
}

fn layout(ports: usize) -> Layout {
    if ports == 2 {
        Layout::FullByColumn
    } else {
        Layout::Full
    }
}

/// `[Version] 1.x` may stand in a version 1 text; every other keyword needs version 2.
fn version_one_only(line: &Line<'_>) -> Result<(), PackError> {
    let found = keyword::find(line)?;
    if found.keyword == Keyword::Version {
        return keyword::version(line, &found).map(|_| ());
    }
    Err(line.start().fault(TouchstoneFault::KeywordWithoutVersion {
        keyword: found.name,
    }))
}

/// Ports from the numbers of the first record: those up to the next row of odd length.
fn infer(first: &Line<'_>, behind: Lines<'_>) -> Result<usize, PackError> {
    let rows = behind
        .filter(|line| line.kind() == Kind::Data)
        .map(|line| line.words().count());
    let count = first.words().count() + rows.take_while(|row| row % 2 == 0).sum::<usize>();
    let numbers = count - 1;
    let ports = (numbers / 2).isqrt();
    if numbers == 0 || 2 * ports * ports != numbers {
        return Err(first
            .start()
            .fault(TouchstoneFault::UnknownPortCount { found: numbers }));
    }
    port_count::checked(ports, ports.to_string().as_bytes(), first.start())
}

fn noise_starts(line: &Line<'_>, records: &Records, behind: Lines<'_>) -> bool {
    let (Some(highest), true) = (records.highest(), records.at_boundary()) else {
        return false;
    };
    if line.words().count() != 5 {
        return false;
    }
    let not_above = line
        .words()
        .next()
        .and_then(|word| number::frequency(&word, records.unit()).ok())
        .is_some_and(|frequency| frequency <= highest);
    let next = behind
        .filter(|line| line.kind() == Kind::Data)
        .map(|line| line.words().count())
        .next();
    not_above && next != Some(4)
}
