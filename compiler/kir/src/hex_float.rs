//! Floating point numbers in C99 hex: exact both ways.
//!
//! `0x1.8p+3` is 12. Normal numbers print with a leading 1, subnormal ones with a leading 0 and
//! the exponent -1022, trailing zeros left out. `inf`, `nan` and their negatives are words; a NaN
//! other than the default quiet one prints its 52 mantissa bits: `nan:0x4`.

const MANTISSA: u64 = (1 << 52) - 1;
const QUIET: u64 = 1 << 51;

/// The text of `value`; [`parse`] gives the same bits back.
pub fn print(value: f64) -> String {
    let bits = value.to_bits();
    let sign = if bits >> 63 == 1 { "-" } else { "" };
    let exponent = (bits >> 52) & 0x7ff;
    let mantissa = bits & MANTISSA;
    match (exponent, mantissa) {
        (0x7ff, 0) => format!("{sign}inf"),
        (0x7ff, QUIET) => format!("{sign}nan"),
        (0x7ff, _) => format!("{sign}nan:0x{mantissa:x}"),
        (0, 0) => format!("{sign}0x0p+0"),
        (0, _) => format!("{sign}0x0.{}p-1022", digits(mantissa)),
        (_, 0) => format!("{sign}0x1p{:+}", exponent as i64 - 1023),
        _ => format!(
            "{sign}0x1.{}p{:+}",
            digits(mantissa),
            exponent as i64 - 1023
        ),
    }
}

/// The number that `text` states, or why it states none. Every digit counts: a number that `f64`
/// cannot hold exactly is refused, never rounded.
pub fn parse(text: &str) -> Result<f64, &'static str> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (1u64 << 63, rest),
        None => (0, text),
    };
    let magnitude = if rest == "inf" {
        f64::INFINITY.to_bits()
    } else if rest == "nan" {
        0x7ff << 52 | QUIET
    } else if let Some(payload) = rest.strip_prefix("nan:0x") {
        parse_payload(payload)?
    } else {
        parse_hex(rest.strip_prefix("0x").ok_or("is not a hex float")?)?
    };
    Ok(f64::from_bits(sign | magnitude))
}

/// The 13 hex digits of a mantissa without trailing zeros.
fn digits(mantissa: u64) -> String {
    format!("{mantissa:013x}").trim_end_matches('0').to_string()
}

fn parse_payload(text: &str) -> Result<u64, &'static str> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    match u64::from_str_radix(text, 16) {
        Ok(payload) if plain && payload != 0 && payload <= MANTISSA => Ok(0x7ff << 52 | payload),
        _ => Err("has no NaN payload of 1 to 52 bits"),
    }
}

/// Bits of the number `H.Hp[+-]D`.
fn parse_hex(text: &str) -> Result<u64, &'static str> {
    let (number, exponent) = text.split_once('p').ok_or("has no exponent")?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let well_formed = !whole.is_empty() && (fraction.is_empty() != number.contains('.'));
    if !well_formed || number.len() > 64 {
        return Err("is not a hex float");
    }
    let mut mantissa: u128 = 0;
    let mut scale: i64 = 0;
    for (digit, is_fraction) in whole
        .bytes()
        .map(|b| (b, false))
        .chain(fraction.bytes().map(|b| (b, true)))
    {
        let digit = char::from(digit).to_digit(16).ok_or("is not a hex float")?;
        if mantissa >> 120 != 0 {
            return Err("has more digits than f64 holds");
        }
        mantissa = mantissa << 4 | u128::from(digit);
        scale -= if is_fraction { 4 } else { 0 };
    }
    let plain = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if plain.is_empty() || plain.len() > 5 || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return Err("has an exponent that is not an integer of at most five digits");
    }
    let exponent: i64 = exponent.parse().map_err(|_| "has a wrong exponent")?;
    assemble(mantissa, exponent + scale)
}

/// Bits of `mantissa * 2^exponent`, which must be exact.
fn assemble(mantissa: u128, exponent: i64) -> Result<u64, &'static str> {
    if mantissa == 0 {
        return Ok(0);
    }
    let zeros = mantissa.trailing_zeros();
    let odd = mantissa >> zeros;
    let exponent = exponent + i64::from(zeros);
    let width = i64::from(128 - odd.leading_zeros());
    let top = exponent + width - 1;
    if width > 53 {
        return Err("has more digits than f64 holds");
    }
    if top > 1023 {
        return Err("is larger than f64 holds");
    }
    if exponent < -1074 {
        return Err("has digits below the smallest number that f64 holds");
    }
    let odd = odd as u64;
    if top < -1022 {
        return Ok(odd << (exponent + 1074));
    }
    let fraction = (odd << (53 - width)) & MANTISSA;
    Ok(((top + 1023) as u64) << 52 | fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_c99() {
        for (value, text) in [
            (0.0, "0x0p+0"),
            (-0.0, "-0x0p+0"),
            (1.0, "0x1p+0"),
            (12.0, "0x1.8p+3"),
            (-0.1, "-0x1.999999999999ap-4"),
            (f64::MIN_POSITIVE, "0x1p-1022"),
            (5e-324, "0x0.0000000000001p-1022"),
            (f64::MAX, "0x1.fffffffffffffp+1023"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::from_bits(0x7ff8_0000_0000_0000), "nan"),
            (
                f64::from_bits(0xfff8_0000_0000_0001),
                "-nan:0x8000000000001",
            ),
        ] {
            assert_eq!(print(value), text);
            assert_eq!(parse(text).map(f64::to_bits), Ok(value.to_bits()), "{text}");
        }
    }

    #[test]
    fn reads_other_spellings_of_a_number() {
        for (text, value) in [
            ("0x18p-1", 12.0),
            ("0x0.0018p+15", 12.0),
            ("0xcp0", 12.0),
            ("0x1p-1074", 5e-324),
            ("0x0p-99999", 0.0),
            ("0x1.8000000000000000p+0", 1.5),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn refuses_what_would_be_rounded_or_is_no_number() {
        for text in [
            "",
            "-",
            "0x",
            "0x.p0",
            "0x1.p0",
            "0x.8p0",
            "0x1",
            "0x1p",
            "0x1p+",
            "0x1p+-3",
            "1.5",
            "0x1p+1024",
            "0x1p-1075",
            "0x1.00000000000001p+0",
            "0x1.8p-1074",
            "0x1p+999999",
            "nan:0x0",
            "nan:0x10000000000000",
            "nan:0x",
            "nan:0x+1",
            "0xgp0",
            "--inf",
            "0x1p++1",
            "0xffffffffffffffffffffffffffffffffffp0",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_bit_pattern_survives() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            for pattern in [bits, bits & !(0x7ff << 52), bits | (0x7ff << 52)] {
                let text = print(f64::from_bits(pattern));
                assert_eq!(parse(&text).map(f64::to_bits), Ok(pattern), "{text}");
            }
        }
    }
}
