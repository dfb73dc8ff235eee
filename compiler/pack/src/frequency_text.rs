//! Frequencies as people read them: `0 Hz`, `100.5 GHz`.

/// SI prefixes with their scale, largest first.
const PREFIXES: [(f64, &str); 7] = [
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
];

/// Largest power of ten over which `value / scale` is written without an exponent.
const WIDEST: f64 = 1e6;

/// `hz` with a prefix and at most six significant digits, without trailing zeros.
pub(crate) fn hertz(hz: f64) -> String {
    // Half a unit of the sixth digit below a prefix already rounds up to it.
    let reached = |scale: f64| hz.abs() >= scale * (1.0 - 5e-7);
    match PREFIXES.into_iter().find(|(scale, _)| reached(*scale)) {
        Some((scale, prefix)) if hz.abs() < WIDEST * scale => {
            format!("{} {prefix}Hz", six_digits(hz / scale))
        }
        _ if hz == 0.0 => "0 Hz".to_owned(),
        _ => format!("{hz:e} Hz"),
    }
}

fn six_digits(value: f64) -> String {
    let before_point = value.abs().max(1.0).log10().floor() as usize + 1;
    let text = format!("{value:.*}", 6usize.saturating_sub(before_point));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_read_well() {
        for (hz, text) in [
            (0.0, "0 Hz"),
            (-0.0, "0 Hz"),
            (1.0, "1 Hz"),
            (334.414_716, "334.415 Hz"),
            (0.25, "250 mHz"),
            (1e5, "100 kHz"),
            (1.465e9, "1.465 GHz"),
            (1.005e11, "100.5 GHz"),
            (999.999_999_9e6, "1 GHz"),
            (1e12, "1 THz"),
            (-2e3, "-2 kHz"),
            (1e-9, "1e-9 Hz"),
            (1e300, "1e300 Hz"),
            (f64::INFINITY, "inf Hz"),
        ] {
            assert_eq!(hertz(hz), text);
        }
    }
}
