//! Numbers as people read them.

/// `value` with `digits` significant digits, without trailing zeros; scientific outside 1e-3..1e6.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-3..6).contains(&exponent) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A value with an SI prefix, three to four digits.
fn prefixed(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 9] = [
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
        (1e-15, "f"),
    ];
    let Some(&(scale, prefix)) = PREFIXES.iter().find(|row| value.abs() >= row.0 * 0.999_95) else {
        return format!("{} {unit}", significant(value, 4));
    };
    format!("{} {prefix}{unit}", significant(value / scale, 4))
}

/// A frequency.
pub(crate) fn hertz(value: f64) -> String {
    prefixed(value, "Hz")
}

/// A time in seconds.
pub(crate) fn seconds(value: f64) -> String {
    prefixed(value, "s")
}

/// A length in metres.
pub(crate) fn metres(value: f64) -> String {
    prefixed(value, "m")
}

/// A resistance in ohm.
pub(crate) fn ohms(value: f64) -> String {
    prefixed(value, "ohm")
}

/// A time in nanoseconds.
pub(crate) fn nanoseconds(value: f64) -> String {
    prefixed(value * 1e-9, "s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let table = [
            (significant(0.0, 4), "0"),
            (significant(1.0, 4), "1"),
            (significant(0.123_456, 4), "0.1235"),
            (significant(1234.0, 2), "1234"),
            (significant(1e-12, 3), "1.00e-12"),
            (hertz(2e10), "20 GHz"),
            (hertz(0.0), "0 Hz"),
            (seconds(2.5e-11), "25 ps"),
            (metres(0.05), "50 mm"),
            (ohms(10e3), "10 kohm"),
            (nanoseconds(1500.0), "1.5 µs"),
            (nanoseconds(999.99), "1 µs"),
        ];
        for (found, wanted) in table {
            assert_eq!(found, wanted);
        }
    }
}
