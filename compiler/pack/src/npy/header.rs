//! The header of a `.npy` file: a prefix, then a Python dictionary as text.
//!
//! ```text
//! \x93NUMPY major minor length | {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }
//! ```
//!
//! The dictionary has three known keys and literals of four kinds, so this reader knows just
//! those: nothing nests, nothing recurses, and nothing is allocated by a claimed size. The text is
//! at most [`MAX_TEXT_BYTES`] and lies within the bytes.

use crate::fault::NpyFault;

/// The first six bytes of every `.npy` file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Bytes before the text in format version 1.0.
pub(crate) const PREFIX_V1: usize = 10;
/// Bytes before the text in format versions 2.0 and 3.0.
const PREFIX_V2: usize = 12;
/// Longest header text; NumPy itself refuses more than 10,000 by default.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Most axes: NumPy's own limit.
const MAX_AXES: usize = 64;

/// What a header says.
#[derive(Debug)]
pub(crate) struct Header {
    /// Type of the elements.
    pub(crate) element: Element,
    /// Whether the first axis varies fastest.
    pub(crate) fortran: bool,
    /// Length of each axis.
    pub(crate) shape: Vec<u64>,
    /// Where the data begin.
    pub(crate) data_at: usize,
}

/// An element type that is a real number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    /// What the bits mean.
    pub(crate) kind: Kind,
    /// Bytes: 4 or 8 for floats, 1, 2, 4 or 8 for integers.
    pub(crate) size: usize,
    /// Whether the most significant byte comes first.
    pub(crate) big_endian: bool,
}

/// What the bits of an element mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// IEEE 754.
    Float,
    /// Two's complement.
    Signed,
    /// Binary.
    Unsigned,
}

impl Header {
    /// Reads the header of a whole file.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Header, NpyFault> {
        let (text_at, length) = text_place(bytes)?;
        let found = (bytes.len() - text_at).min(MAX_TEXT_BYTES);
        if length > found {
            return Err(NpyFault::HeaderSize {
                wanted: length as u64,
                found: found as u64,
            });
        }
        let data_at = text_at + length;
        dictionary(&bytes[text_at..data_at], data_at)
    }
}

/// Where the header's text begins, and its length.
fn text_place(bytes: &[u8]) -> Result<(usize, usize), NpyFault> {
    if !bytes.starts_with(MAGIC) {
        return Err(NpyFault::NotNpy);
    }
    let prefix = match bytes.get(6) {
        Some(1) => PREFIX_V1,
        _ => PREFIX_V2,
    };
    let cut_off = NpyFault::HeaderSize {
        wanted: prefix as u64,
        found: bytes.len() as u64,
    };
    match bytes.get(..prefix) {
        Some([_, _, _, _, _, _, 1, 0, a, b]) => {
            Ok((prefix, usize::from(u16::from_le_bytes([*a, *b]))))
        }
        Some([_, _, _, _, _, _, 2 | 3, 0, a, b, c, d]) => Ok((
            prefix,
            usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX),
        )),
        Some([_, _, _, _, _, _, major, minor, ..]) => Err(bad(&format!(
            "format version {major}.{minor} is unknown; 1.0, 2.0 and 3.0 are read"
        ))),
        _ => Err(cut_off),
    }
}

/// Reads the dictionary, each key once, and nothing behind it but blanks.
fn dictionary(text: &[u8], data_at: usize) -> Result<Header, NpyFault> {
    let mut text = Text(text);
    let (mut element, mut fortran, mut shape) = (None, None, None);
    text.expect(b'{')?;
    while !text.take(b'}') {
        let key = text.quoted()?;
        text.expect(b':')?;
        let again = match key {
            b"descr" => element.replace(text.element()?).is_some(),
            b"fortran_order" => fortran.replace(text.boolean()?).is_some(),
            b"shape" => shape.replace(text.tuple()?).is_some(),
            _ => return Err(bad("it has a key besides descr, fortran_order and shape")),
        };
        if again {
            return Err(bad("a key stands twice"));
        }
        if !text.take(b',') {
            text.expect(b'}')?;
            break;
        }
    }
    if text.next_byte().is_some() {
        return Err(bad("something follows the dictionary"));
    }
    match (element, fortran, shape) {
        (Some(element), Some(fortran), Some(shape)) => Ok(Header {
            element,
            fortran,
            shape,
            data_at,
        }),
        _ => Err(bad("descr, fortran_order or shape is missing")),
    }
}

/// What is left of the text. Blanks before a token are skipped.
struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    fn next_byte(&mut self) -> Option<u8> {
        self.0 = self.0.trim_ascii_start();
        self.0.first().copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.next_byte() == Some(byte);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    fn expect(&mut self, byte: u8) -> Result<(), NpyFault> {
        if self.take(byte) {
            return Ok(());
        }
        Err(bad(&format!("{:?} is expected", char::from(byte))))
    }

    /// Text in single or double quotes, without escapes.
    fn quoted(&mut self) -> Result<&'a [u8], NpyFault> {
        let quote = match self.next_byte() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(bad("quoted text is expected")),
        };
        let text = &self.0[1..];
        let end = text.iter().position(|&b| b == quote || b == b'\\');
        match end {
            Some(end) if text[end] == quote => {
                self.0 = &text[end + 1..];
                Ok(&text[..end])
            }
            Some(_) => Err(bad("quoted text holds an escape")),
            None => Err(bad("a quote is not closed")),
        }
    }

    fn boolean(&mut self) -> Result<bool, NpyFault> {
        self.next_byte();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err(bad("fortran_order is neither True nor False"))
    }

    /// Axis lengths. A product beyond the limit is refused by the caller, with the shape.
    fn tuple(&mut self) -> Result<Vec<u64>, NpyFault> {
        self.expect(b'(')?;
        let mut axes = Vec::new();
        while !self.take(b')') {
            if axes.len() == MAX_AXES {
                return Err(bad("the shape has more than 64 axes"));
            }
            axes.push(self.number()?);
            if !self.take(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(axes)
    }

    fn number(&mut self) -> Result<u64, NpyFault> {
        self.next_byte();
        let digits = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        if digits == 0 {
            return Err(bad("the shape holds something that is no whole number"));
        }
        Ok(number.iter().fold(0, |value: u64, digit| {
            value
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        }))
    }

    /// `<f8` and its like; a list stands for a record of several fields.
    fn element(&mut self) -> Result<Element, NpyFault> {
        if self.next_byte() == Some(b'[') {
            return Err(NpyFault::WrongType {
                found: "a record".to_owned(),
            });
        }
        let descr = self.quoted()?;
        let wrong = || NpyFault::WrongType {
            found: String::from_utf8_lossy(descr).into_owned(),
        };
        let [order, kind, size @ ..] = descr else {
            return Err(wrong());
        };
        let (kind, sizes): (Kind, &[usize]) = match kind {
            b'f' => (Kind::Float, &[4, 8]),
            b'i' => (Kind::Signed, &[1, 2, 4, 8]),
            b'u' => (Kind::Unsigned, &[1, 2, 4, 8]),
            _ => return Err(wrong()),
        };
        let size = match size {
            [digit] if digit.is_ascii_digit() => usize::from(digit - b'0'),
            _ => return Err(wrong()),
        };
        let big_endian = match order {
            b'<' => false,
            b'>' => true,
            // "not applicable" is for single bytes, "native" for whoever wrote the file.
            b'|' if size == 1 => false,
            b'=' => cfg!(target_endian = "big"),
            _ => return Err(wrong()),
        };
        if !sizes.contains(&size) {
            return Err(wrong());
        }
        Ok(Element {
            kind,
            size,
            big_endian,
        })
    }
}

fn bad(reason: &str) -> NpyFault {
    NpyFault::BadHeader {
        reason: reason.to_owned(),
    }
}
