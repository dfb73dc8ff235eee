//! The forms that Touchstone texts come in, each as a small text written for this test.
#![allow(clippy::unwrap_used, clippy::panic)]

use num_complex::Complex;
use tdse_pack::touchstone::{Format, Parameter, Touchstone, Version, parse};

type C = Complex<f64>;

fn c(re: f64, im: f64) -> C {
    Complex::new(re, im)
}

fn read(text: &str, name: &str) -> Touchstone {
    parse(text.as_bytes(), name).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"))
}

/// The element of row i and column j (from 1) is i + 100 j, its imaginary part the point.
fn element(row: usize, column: usize, point: usize) -> C {
    c((row + 1 + 100 * (column + 1)) as f64, point as f64)
}

fn full(ports: usize, points: usize) -> Vec<C> {
    let at = |k: usize| element(k / ports % ports, k % ports, k / (ports * ports));
    (0..ports * ports * points).map(at).collect()
}

#[test]
fn option_tokens_come_in_any_order_and_case() {
    let tokens = ["mHz", "Y", "dB", "r 75"];
    let mut orders = 0;
    for order in permutations(4) {
        let line: Vec<&str> = order.iter().map(|&k| tokens[k]).collect();
        for text in [
            line.join(" "),
            line.join("   \t").to_uppercase(),
            line.join(" ").to_lowercase(),
        ] {
            let t = read(&format!("  #{text}  ! R 1 GHz\n2 0 0\n"), "x.s1p");
            assert_eq!(
                (t.frequencies[0], t.parameter, t.format),
                (2e6, Parameter::Y, Format::Db),
                "{text}"
            );
            assert_eq!(t.reference, [c(75.0, 0.0)], "{text}");
            assert!((t.data[0] - c(1.0 / 75.0, 0.0)).norm() < 1e-17);
            orders += 1;
        }
    }
    assert_eq!(orders, 72);
}

#[test]
fn missing_options_take_their_defaults() {
    let cases = [
        ("#", 1e9, Parameter::S, Format::Ma, 50.0),
        ("# Hz", 1.0, Parameter::S, Format::Ma, 50.0),
        ("# KHZ Z", 1e3, Parameter::Z, Format::Ma, 50.0),
        ("# THz RI", 1e12, Parameter::S, Format::Ri, 50.0),
        ("# R 1", 1e9, Parameter::S, Format::Ma, 1.0),
        ("#R50 Y", 1e9, Parameter::Y, Format::Ma, 50.0),
    ];
    for (line, unit, parameter, format, reference) in cases {
        let t = read(&format!("{line}\n3 1 0"), "x.s1p");
        assert_eq!(
            (t.frequencies[0], t.parameter, t.format),
            (3.0 * unit, parameter, format),
            "{line}"
        );
        assert_eq!(t.reference, [c(reference, 0.0)], "{line}");
    }
}

#[test]
fn references_are_one_or_one_per_port_real_or_complex() {
    let cases: &[(&str, [C; 2])] = &[
        ("R 50 75", [c(50.0, 0.0), c(75.0, 0.0)]),
        ("R 50 75 S Hz", [c(50.0, 0.0), c(75.0, 0.0)]),
        ("R (50+5j)", [c(50.0, 5.0); 2]),
        ("R ( 50 - 5e-1j ) 75", [c(50.0, -0.5), c(75.0, 0.0)]),
        ("R 1e1-2e+0i 3", [c(10.0, -2.0), c(3.0, 0.0)]),
        ("R (0.01)", [c(0.01, 0.0); 2]),
    ];
    for (line, expected) in cases {
        let t = read(&format!("# RI {line}\n1 1 0 2 0 3 0 4 0\n"), "x.s2p");
        assert_eq!(t.reference, expected, "{line}");
        assert_eq!(t.to_s().unwrap().reference, expected, "{line}");
        assert_eq!(t.data, [c(1.0, 0.0), c(3.0, 0.0), c(2.0, 0.0), c(4.0, 0.0)]);
    }
}

#[test]
fn the_first_option_line_holds() {
    let t = read(
        "# Hz S RI R 10\n# GHz Z MA R 20\n1 0 1\n# Hz\n2 0 1\n",
        "x.s1p",
    );
    assert_eq!(
        (t.frequencies, t.parameter, t.reference),
        (vec![1.0, 2.0], Parameter::S, vec![c(10.0, 0.0)])
    );
    assert!(
        t.notes
            .iter()
            .any(|note| note.contains("2 later option line(s)") && note.contains("2, 4"))
    );
}

#[test]
fn names_state_the_port_count() {
    for ports in 1..=32 {
        for name in [
            format!("a.s{ports}p"),
            format!("dir.s3p/B,+C v1.2.S{ports}P"),
            format!("x.Y{ports}p"),
            format!("C:\\a\\b.z{ports}P"),
        ] {
            let text = wrapped(ports, 2, 4, true);
            assert_eq!(read(&text, &name).ports, ports, "{name}");
        }
    }
}

#[test]
fn unnamed_port_counts_are_inferred() {
    for ports in [1, 2, 3, 4, 5, 9, 12] {
        for name in ["data", "x.txt", "x.sp", "x.s2", "x.ts"] {
            let t = read(&wrapped(ports, 2, 4, true), name);
            assert_eq!(t.data, full(ports, 2), "{ports}");
            assert!(t.notes.iter().any(|note| note.contains("no port count")));
        }
    }
}

#[test]
fn rows_are_wrapped_in_any_way() {
    for ports in 1..=33 {
        for pairs in [1, 2, 3, 4, 5, 7, 8, ports, ports * ports] {
            for rows in [false, true] {
                let t = read(&wrapped(ports, 2, pairs, rows), &format!("x.s{ports}p"));
                assert_eq!(t.frequencies, [1.0, 2.0]);
                assert_eq!(
                    t.data,
                    full(ports, 2),
                    "{ports} ports, {pairs} pairs a line, row breaks {rows}"
                );
            }
        }
    }
    let alone = read("# Hz RI\n1\n1 0 2 0\n\n3 0 ! half\n 4 0\n", "x.s2p");
    assert_eq!(alone.data[1], c(3.0, 0.0));
}

/// A version 1 text of [`full`]: `pairs` a line, a new line per matrix row if `rows`.
fn wrapped(ports: usize, points: usize, pairs: usize, rows: bool) -> String {
    let mut text = String::from("# Hz S RI R 50\n");
    for point in 0..points {
        text += &format!("{}", point + 1);
        let mut in_line = 0;
        for k in 0..ports * ports {
            let (row, column) = if ports == 2 {
                (k % 2, k / 2)
            } else {
                (k / ports, k % ports)
            };
            if in_line == pairs || (rows && k > 0 && k % ports == 0 && ports > 2) {
                text += "\n   ";
                in_line = 0;
            }
            let value = element(row, column, point);
            text += &format!(" {} {}", value.re, value.im);
            in_line += 1;
        }
        text += "\n";
    }
    text
}

fn version_two(ports: usize, keywords: &str, data: &str) -> Touchstone {
    read(
        &format!(
            "[Version] 2.0\n# Hz S RI R 50\n[Number of Ports] {ports}\n{keywords}[Network Data]\n{data}[End]\n"
        ),
        "x.ts",
    )
}

#[test]
fn references_of_version_two_span_lines_with_comments() {
    let forms = [
        "[Reference] 1 2 3\n",
        "[reference]\n1 ! first\n\n! 9 9 9\n2 3\n",
        "[ Reference ] 1 ! one\n (2+0j)\n3\n",
    ];
    for form in forms {
        let t = version_two(3, form, "1 1 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 1 0\n");
        assert_eq!(
            t.reference,
            [c(1.0, 0.0), c(2.0, 0.0), c(3.0, 0.0)],
            "{form}"
        );
        assert_eq!(t.version, Version::V2);
    }
}

#[test]
fn information_blocks_and_text_behind_the_end_are_skipped() {
    let t = read(
        "[Version] 2.1\n[Number of Ports] 1\n# Hz RI\n[Begin Information]\n[Manufacturer] 1 2 3\n5 5 5\n[Whatever\n\
         [End Information]\n[Number of Frequencies] 1\n[Network Data]\n1 .5 0\n[End]\n2 .5 0\n[More]\n",
        "x.ts",
    );
    assert_eq!((t.frequencies, t.data), (vec![1.0], vec![c(0.5, 0.0)]));
    assert!(t.notes.iter().any(|note| note.contains("behind [End]")));
}

#[test]
fn noise_blocks_are_told_from_data() {
    let cases: &[(&str, usize, usize)] = &[
        (
            "1 1 0 2 0 3 0 4 0\n2 1 0 2 0 3 0 4 0\n1 .5 .6 90 .1\n9 .5 .6 90 .1\n",
            2,
            2,
        ),
        ("2 1 0 2 0 3 0 4 0\n! same frequency\n2 .5 .6 90 .1\n", 1, 1),
        // Out of order, and each record wrapped after two pairs: no noise.
        ("2 1 0 2 0\n3 0 4 0\n1 1 0 2 0\n3 0 4 0\n", 2, 0),
        (
            "3 1 0 2 0 3 0 4 0\n1 1 0 2 0 3 0 4 0\n2 1 0 2 0 3 0 4 0\n",
            3,
            0,
        ),
    ];
    for (rows, points, noise) in cases {
        let t = read(&format!("# Hz RI\n{rows}"), "x.s2p");
        assert_eq!(
            (t.frequencies.len(), t.noise.len()),
            (*points, *noise),
            "{rows}"
        );
        assert!(t.frequencies.is_sorted());
        assert_eq!(t.data[1], c(3.0, 0.0));
    }
    let t = version_two(
        2,
        "[Two-Port Data Order] 21_12\n[Number of Frequencies] 1\n[Number of Noise Frequencies] 2\n",
        "5 1 0 2 0 3 0 4 0\n[Noise Data]\n4 .7 .64 0 19\n18 2.7 .46 -33 20\n",
    );
    assert_eq!(
        (t.noise.len(), t.noise[0].frequency, t.noise[0].best_source),
        (2, 4.0, c(0.64, 0.0))
    );
    assert_eq!(t.noise[1].resistance, 20.0);
}

#[test]
fn unsorted_and_double_frequencies_are_cleaned_and_said() {
    let t = read("# Hz RI\n3 .3 0\n1 .1 0\n2 .2 0\n1 .1 0\n3 .9 0\n", "x.s1p");
    assert_eq!(
        (t.frequencies, t.data),
        (
            vec![1.0, 2.0, 3.0],
            vec![c(0.1, 0.0), c(0.2, 0.0), c(0.3, 0.0)]
        )
    );
    assert!(t.notes.iter().any(|note| note.contains("sorted")));
    assert!(
        t.notes.iter().any(
            |note| note.contains("2 record(s)") && note.contains("1 of them with other values")
        )
    );
}

#[test]
fn bytes_come_in_any_usual_encoding() {
    let expected = read("# Hz RI\n1 .1 0\n2 .2 0\n", "x.s1p");
    let texts: &[&[u8]] = &[
        b"\xef\xbb\xbf# Hz RI\n1 .1 0\n2 .2 0",
        b"\xef\xbb\xbf! first\n# Hz RI\n1 .1 0\n2 .2 0\n",
        b"!< comment \xe9\xff\xfe\x00 >\r\n# Hz RI ! \xe9\r\n1 .1 0 ! 3 \x80\r\n\r\n2 .2 0\r\n\x1a",
        b"! caf\xc3\xa9\r# Hz RI\r1 .1 0\r2 .2 0",
        b"\t# Hz\tRI\n\n \n1\t.1\t0\t\n2 2D-1 +0.0e0\n",
    ];
    for text in texts {
        let t = parse(text, "x.s1p").unwrap();
        assert_eq!(
            (&t.frequencies, &t.data),
            (&expected.frequencies, &expected.data),
            "{text:?}"
        );
    }
}

#[test]
fn numbers_in_comments_are_never_read() {
    let t = read(
        "# Hz RI ! R 0\n1 .1 0 ! 2 .2 0\n! Port Impedance0 0\n!Port impedance 7 7\n2 .2 0\n",
        "x.s1p",
    );
    assert_eq!((t.frequencies.len(), t.reference[0]), (2, c(50.0, 0.0)));
    assert!(
        t.notes
            .iter()
            .any(|note| note.contains("2 comment(s) tell port impedances"))
    );
}

#[test]
fn doubtful_formats_are_said_and_not_changed() {
    let t = read("# Hz S RI\n1 .9 170 .1 20 .1 20 .9 -160\n", "x.s2p");
    assert_eq!(t.data[0], c(0.9, 170.0));
    assert!(t.notes.iter().any(|note| note.contains("look like MA")));
    let t = read("# Hz S MA\n1 -.9 .1\n", "x.s1p");
    assert!(
        t.notes
            .iter()
            .any(|note| note.contains("1 magnitude(s) are negative"))
    );
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for next in 0..n {
        let put = |p: &Vec<usize>| {
            (0..=p.len())
                .map(|at| [&p[..at], &[next], &p[at..]].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(put).collect();
    }
    all
}
