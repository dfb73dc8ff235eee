//! Keywords of version 2: `[Name] argument`, the name in any case and with any blanks.

use super::text::{Line, Word, shown};
use super::{TouchstoneFault, Version, number};
use crate::PackError;

/// The keywords of versions 2.0 and 2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Version,
    NumberOfPorts,
    TwoPortDataOrder,
    NumberOfFrequencies,
    NumberOfNoiseFrequencies,
    Reference,
    MatrixFormat,
    MixedModeOrder,
    BeginInformation,
    EndInformation,
    NetworkData,
    NoiseData,
    End,
}

const NAMES: &[(&str, Keyword)] = &[
    ("Version", Keyword::Version),
    ("Number of Ports", Keyword::NumberOfPorts),
    ("Two-Port Data Order", Keyword::TwoPortDataOrder),
    // The draft of 2.0 wrote it so, and its files are still around.
    ("Two-Port Order", Keyword::TwoPortDataOrder),
    ("Number of Frequencies", Keyword::NumberOfFrequencies),
    (
        "Number of Noise Frequencies",
        Keyword::NumberOfNoiseFrequencies,
    ),
    ("Reference", Keyword::Reference),
    ("Matrix Format", Keyword::MatrixFormat),
    ("Mixed-Mode Order", Keyword::MixedModeOrder),
    ("Begin Information", Keyword::BeginInformation),
    ("End Information", Keyword::EndInformation),
    ("Network Data", Keyword::NetworkData),
    ("Noise Data", Keyword::NoiseData),
    ("End", Keyword::End),
];

/// A keyword in its line.
pub(super) struct Found {
    pub(super) keyword: Keyword,
    /// Its usual spelling.
    pub(super) name: String,
    /// Byte offset in the line's content where arguments start.
    pub(super) arguments: usize,
}

/// Reads the keyword of a line that starts with `[`.
pub(super) fn find(line: &Line<'_>) -> Result<Found, PackError> {
    let open = line.content.iter().position(|&b| b == b'[').unwrap_or(0);
    let Some(close) = line.content.iter().position(|&b| b == b']') else {
        return Err(line.start().fault(TouchstoneFault::UnclosedKeyword));
    };
    let inner = line.content.get(open + 1..close).unwrap_or(&[]);
    let packed = |bytes: &[u8]| -> Vec<u8> {
        bytes
            .iter()
            .filter(|b| !super::text::is_blank(**b))
            .map(u8::to_ascii_lowercase)
            .collect()
    };
    let wanted = packed(inner);
    match NAMES
        .iter()
        .find(|(name, _)| packed(name.as_bytes()) == wanted)
    {
        Some(&(name, keyword)) => Ok(Found {
            keyword,
            name: name.to_string(),
            arguments: close + 1,
        }),
        None => Err(line.start().fault(TouchstoneFault::UnknownKeyword {
            keyword: shown(inner.trim_ascii()),
        })),
    }
}

/// The one argument of a keyword.
pub(super) fn argument<'a>(
    line: &Line<'a>,
    found: &Found,
    takes: &'static str,
) -> Result<Word<'a>, PackError> {
    let mut words = line.words_from(found.arguments);
    let Some(word) = words.next() else {
        return Err(line.start().fault(TouchstoneFault::MissingArgument {
            keyword: found.name.clone(),
        }));
    };
    match words.next() {
        Some(more) => Err(bad_argument(&more, found, takes)),
        None => Ok(word),
    }
}

/// The argument of `[Version]`.
pub(super) fn version(line: &Line<'_>, found: &Found) -> Result<Version, PackError> {
    let word = argument(line, found, "one version number")?;
    match word.bytes {
        b"1.0" | b"1.1" | b"1" => Ok(Version::V1),
        b"2.0" | b"2.1" | b"2" => Ok(Version::V2),
        _ => Err(word.place().fault(TouchstoneFault::UnsupportedVersion {
            token: word.shown(),
        })),
    }
}

/// A keyword's argument that is a count.
pub(super) fn count<'a>(line: &Line<'a>, found: &Found) -> Result<(usize, Word<'a>), PackError> {
    let takes = "a whole number";
    let word = argument(line, found, takes)?;
    match number::count(word.bytes) {
        Some(value) => Ok((value, word)),
        None => Err(bad_argument(&word, found, takes)),
    }
}

/// A keyword's argument out of a list of words.
pub(super) fn choice<T: Copy>(
    line: &Line<'_>,
    found: &Found,
    choices: &[(&str, T)],
    takes: &'static str,
) -> Result<T, PackError> {
    let word = argument(line, found, takes)?;
    let hit = choices
        .iter()
        .find(|(name, _)| word.bytes.eq_ignore_ascii_case(name.as_bytes()));
    hit.map(|&(_, value)| value)
        .ok_or_else(|| bad_argument(&word, found, takes))
}

fn bad_argument(word: &Word<'_>, found: &Found, takes: &'static str) -> PackError {
    word.place().fault(TouchstoneFault::BadArgument {
        keyword: found.name.clone(),
        token: word.shown(),
        takes,
    })
}
