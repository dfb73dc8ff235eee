//! Versions 2.0 and 2.1: keywords, then records, then perhaps noise rows.
//!
//! ```text
//! [Version] 2.0
//! # GHz S RI R 50
//! [Number of Ports] 4          before every list and before the data
//! [Reference] 50 75            lists may go on in the next rows
//! 0.01 0.01
//! [Network Data]               may be missing: then the first row of numbers opens the data
//! ...
//! [Noise Data]                 2-ports only
//! [End]
//! ```
//!
//! Invariants: a keyword comes at most once; counts are compared with what was read; declared
//! counts allocate nothing.

use super::heading::{Heading, Raw};
use super::keyword::{self, Found, Keyword};
use super::matrix::Layout;
use super::mixed_mode::{self, Mode};
use super::noise::{self, NoisePoint};
use super::record::Records;
use super::text::{Kind, Line, Lines, Place};
use super::{TouchstoneFault, Version, number, port_count};
use crate::PackError;
use num_complex::Complex;

/// Whether `[Version] 2.x` stands above the data.
pub(super) fn is_version_two(text: &[u8]) -> Result<bool, PackError> {
    for line in Lines::new(text) {
        match line.kind() {
            Kind::Data => return Ok(false),
            Kind::Blank | Kind::Option => {}
            Kind::Keyword => match keyword::find(&line) {
                Ok(found) if found.keyword == Keyword::Version => {
                    return Ok(keyword::version(&line, &found)? == Version::V2);
                }
                _ => return Ok(false),
            },
        }
    }
    Ok(false)
}

/// Reads a version 2 text. `named` is the number of ports that the file name states.
pub(super) fn parse(text: &[u8], named: Option<usize>) -> Result<Raw, PackError> {
    let mut lines = Lines::new(text);
    let mut reader = Reader::default();
    for line in lines.by_ref() {
        reader.heading.read_comment(&line);
        reader.read(&line)?;
    }
    reader.finish(named, Place::line(lines.number().max(1)))
}

#[derive(Default, PartialEq)]
enum Section {
    #[default]
    Heading,
    /// Inside `[Begin Information]`, which stands at this place.
    Information(Place),
    Network,
    Noise,
    Ended,
}

/// A declared count and where it stands.
type Declared = Option<(usize, Place)>;

#[derive(Default)]
struct Reader {
    heading: Heading,
    section: Section,
    seen: Vec<Keyword>,
    ports: Option<usize>,
    by_column: Option<bool>,
    layout: Option<Layout>,
    frequencies: Declared,
    noise_frequencies: Declared,
    reference: Option<(Place, Vec<Complex<f64>>)>,
    modes: Option<(Place, Vec<Mode>)>,
    records: Option<Records>,
    noise: Vec<NoisePoint>,
    behind_end: bool,
}

impl Reader {
    fn read(&mut self, line: &Line<'_>) -> Result<(), PackError> {
        let kind = line.kind();
        match (&self.section, kind) {
            (_, Kind::Blank) => Ok(()),
            (Section::Ended, _) => {
                self.behind_end = true;
                Ok(())
            }
            (Section::Information(_), Kind::Keyword) => {
                if keyword::find(line).is_ok_and(|found| found.keyword == Keyword::EndInformation) {
                    self.section = Section::Heading;
                }
                Ok(())
            }
            (Section::Information(_), _) => Ok(()),
            (_, Kind::Option) => self.heading.read_option_line(line),
            (_, Kind::Keyword) => self.keyword(line),
            (Section::Heading, Kind::Data) if self.list_goes_on() => self.list(line, 0),
            (Section::Heading, Kind::Data) => {
                self.heading.notes.push(
                    "[Network Data] is missing; the first row of numbers opens the data"
                        .to_string(),
                );
                self.open_network(line)?;
                self.row(line)
            }
            (_, Kind::Data) => self.row(line),
        }
    }

    fn keyword(&mut self, line: &Line<'_>) -> Result<(), PackError> {
        let found = keyword::find(line)?;
        let start = line.start();
        if self.seen.contains(&found.keyword) && found.keyword != Keyword::BeginInformation {
            return Err(start.fault(TouchstoneFault::RepeatedKeyword {
                keyword: found.name,
            }));
        }
        self.seen.push(found.keyword);
        self.check_lists()?;
        let ending = matches!(found.keyword, Keyword::NoiseData | Keyword::End);
        if self.section != Section::Heading && !ending {
            return Err(start.fault(TouchstoneFault::KeywordAfterData {
                keyword: found.name,
            }));
        }
        match found.keyword {
            Keyword::Version => {
                keyword::version(line, &found)?;
            }
            Keyword::NumberOfPorts => {
                let (ports, word) = keyword::count(line, &found)?;
                self.ports = Some(port_count::checked(ports, word.bytes, word.place())?);
            }
            Keyword::TwoPortDataOrder => {
                let choices = [("12_21", false), ("21_12", true)];
                self.by_column = Some(keyword::choice(line, &found, &choices, "12_21 or 21_12")?);
            }
            Keyword::NumberOfFrequencies => {
                self.frequencies = Some((keyword::count(line, &found)?.0, start))
            }
            Keyword::NumberOfNoiseFrequencies => {
                self.noise_frequencies = Some((keyword::count(line, &found)?.0, start))
            }
            Keyword::MatrixFormat => {
                let choices = [
                    ("full", Layout::Full),
                    ("lower", Layout::Lower),
                    ("upper", Layout::Upper),
                ];
                self.layout = Some(keyword::choice(
                    line,
                    &found,
                    &choices,
                    "Full, Lower or Upper",
                )?);
            }
            Keyword::Reference => {
                self.need_ports(start)?;
                self.reference = Some((start, Vec::new()));
                self.list(line, found.arguments)?;
            }
            Keyword::MixedModeOrder => {
                self.need_ports(start)?;
                self.modes = Some((start, Vec::new()));
                self.list(line, found.arguments)?;
            }
            Keyword::BeginInformation => self.section = Section::Information(start),
            Keyword::EndInformation => {
                return Err(start.fault(TouchstoneFault::UnknownKeyword {
                    keyword: found.name,
                }));
            }
            Keyword::NetworkData => self.open_network(line)?,
            Keyword::NoiseData => self.open_noise(start, found)?,
            Keyword::End => self.section = Section::Ended,
        }
        Ok(())
    }

    fn need_ports(&self, place: Place) -> Result<usize, PackError> {
        self.ports
            .ok_or_else(|| place.fault(TouchstoneFault::MissingNumberOfPorts))
    }

    /// Whether the keyword read last is a list that still lacks elements.
    fn list_goes_on(&self) -> bool {
        let ports = self.ports.unwrap_or(0);
        match self.seen.last() {
            Some(Keyword::Reference) => self
                .reference
                .as_ref()
                .is_some_and(|(_, list)| list.len() < ports),
            Some(Keyword::MixedModeOrder) => self
                .modes
                .as_ref()
                .is_some_and(|(_, list)| list.len() < ports),
            _ => false,
        }
    }

    /// Takes list elements from a byte offset on.
    fn list(&mut self, line: &Line<'_>, offset: usize) -> Result<(), PackError> {
        let ports = self.need_ports(line.start())?;
        for word in line.words_from(offset) {
            match (self.seen.last(), &mut self.reference, &mut self.modes) {
                (Some(Keyword::Reference), Some((_, list)), _) => {
                    if list.len() == ports {
                        return Err(word.place().fault(TouchstoneFault::ReferenceCount {
                            found: ports + 1,
                            ports,
                        }));
                    }
                    list.push(number::reference(&word)?);
                }
                (_, _, Some((_, list))) => {
                    if list.len() == ports {
                        let reason = "it has more modes than ports";
                        return Err(word
                            .place()
                            .fault(TouchstoneFault::MixedModeMismatch { reason }));
                    }
                    list.push(mixed_mode::mode(&word, ports)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Lists must be full when something else begins; one with a hole is reported where it starts.
    fn check_lists(&self) -> Result<(), PackError> {
        let ports = self.ports.unwrap_or(0);
        if let Some((start, list)) = &self.reference
            && list.len() < ports
        {
            return Err(start.fault(TouchstoneFault::ReferenceCount {
                found: list.len(),
                ports,
            }));
        }
        if let Some((start, list)) = &self.modes
            && list.len() < ports
        {
            return Err(start.fault(TouchstoneFault::MixedModeMismatch {
                reason: "it has fewer modes than ports",
            }));
        }
        Ok(())
    }

    fn layout(&self, ports: usize) -> Layout {
        match self.layout.unwrap_or(Layout::Full) {
            // Without the keyword a 2-port has the order of version 1.
            Layout::Full if ports == 2 && self.by_column.unwrap_or(true) => Layout::FullByColumn,
            layout => layout,
        }
    }

    fn open_network(&mut self, line: &Line<'_>) -> Result<(), PackError> {
        let unit = self.heading.unit(line)?;
        let ports = self.need_ports(line.start())?;
        self.records = Some(Records::new(self.layout(ports).numbers(ports), unit));
        self.section = Section::Network;
        Ok(())
    }

    fn open_noise(&mut self, start: Place, found: Found) -> Result<(), PackError> {
        match (&self.records, self.ports) {
            (Some(records), Some(2)) => records.finish()?,
            (Some(_), Some(ports)) => {
                return Err(start.fault(TouchstoneFault::NoiseNeedsTwoPorts { ports }));
            }
            _ => {
                return Err(start.fault(TouchstoneFault::KeywordAfterData {
                    keyword: found.name,
                }));
            }
        }
        self.section = Section::Noise;
        Ok(())
    }

    fn row(&mut self, line: &Line<'_>) -> Result<(), PackError> {
        match (&mut self.records, &self.section) {
            (Some(records), Section::Noise) => self.noise.push(noise::row(line, records.unit())?),
            (Some(records), _) => records.push(line)?,
            (None, _) => return Err(line.start().fault(TouchstoneFault::MissingNumberOfPorts)),
        }
        Ok(())
    }

    fn finish(mut self, named: Option<usize>, last: Place) -> Result<Raw, PackError> {
        if let Section::Information(start) = self.section {
            return Err(start.fault(TouchstoneFault::UnclosedInformation));
        }
        self.check_lists()?;
        self.extra_notes(named);
        let (Some(records), Some(ports)) = (self.records.take(), self.ports) else {
            return Err(last.fault(TouchstoneFault::NoData));
        };
        records.finish()?;
        let found = records.frequencies.len();
        if found == 0 {
            return Err(last.fault(TouchstoneFault::NoData));
        }
        if let Some((declared, place)) = self.frequencies
            && declared != found
        {
            return Err(place.fault(TouchstoneFault::FrequencyCount { declared, found }));
        }
        self.check_noise_count()?;
        let layout = self.layout(ports);
        let Heading { options, notes, .. } = self.heading.finish();
        let options = options.ok_or_else(|| last.fault(TouchstoneFault::MissingOptionLine))?;
        let reference = match self.reference {
            Some((_, list)) => list,
            None => options.references(ports)?,
        };
        if let Some((place, modes)) = &self.modes {
            mixed_mode::check(modes, &reference, *place)?;
        }
        let mixed_mode = self.modes.map(|(_, modes)| modes);
        Ok(Raw {
            version: Version::V2,
            ports,
            options,
            reference,
            layout,
            records,
            noise: self.noise,
            mixed_mode,
            notes,
        })
    }

    fn check_noise_count(&mut self) -> Result<(), PackError> {
        let found = self.noise.len();
        match self.noise_frequencies {
            Some((declared, _)) if found == 0 && declared > 0 => {
                self.heading.notes.push(format!(
                    "{declared} noise frequencies are declared and no noise data follow"
                ));
            }
            Some((declared, place)) if declared != found => {
                return Err(place.fault(TouchstoneFault::NoiseCount { declared, found }));
            }
            _ => {}
        }
        Ok(())
    }

    fn extra_notes(&mut self, named: Option<usize>) {
        let notes = &mut self.heading.notes;
        if let (Some(named), Some(ports)) = (named, self.ports)
            && named != ports
        {
            notes.push(format!(
                "the file name says {named} port(s), [Number of Ports] says {ports} and holds"
            ));
        }
        if self.ports == Some(2)
            && self.by_column.is_none()
            && self.layout.unwrap_or(Layout::Full) == Layout::Full
        {
            notes.push(
                "[Two-Port Data Order] is missing; 21_12 (11 21 12 22) is taken, as in version 1"
                    .to_string(),
            );
        }
        if self.ports != Some(2) && self.by_column.is_some() {
            notes.push("[Two-Port Data Order] has no meaning for this number of ports".to_string());
        }
        if self.frequencies.is_none() {
            notes.push("[Number of Frequencies] is missing".to_string());
        }
        if self.section != Section::Ended {
            notes.push("[End] is missing".to_string());
        }
        if self.behind_end {
            notes.push("text behind [End] is ignored".to_string());
        }
    }
}
