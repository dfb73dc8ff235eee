//! Cuts text into words, numbers and marks, and turns offsets into lines and columns.

use crate::error::KirError;
use crate::words;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a word of the text form.
    Word,
    /// An unsigned integer or hex float.
    Number,
    /// One of `{ } ( ) [ ] = , : + - * .. ..=`, or any other single character.
    Mark,
    /// The end of the text.
    End,
}

/// A token: a piece of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

/// A text, read from the front; `//` starts a comment that ends with its line.
pub(super) struct Lexer<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, offset: 0 }
    }

    pub(super) fn next(&mut self) -> Token<'t> {
        self.skip_space();
        let rest = &self.text[self.offset..];
        let (kind, length) = measure(rest);
        self.take(kind, length)
    }

    /// The name of a kernel, which may hold `.` and `-`.
    pub(super) fn next_kernel_name(&mut self) -> Token<'t> {
        self.skip_space();
        let rest = &self.text[self.offset..];
        match rest
            .bytes()
            .take_while(|&b| words::is_kernel_name_byte(b))
            .count()
        {
            0 => self.next(),
            length => self.take(Kind::Word, length),
        }
    }

    /// Line and column of an offset, both from 1, the column in characters.
    pub(super) fn position(&self, offset: usize) -> (u32, u32) {
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = 1 + before.bytes().filter(|&b| b == b'\n').count();
        let column = 1 + before[line_start..].chars().count();
        (line as u32, column as u32)
    }

    pub(super) fn expected(&self, expected: impl Into<String>, found: Token) -> KirError {
        let (line, column) = self.position(found.offset);
        let found = match found.kind {
            Kind::End => "the end of the text".into(),
            _ => format!("`{}`", short(found.text)),
        };
        KirError::Syntax {
            line,
            column,
            expected: expected.into(),
            found,
        }
    }

    fn take(&mut self, kind: Kind, length: usize) -> Token<'t> {
        let offset = self.offset;
        self.offset += length;
        Token {
            kind,
            text: &self.text[offset..self.offset],
            offset,
        }
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.offset..];
            let trimmed = rest.trim_start();
            self.offset += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.offset += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
}

/// The start of a piece of text, for messages.
pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Kind and length in bytes of the token at the front.
fn measure(rest: &str) -> (Kind, usize) {
    let Some(first) = rest.chars().next() else {
        return (Kind::End, 0);
    };
    let bytes = rest.as_bytes();
    let run = |from: usize, accept: &dyn Fn(u8) -> bool| {
        from + bytes[from..].iter().take_while(|&&b| accept(b)).count()
    };
    if first.is_ascii_alphabetic() || first == '_' {
        return (
            Kind::Word,
            run(0, &|b| b.is_ascii_alphanumeric() || b == b'_'),
        );
    }
    if rest.starts_with("0x") {
        let mut end = run(2, &|b| b.is_ascii_alphanumeric() || b == b'.');
        if bytes[end - 1] == b'p' && bytes.get(end).is_some_and(|b| matches!(b, b'+' | b'-')) {
            end = run(end + 1, &|b| b.is_ascii_digit());
        }
        return (Kind::Number, end);
    }
    if first.is_ascii_digit() {
        return (Kind::Number, run(0, &|b| b.is_ascii_digit()));
    }
    let mark = ["..=", ".."]
        .into_iter()
        .find(|mark| rest.starts_with(mark));
    (Kind::Mark, mark.map_or(first.len_utf8(), str::len))
}
