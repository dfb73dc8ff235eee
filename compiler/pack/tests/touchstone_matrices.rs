//! Matrices of Touchstone texts: order of elements, conversion to S, and the way back to a text.
#![allow(clippy::unwrap_used, clippy::panic)]

use num_complex::Complex;
use tdse_pack::touchstone::{Mode, Parameter, Touchstone, parse, scattering, write_s};

type C = Complex<f64>;

fn c(re: f64, im: f64) -> C {
    Complex::new(re, im)
}

fn read(text: &str, name: &str) -> Touchstone {
    parse(text.as_bytes(), name).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"))
}

#[test]
fn two_ports_agree_with_three_ports_and_both_orders() {
    let v1 = read("# Hz RI\n1 11 0 21 0 12 0 22 0", "x.s2p");
    let embedded = read(
        "# Hz RI\n1 11 0 12 0 0 0\n 21 0 22 0 0 0\n 0 0 0 0 1 0",
        "x.s3p",
    );
    let old = version_two(
        2,
        "[Two-Port Data Order] 21_12\n",
        "1 11 0 21 0 12 0 22 0\n",
    );
    let new = version_two(
        2,
        "[two-port  DATA order] 12_21 ! new\n",
        "1 11 0 12 0 21 0 22 0\n",
    );
    for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let expected = c((10 * (row + 1) + column + 1) as f64, 0.0);
        let at = row * 2 + column;
        assert_eq!(
            [
                v1.data[at],
                old.data[at],
                new.data[at],
                embedded.data[row * 3 + column]
            ],
            [expected; 4]
        );
    }
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
fn triangles_fill_the_matrix() {
    for ports in 1..=6 {
        let symmetric = |i: usize, j: usize| (1 + i.min(j) * 10 + i.max(j)) as f64;
        let text = |keep: &dyn Fn(usize, usize) -> bool| {
            let mut text = String::from("7");
            for i in 0..ports {
                for j in (0..ports).filter(|&j| keep(i, j)) {
                    text += &format!(" {} 1", symmetric(i, j));
                }
                text += " ! row\n";
            }
            text
        };
        let full = version_two(ports, "[Matrix Format] FULL\n", &text(&|_, _| true));
        let lower = version_two(ports, "[Matrix Format] lower\n", &text(&|i, j| j <= i));
        let upper = version_two(ports, "[Matrix Format] Upper\n", &text(&|i, j| j >= i));
        assert_eq!(full.data, lower.data, "{ports}");
        assert_eq!(full.data, upper.data, "{ports}");
        assert_eq!(full.data[ports - 1], c(ports as f64, 1.0));
    }
}

#[test]
fn every_kind_of_matrix_gives_the_same_s() {
    // A series impedance of 50 ohm and a shunt admittance of 20 mS, between 50 ohm: exact S below.
    let (third, two) = (c(1.0 / 3.0, 0.0), c(2.0 / 3.0, 0.0));
    let (series, shunt) = ([third, two, two, third], [-third, two, two, -third]);
    let cases = [
        (
            "Y",
            "1 .02 0 -.02 0 -.02 0 .02 0",
            "1 1 0 -1 0 -1 0 1 0",
            series,
        ),
        ("H", "1 50 0 -1 0 1 0 0 0", "1 1 0 -1 0 1 0 0 0", series),
        ("Z", "1 50 0 50 0 50 0 50 0", "1 1 0 1 0 1 0 1 0", shunt),
        ("G", "1 .02 0 1 0 -1 0 0 0", "1 1 0 1 0 -1 0 0 0", shunt),
    ];
    for (kind, physical, normalised, expected) in cases {
        let v1 = read(&format!("# Hz {kind} RI R 50\n{normalised}\n"), "x.s2p");
        let v2 = read(
            &format!(
                "[Version] 2.0\n# Hz {kind} RI R 50\n[Number of Ports] 2\n[Two-Port Data Order] 21_12\n[Network Data]\n{physical}\n"
            ),
            "x.ts",
        );
        for t in [v1, v2] {
            let s = t.to_s().unwrap().data;
            assert!(distance(&s, &expected) < 1e-15, "{kind}: {s:?}");
        }
    }
}

#[test]
fn version_one_normalises_to_each_port() {
    // v = V / sqrt R, i = I sqrt R with R = 4 and 9 on H = [h11 h12; h21 h22] by hand.
    let t = read("# Hz H RI R 4 9\n1 1 0 1 0 1 0 1 0\n", "x.s2p");
    assert!(
        distance(
            &t.data,
            &[
                c(4.0, 0.0),
                c(2.0 / 3.0, 0.0),
                c(2.0 / 3.0, 0.0),
                c(1.0 / 9.0, 0.0)
            ]
        ) < 1e-15
    );
    let t = read("# Hz G RI R 4 9\n1 1 0 1 0 1 0 1 0\n", "x.s2p");
    assert!(
        distance(
            &t.data,
            &[c(0.25, 0.0), c(1.5, 0.0), c(1.5, 0.0), c(9.0, 0.0)]
        ) < 1e-15
    );
    let t = read("# Hz Z RI R 4 9\n1 1 0 1 0 1 0 1 0\n", "x.s2p");
    assert!(
        distance(
            &t.data,
            &[c(4.0, 0.0), c(6.0, 0.0), c(6.0, 0.0), c(9.0, 0.0)]
        ) < 1e-15
    );
    let t = read("# Hz Y RI R 4 9\n1 1 0 1 0 1 0 1 0\n", "x.s2p");
    assert!(
        distance(
            &t.data,
            &[
                c(0.25, 0.0),
                c(1.0 / 6.0, 0.0),
                c(1.0 / 6.0, 0.0),
                c(1.0 / 9.0, 0.0)
            ]
        ) < 1e-15
    );
}

#[test]
fn power_waves_hold_for_complex_and_unequal_references() {
    // One port: s = (Z - conj z) / (Z + z); a conjugate match reflects nothing.
    let (z, reference) = (c(20.0, -7.0), c(30.0, 40.0));
    let s = scattering(Parameter::Z, &[z], &[reference]).unwrap();
    assert!((s[0] - (z - reference.conj()) / (z + reference)).norm() < 1e-15);
    assert!(scattering(Parameter::Z, &[reference.conj()], &[reference]).unwrap()[0].norm() < 1e-15);
    // A lossless network is unitary for any references; Z and Y forms agree.
    let z = [c(0.0, 30.0), c(0.0, 12.0), c(0.0, 12.0), c(0.0, -45.0)];
    let references = [c(50.0, 20.0), c(3.0, -8.0)];
    let s = scattering(Parameter::Z, &z, &references).unwrap();
    let column = |j: usize| s[j].norm_sqr() + s[2 + j].norm_sqr();
    assert!((column(0) - 1.0).abs() < 1e-14 && (column(1) - 1.0).abs() < 1e-14);
    assert!((s[0].conj() * s[1] + s[2].conj() * s[3]).norm() < 1e-14);
    let determinant = z[0] * z[3] - z[1] * z[2];
    let y = [z[3], -z[1], -z[2], z[0]].map(|x| x / determinant);
    assert!(distance(&s, &scattering(Parameter::Y, &y, &references).unwrap()) < 1e-14);
    let h = [determinant / z[3], z[1] / z[3], -z[2] / z[3], z[3].inv()];
    assert!(distance(&s, &scattering(Parameter::H, &h, &references).unwrap()) < 1e-14);
    let g = [z[0].inv(), -z[1] / z[0], z[2] / z[0], determinant / z[0]];
    assert!(distance(&s, &scattering(Parameter::G, &g, &references).unwrap()) < 1e-14);
}

#[test]
fn mixed_modes_have_their_own_references() {
    let t = read(
        "[Version] 2.0\n# Hz Z RI R 50\n[Number of Ports] 3\n[Mixed-Mode Order] d2,3\n C2,3 s1\n[Network Data]\n\
         1 100 0 0 0 0 0\n0 0 25 0 0 0\n0 0 0 0 50 0\n",
        "x.ts",
    );
    assert_eq!(
        t.mixed_mode.as_deref(),
        Some(
            &[
                Mode::Differential(2, 3),
                Mode::Common(2, 3),
                Mode::Single(1)
            ][..]
        )
    );
    let s = t.to_s().unwrap();
    assert_eq!(s.reference, [c(100.0, 0.0), c(25.0, 0.0), c(50.0, 0.0)]);
    assert_eq!(s.data, [c(0.0, 0.0); 9]);
}

#[test]
fn written_texts_read_back_bit_for_bit() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    for ports in (1..=33).chain([64]) {
        let frequencies = [0.0, 1.0 / 3.0, 1e10 + 1.0 / 3.0, f64::MAX];
        let mut data: Vec<C> = (0..4 * ports * ports)
            .map(|_| c(next(), next() * 1e-12))
            .collect();
        data[0] = c(-0.0, f64::MIN_POSITIVE / 3.0);
        let text = write_s(
            &frequencies,
            ports,
            &data,
            50.0,
            &["a line\n# and another", "é"],
        )
        .unwrap();
        let t = read(&text, &format!("x.s{ports}p"));
        assert!(
            t.frequencies == frequencies && t.reference == vec![c(50.0, 0.0); ports],
            "{ports}"
        );
        let bits = |x: &[C]| {
            x.iter()
                .flat_map(|z| [z.re.to_bits(), z.im.to_bits()])
                .collect::<Vec<_>>()
        };
        assert_eq!(bits(&t.data), bits(&data), "{ports}");
        assert_eq!(t.notes, Vec::<String>::new());
        assert!(
            text.lines()
                .filter(|l| !l.starts_with(['!', '#']))
                .all(|l| l.split_whitespace().count() <= 9)
        );
    }
}

fn distance(a: &[C], b: &[C]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).norm())
        .fold(0.0, f64::max)
}
