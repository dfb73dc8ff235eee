//! Bytes to lines to words, with the place of each.
//!
//! Problem: the files come as UTF-8 with or without a mark, as Latin-1, with CRLF, LF or CR, and
//! only their comments hold anything but ASCII. Idea: never decode. Lines are byte slices up to
//! `!`; what follows is the comment and is never searched for numbers. A word keeps the slice of
//! its line that stands before it, so its column is counted only when an error needs it.
//! Invariant: every slice lies inside the input; nothing here allocates. Cost: one pass.

use super::{MAX_BYTES, TouchstoneFault};
use crate::PackError;

/// A place in the text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    /// In characters; in bytes where the line is not UTF-8.
    pub(super) column: usize,
}

impl Place {
    pub(super) fn line(line: usize) -> Self {
        Place { line, column: 1 }
    }

    pub(super) fn fault(self, fault: TouchstoneFault) -> PackError {
        PackError::Touchstone {
            line: self.line,
            column: self.column,
            fault,
        }
    }
}

/// Checks size and encoding and takes a UTF-8 mark off.
pub(super) fn text_of(bytes: &[u8]) -> Result<&[u8], PackError> {
    if bytes.len() > MAX_BYTES {
        return Err(Place::line(1).fault(TouchstoneFault::TooManyBytes { found: bytes.len() }));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Place::line(1).fault(TouchstoneFault::WrongEncoding));
    }
    Ok(bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes))
}

/// The lines of a text; `\r\n`, `\n` and `\r` end one.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Lines {
            rest: text,
            number: 0,
        }
    }

    /// Number of the line handed out last.
    pub(super) fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self
            .rest
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'))
            .unwrap_or(self.rest.len());
        let (whole, tail) = self.rest.split_at(end);
        self.rest = match tail {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => tail,
        };
        let (content, comment) = match whole.iter().position(|&b| b == b'!') {
            Some(mark) => (&whole[..mark], &whole[mark + 1..]),
            None => (whole, &whole[end..]),
        };
        Some(Line {
            number: self.number,
            content,
            comment,
        })
    }
}

/// What a line is, by its first visible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Option,
    Keyword,
    Data,
}

/// One line, its comment apart.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) content: &'a [u8],
    pub(super) comment: &'a [u8],
}

impl<'a> Line<'a> {
    pub(super) fn kind(&self) -> Kind {
        match self.content.iter().find(|&&b| !is_blank(b)) {
            None => Kind::Blank,
            Some(b'#') => Kind::Option,
            Some(b'[') => Kind::Keyword,
            Some(_) => Kind::Data,
        }
    }

    pub(super) fn words(&self) -> Words<'a> {
        self.words_from(0)
    }

    /// Words from a byte offset into the content on.
    pub(super) fn words_from(&self, offset: usize) -> Words<'a> {
        Words {
            number: self.number,
            content: self.content,
            at: offset,
        }
    }

    /// The place of a byte offset into the content.
    pub(super) fn place(&self, offset: usize) -> Place {
        Word {
            number: self.number,
            before: &self.content[..offset.min(self.content.len())],
            bytes: &[],
        }
        .place()
    }

    /// The place of the first visible character.
    pub(super) fn start(&self) -> Place {
        self.place(self.content.iter().position(|&b| !is_blank(b)).unwrap_or(0))
    }
}

/// The words of a line.
#[derive(Clone)]
pub(super) struct Words<'a> {
    number: usize,
    content: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.content.get(self.at..)?;
        let start = self.at + rest.iter().position(|&b| !is_blank(b))?;
        let rest = &self.content[start..];
        let end = start + rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
        self.at = end;
        Some(Word {
            number: self.number,
            before: &self.content[..start],
            bytes: &self.content[start..end],
        })
    }
}

/// One word and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) number: usize,
    before: &'a [u8],
    pub(super) bytes: &'a [u8],
}

impl<'a> Word<'a> {
    pub(super) fn place(&self) -> Place {
        let characters = match std::str::from_utf8(self.before) {
            Ok(text) => text.chars().count(),
            Err(_) => self.before.len(),
        };
        Place {
            line: self.number,
            column: characters + 1,
        }
    }

    /// Where the word starts in its line, in bytes.
    pub(super) fn offset(&self) -> usize {
        self.before.len()
    }

    /// The word without its first bytes, at its own place.
    pub(super) fn skip(&self, bytes: usize) -> Word<'a> {
        Word {
            bytes: self.bytes.get(bytes..).unwrap_or(&[]),
            ..*self
        }
    }

    /// The word for a message: readable and short.
    pub(super) fn shown(&self) -> String {
        shown(self.bytes)
    }
}

/// Bytes for a message: at most 40 characters, none of them a control character.
pub(super) fn shown(bytes: &[u8]) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut text: String = String::from_utf8_lossy(&bytes[..bytes.len().min(160)])
        .chars()
        .take(41)
        .map(visible)
        .collect();
    if text.chars().count() > 40 {
        text = text.chars().take(39).chain(['…']).collect();
    }
    text
}

/// Blanks, tabs and the end mark (0x1a) that old editors leave behind.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | 0x1a)
}
