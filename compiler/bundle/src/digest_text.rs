//! SHA-256 values as text: 64 lower-case hexadecimal digits, one spelling a value.

/// The text of a digest.
pub(crate) fn print(digest: &[u8; 32]) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
    }
    text
}

/// The digest of a text; `None` for any other spelling than that of [`print()`].
pub(crate) fn parse(text: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, &[high, low]) in digest.iter_mut().zip(pairs) {
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(digest)
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn digit(text: u8) -> Option<u8> {
    let at = DIGITS.iter().position(|&digit| digit == text)?;
    u8::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use super::{parse, print};

    #[test]
    fn one_spelling_a_value() {
        let mut digest = [0; 32];
        for (at, byte) in digest.iter_mut().enumerate() {
            *byte = (at * 37) as u8;
        }
        let text = print(&digest);
        assert_eq!(parse(&text), Some(digest));
        for wrong in [
            text.to_uppercase(),
            text[1..].to_owned(),
            format!("{text}0"),
            format!("{}g", &text[1..]),
            "é".repeat(32),
            String::new(),
        ] {
            assert_eq!(parse(&wrong), None, "{wrong}");
        }
    }
}
