//! Broken Touchstone texts: each is refused with its number, name, line and column, and nothing
//! that is cut off or changed anywhere makes the reader panic.
#![allow(clippy::unwrap_used, clippy::panic)]

use num_complex::Complex;
use std::collections::BTreeSet;
use tdse_pack::PackError;
use tdse_pack::touchstone::{MAX_BYTES, MAX_POINTS, TouchstoneFault, parse, write_s};

/// File name, text, number, name, line, column.
type Case = (&'static str, &'static [u8], u32, &'static str, usize, usize);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("x.s1p", b"", 2001, "no_data", 1, 1),
    ("x.s1p", b"!< header only >", 2001, "no_data", 1, 1),
    ("x.s2p", b"!< one >\n# Hz S RI R 50\n!< two >", 2001, "no_data", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n", 2001, "no_data", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n[Network Data]\n[End]", 2001, "no_data", 5, 1),
    ("x.s1p", b"\xff\xfe#\x00 \x00", 2003, "wrong_encoding", 1, 1),
    ("x.s1p", b"\xfe\xff\x00#", 2003, "wrong_encoding", 1, 1),
    ("x.s1p", b"# Hz RI\n1 0,5 0\n", 2004, "not_a_number", 2, 3),
    ("x.s1p", b"# Hz RI\n1 0.5 O\n", 2004, "not_a_number", 2, 7),
    ("x.s1p", b"# Hz RI\n1 0.5 0\n  x 0 0\n", 2004, "not_a_number", 3, 3),
    ("x.s1p", b"# Hz RI\n1 \xe9 0.5\n", 2004, "not_a_number", 2, 3),
    ("x.s1p", b"# Hz RI\n1 \xc3\xa9 0.5\n", 2004, "not_a_number", 2, 3),
    ("x.s2p", b"# Hz RI\r\n1 1 0 0 0\r\n0 0 1 # \r\n", 2004, "not_a_number", 3, 7),
    ("x.s1p", b"# Hz RI\n1 nan 0\n", 2005, "not_finite", 2, 3),
    ("x.s1p", b"# Hz RI\n1 0 -Infinity\n", 2005, "not_finite", 2, 5),
    ("x.s1p", b"# Hz RI\n1 1e999 0\n", 2005, "not_finite", 2, 3),
    ("x.s1p", b"# GHz RI\n1e300 1 0\n", 2005, "not_finite", 2, 1),
    ("x.s1p", b"# Hz DB\n1 0 0\n2 9999 0\n", 2005, "not_finite", 3, 1),
    ("x.s1p", b"# Hz RI\n-1 1 0\n", 2006, "negative_frequency", 2, 1),
    ("x.s2p", b"# Hz RI\n1 1 0 2 0 3 0 4\n2 1 0 2 0 3 0 4 0\n", 2007, "unpaired_value", 2, 1),
    ("x.s3p", b"# Hz RI\n1 1 0 2 0 3\n", 2007, "unpaired_value", 2, 1),
    ("x.s1p", b"# Hz RI\r1 0.1\r", 2007, "unpaired_value", 2, 1),
    // A whole pair is missing: the record is named, though the next one brings it to light.
    ("x.s2p", b"# Hz RI\n1 1 0 2 0 3 0 4 0\n2 1 0 2 0 3 0\n3 1 0 2 0 3 0 4 0\n", 2008, "missing_values", 3, 1),
    ("x.s2p", b"# Hz RI\n1 1 0 2 0 3 0\n3 1 0 2 0 3 0 4 0\n", 2008, "missing_values", 2, 1),
    // One number of a wrapped row is missing: that row is named.
    ("x.s3p", b"# Hz RI\n1 1 0 2 0 3 0\n1 0 2 0 3\n 1 0 2 0 3 0\n", 2008, "missing_values", 3, 1),
    ("x.s3p", b"# Hz RI\n1 1 0 2 0 3 0\n1 0 2 0 3 0\n  1 0\n", 2008, "missing_values", 2, 1),
    ("x.s4p", b"# Hz RI\n  1 1 0 2 0 3 0 4 0\n", 2008, "missing_values", 2, 3),
    ("x.s1p", b"# Hz RI\n1 1 0 2 0\n", 2009, "extra_values", 2, 7),
    ("x.s2p", b"# Hz RI\n1 1 0 2 0\n1 0 2 0 3 0\n", 2009, "extra_values", 3, 9),
    ("x.s1p", b"1 1 0\n# Hz RI\n", 2010, "missing_option_line", 1, 1),
    ("x.ts", b"[Version] 2.0\n[Number of Ports] 1\n[Network Data]\n1 0 0\n", 2010, "missing_option_line", 3, 1),
    ("x.s1p", b"# Hz S XY R 50\n1 0 0\n", 2011, "unknown_option", 1, 8),
    ("x.s1p", b" #  Hz S RI 50\n1 0 0\n", 2011, "unknown_option", 1, 13),
    ("x.s1p", b"# Hz S RI R 50 ohm\n1 0 0\n", 2011, "unknown_option", 1, 16),
    ("x.s1p", b"# Hz S MHz\n1 0 0\n", 2012, "repeated_option", 1, 8),
    ("x.s1p", b"# Hz S RI R 50 R 50\n1 0 0\n", 2012, "repeated_option", 1, 16),
    ("x.s1p", b"# RI MA\n1 0 0\n", 2012, "repeated_option", 1, 6),
    ("x.s1p", b"# S Y\n1 0 0\n", 2012, "repeated_option", 1, 5),
    ("x.s1p", b"# Hz S RI R\n1 0 0\n", 2013, "missing_reference", 1, 11),
    ("x.s1p", b"# Hz S R RI\n1 0 0\n", 2013, "missing_reference", 1, 8),
    ("x.s1p", b"# Hz S RI R 0\n1 0 0\n", 2014, "bad_reference", 1, 13),
    ("x.s1p", b"# Hz S RI R -50\n1 0 0\n", 2014, "bad_reference", 1, 13),
    ("x.s1p", b"# Hz S RI R (0+50j)\n1 0 0\n", 2014, "bad_reference", 1, 13),
    ("x.s1p", b"# Hz S RI R inf\n1 0 0\n", 2014, "bad_reference", 1, 13),
    ("x.s3p", b"# Hz S RI R 50 75\n1 1 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 1 0", 2015, "reference_count", 1, 11),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Reference] 50\n[Network Data]\n", 2015, "reference_count", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Reference] 50 75 80\n", 2015, "reference_count", 4, 19),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Reference]\n50\n75 80\n", 2015, "reference_count", 6, 4),
    ("data", b"# Hz RI\n1 1 0 2 0\n2 1 0 2 0\n", 2016, "unknown_port_count", 2, 1),
    ("data", b"# Hz RI\n1\n", 2016, "unknown_port_count", 2, 1),
    ("x.s0p", b"# Hz RI\n1 1 0\n", 2017, "zero_ports", 1, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 0\n", 2017, "zero_ports", 3, 19),
    ("x.s1025p", b"# Hz RI\n1 1 0\n", 2018, "too_many_ports", 1, 1),
    ("x.s99999999999999999999999p", b"# Hz RI\n1 1 0\n", 2018, "too_many_ports", 1, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 4294967297\n", 2018, "too_many_ports", 3, 19),
    ("x.s3p", b"# Hz H RI\n1 1 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 1 0", 2020, "hybrid_needs_two_ports", 1, 6),
    ("x.s1p", b"# g\n1 1 0\n", 2020, "hybrid_needs_two_ports", 1, 3),
    ("x.ts", b"[Version] 3.0\n# Hz\n", 2021, "unsupported_version", 1, 11),
    ("x.s1p", b"# Hz RI\n[Number of Ports] 1\n1 1 0\n", 2022, "keyword_without_version", 2, 1),
    ("x.s1p", b"# Hz RI\n1 1 0\n[End]\n", 2022, "keyword_without_version", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Numbers of Ports] 1\n", 2023, "unknown_keyword", 3, 1),
    ("x.s1p", b"# Hz RI\n  [] 1\n1 1 0\n", 2023, "unknown_keyword", 2, 3),
    ("x.ts", b"[Version] 2.0\n# Hz\n[End Information]\n", 2023, "unknown_keyword", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n [Number of Ports 1\n", 2024, "unclosed_keyword", 3, 2),
    ("x.ts", b"[Version 2.0", 2024, "unclosed_keyword", 1, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n[number of ports] 1\n", 2025, "repeated_keyword", 4, 1),
    ("x.ts", b"[Version]\n# Hz\n", 2026, "missing_argument", 1, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] ! 1\n", 2026, "missing_argument", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] two\n", 2027, "bad_argument", 3, 19),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1 2\n", 2027, "bad_argument", 3, 21),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Two-Port Data Order] 11_22\n", 2027, "bad_argument", 4, 23),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Matrix Format] Diagonal\n", 2027, "bad_argument", 4, 17),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Frequencies] -1\n", 2027, "bad_argument", 3, 25),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Reference] 50\n", 2028, "missing_number_of_ports", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Network Data]\n1 0 0\n", 2028, "missing_number_of_ports", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n1 0 0\n", 2028, "missing_number_of_ports", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n [Number of Frequencies] 2\n[Network Data]\n1 0 0\n", 2029, "frequency_count", 4, 2),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n[Number of Frequencies] 1\n[Network Data]\n1 0 0\n2 0 0\n", 2029, "frequency_count", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Number of Noise Frequencies] 2\n[Network Data]\n1 0 0 0 0 0 0 0 0\n[Noise Data]\n1 0 0 0 1\n", 2030, "noise_count", 4, 1),
    ("x.s2p", b"# Hz RI\n2 0 0 0 0 0 0 0 0\n1 0 0 0 1\n2 0 0 0 1\n 3 0 0 0\n", 2031, "bad_noise_row", 5, 2),
    ("x.s2p", b"# Hz RI\n2 0 0 0 0 0 0 0 0\n1 0 0 0 1\n2 0 0 0 0 0\n", 2031, "bad_noise_row", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n[Network Data]\n1 0 0\n[Noise Data]\n", 2032, "noise_needs_two_ports", 6, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] D1,3 C1,3\n", 2033, "bad_mode", 4, 20),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] D1,2 X1,2\n", 2033, "bad_mode", 4, 25),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] D1,1 C1,1\n", 2033, "bad_mode", 4, 20),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] S1\n[Network Data]\n", 2034, "mixed_mode_mismatch", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n[Mixed-Mode Order] S1 S1\n", 2034, "mixed_mode_mismatch", 4, 23),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] S1 S1\n[Network Data]\n1 0 0 0 0 0 0 0 0\n", 2034, "mixed_mode_mismatch", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] D1,2 D1,2\n[Network Data]\n1 0 0 0 0 0 0 0 0\n", 2034, "mixed_mode_mismatch", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Mixed-Mode Order] D1,2 C1,2\n[Reference] 50 75\n[Network Data]\n1 0 0 0 0 0 0 0 0\n", 2034, "mixed_mode_mismatch", 4, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Begin Information]\n[Number of Ports] 1\n", 2035, "unclosed_information", 3, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 1\n[Network Data]\n1 0 0\n[Matrix Format] Full\n", 2036, "keyword_after_data", 6, 1),
    ("x.ts", b"[Version] 2.0\n# Hz\n[Number of Ports] 2\n[Noise Data]\n", 2036, "keyword_after_data", 4, 1),
];

/// Refusals that need more than a short text; each has a test of its own below.
const ELSEWHERE: &[u32] = &[2002, 2019, 2037, 2038, 2039];

#[test]
fn every_broken_text_is_refused_with_its_place() {
    for &(file, text, code, name, line, column) in CASES {
        let shown = String::from_utf8_lossy(text);
        let Err(error) = parse(text, file) else {
            panic!("{file} was taken:\n{shown}")
        };
        assert_eq!(
            place(&error),
            (code, name, line, column),
            "{error}\n{shown}"
        );
        let sentence = error.to_string();
        assert!(
            sentence.starts_with(&format!("line {line}, column {column}: ")) && sentence.len() > 40,
            "{sentence}"
        );
    }
}

#[test]
fn every_refusal_is_tested_and_listed_once() {
    let tested: BTreeSet<(u32, &str)> = CASES.iter().map(|case| (case.2, case.3)).collect();
    let listed: BTreeSet<(u32, &str)> = TouchstoneFault::ALL.iter().copied().collect();
    assert_eq!(listed.len(), TouchstoneFault::ALL.len());
    let names: BTreeSet<&str> = listed.iter().map(|fault| fault.1).collect();
    assert_eq!(names.len(), listed.len());
    let untested: Vec<u32> = listed.difference(&tested).map(|fault| fault.0).collect();
    assert_eq!(untested, ELSEWHERE);
    assert!(CASES.len() >= 90);
}

#[test]
fn limits_are_enforced() {
    // Zero pages: nothing is read beyond the length.
    let bytes = vec![0u8; MAX_BYTES + 1];
    assert_eq!(
        place(&parse(&bytes, "x.s1p").unwrap_err()),
        (2002, "too_many_bytes", 1, 1)
    );
    let text = format!("# Hz\n{}", "1 0 0\n".repeat(MAX_POINTS + 1));
    let error = parse(text.as_bytes(), "x.s1p").unwrap_err();
    assert_eq!(place(&error), (2019, "too_many_points", MAX_POINTS + 2, 1));
    // Declared sizes allocate nothing: 1024 ports and a number of records that fits no memory.
    let huge = b"[Version] 2.0\n# Hz\n[Number of Ports] 1024\n[Number of Frequencies] 99999999999999\n[Network Data]\n1 0 0\n";
    assert_eq!(
        place(&parse(huge, "x.ts").unwrap_err()),
        (2008, "missing_values", 6, 1)
    );
}

#[test]
fn matrices_without_s_are_refused_with_their_record() {
    let t = parse(b"# Hz Z RI R 50\n2 1 0\n1 -1 0\n", "x.s1p").unwrap();
    assert_eq!(
        place(&t.to_s().unwrap_err()),
        (2037, "singular_conversion", 3, 1)
    );
}

#[test]
fn the_writer_refuses_what_would_not_read_back() {
    let one = [Complex::new(1.0, 0.0); 4];
    let code = |f: &[f64], ports, data: &[Complex<f64>], r| {
        place(&write_s(f, ports, data, r, &[]).unwrap_err())
    };
    assert_eq!(code(&[1.0], 1, &one, 50.0), (2038, "write_shape", 1, 1));
    assert_eq!(code(&[1.0; 4], 1, &one, 50.0), (2039, "write_order", 1, 1));
    assert_eq!(code(&[-1.0], 2, &one, 50.0).0, 2039);
    assert_eq!(code(&[f64::NAN], 2, &one, 50.0).0, 2039);
    assert_eq!(code(&[1.0], 2, &one, 0.0).0, 2014);
    assert_eq!(code(&[], 2, &[], 50.0).0, 2001);
    assert_eq!(code(&[1.0], 0, &[], 50.0).0, 2017);
    assert_eq!(code(&[1.0], usize::MAX, &[], 50.0).0, 2018);
    let bad = [one[0], one[0], one[0], Complex::new(0.0, f64::INFINITY)];
    assert_eq!(
        code(&[1.0, 2.0, 3.0, 4.0], 1, &bad, 50.0),
        (2005, "not_finite", 5, 1)
    );
}

const VERSION_ONE: &[u8] = b"\xef\xbb\xbf! caf\xc3\xa9\r\n# MHz S DB R (50+5j) 75 ! c\r\n1 -1 20 -.5E0 3 -4 5 6. 7 ! d\r\n 2 -1 20\r\n \
    -.5 3 -4 5 6 7\n3 -1 20 -.5 3 -4 5 6 7\n!x\n1 2.5 .5 45 10\n2 2.7 .5 45 10";
const VERSION_TWO: &[u8] = b"! x\n[Version] 2.1\n# khz Y ri R 50\n[Number of Ports] 2\n[Two-Port Data Order] 12_21\n\
    [Number of Frequencies] 2\n[Number of Noise Frequencies] 1\n[Begin Information]\n[Made by] x\n[End Information]\n\
    [Reference] 50\n 50 ! two\n[Matrix Format] Lower\n[Mixed-Mode Order] D1,2\nC1,2\n[Network Data]\n1 .1 .2\n.3 .4 .5 .6\n\
    2 .1 .2 .3 .4 .5 .6\n[Noise Data]\n1 2 .3 4 5\n[End]\n";

#[test]
fn texts_cut_off_anywhere_never_panic() {
    for (text, file) in [
        (VERSION_ONE, "x.s2p"),
        (VERSION_ONE, "x"),
        (VERSION_TWO, "x.ts"),
    ] {
        assert!(parse(text, file).and_then(|t| t.to_s()).is_ok());
        for end in 0..text.len() {
            for part in [&text[..end], &text[end..]] {
                if let Ok(t) = parse(part, file) {
                    assert_eq!(t.data.len(), t.frequencies.len() * t.ports * t.ports);
                }
            }
        }
    }
}

#[test]
fn texts_changed_anywhere_never_panic() {
    for (text, file) in [(VERSION_ONE, "x.s2p"), (VERSION_TWO, "x.ts")] {
        for at in 0..text.len() {
            for byte in [
                0, b' ', b'\n', b'\r', b'!', b'#', b'[', b']', b'(', b')', b'-', b'9', b'e', b'j',
                b'.', 0x80, 0xff,
            ] {
                let mut changed = text.to_vec();
                changed[at] = byte;
                if let Ok(t) = parse(&changed, file) {
                    assert!(t.data.iter().all(|x| x.re.is_finite() && x.im.is_finite()));
                    let _ = t.to_s();
                }
            }
        }
    }
}

fn place(error: &PackError) -> (u32, &'static str, usize, usize) {
    let PackError::Touchstone { line, column, .. } = error else {
        panic!("{error}")
    };
    (error.code(), error.name(), *line, *column)
}
