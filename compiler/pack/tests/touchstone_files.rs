//! Every Touchstone file of the shared test data against facts read from its text, and its
//! largest singular value and reciprocity against the table in `../shared/data/SOURCES.md`
//! (made with scikit-rf 2.2.0).
//!
//! scikit-rf refuses `sigint__FourPortTLineTest.s7p` ("illegal format value s") because its option
//! line gives the format before the parameter. The format allows any order, so the file is read
//! here. Its two figures, 1.414214 (root 2) and 1.0, come from NumPy on the numbers of the text: only the first
//! column of each matrix is filled.
#![allow(clippy::unwrap_used, clippy::panic)]

use nalgebra::DMatrix;
use num_complex::Complex;
use std::path::{Path, PathBuf};
use tdse_pack::touchstone::{Format, Mode, Parameter, Touchstone, Version, parse};

/// One file: (points, f_lo, f_hi), heading, references, one value, and the table's two figures.
struct Row {
    file: &'static str,
    ports: usize,
    points: usize,
    hertz: (f64, f64),
    heading: (Parameter, Format, Version),
    reference: &'static [(f64, f64)],
    /// Point, row, column (from 0), and the pair as it stands in the file.
    value: (usize, usize, usize, f64, f64),
    sv: f64,
    rec: f64,
    noise: usize,
}

const S: Parameter = Parameter::S;
const RI: (Parameter, Format, Version) = (S, Format::Ri, Version::V1);
const MA: (Parameter, Format, Version) = (S, Format::Ma, Version::V1);
const DB: (Parameter, Format, Version) = (S, Format::Db, Version::V1);
const RI2: (Parameter, Format, Version) = (S, Format::Ri, Version::V2);
const MA2: (Parameter, Format, Version) = (S, Format::Ma, Version::V2);
const R50: &[(f64, f64)] = &[(50.0, 0.0)];

#[allow(clippy::too_many_arguments)]
const fn row(
    file: &'static str,
    ports: usize,
    points: usize,
    hertz: (f64, f64),
    heading: (Parameter, Format, Version),
    reference: &'static [(f64, f64)],
    value: (usize, usize, usize, f64, f64),
    figures: (f64, f64, usize),
) -> Row {
    Row {
        file,
        ports,
        points,
        hertz,
        heading,
        reference,
        value,
        sv: figures.0,
        rec: figures.1,
        noise: figures.2,
    }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("nanovna__bug_159.s1p", 1, 1, (2.8e7, 2.8e7), RI, R50, (0, 0, 0, 0.0, 0.0), (0.0, 0.0, 0)),
    row("nanovna__db.s2p", 2, 10, (1465003750.937734, 1469504876.219055), DB, R50, (0, 1, 0, -2.261174260421613, 162.0714227806657), (0.971877, 2.6e-2, 0)),
    row("nanovna__ma.s2p", 2, 10, (1e7, 1e8), MA, R50, (9, 1, 0, 9.593, 84.260), (57.042757, 5.7e1, 0)),
    row("nanovna__sucoflex290mm.s1p", 1, 101, (1e8, 5e8), RI, R50, (1, 0, 0, -0.2717059541683469, -0.9744353765066461), (1.014706, 0.0, 0)),
    row("nanovna__unordered.s1p", 1, 7, (1.4e8, 142150638.0), RI, R50, (2, 0, 0, -0.694235622, -0.017205553), (0.724383, 0.0, 0)),
    row("nanovna__valid_with_datacomment.s1p", 1, 11, (1.4e8, 143072339.0), RI, R50, (5, 0, 0, -0.645231842, 0.06495472), (0.724383, 0.0, 0)),
    row("sigint__FourPortTLineTest.s7p", 7, 401, (0.0, 2e10), MA, R50, (1, 2, 0, 0.482599, -17.576581), (std::f64::consts::SQRT_2, 1.0, 0)),
    row("sigint__WireBond3Pairs.s12p", 12, 101, (0.0, 1e11), MA, R50, (100, 11, 10, 0.820183, 119.435274), (1.0, 1.7e-14, 0)),
    row("skrf__ansys_modal_data.s2p", 2, 2, (0.0, 1e9), MA, R50, (1, 1, 0, 0.992314774773583, 180.0), (0.998892, 8.3e-12, 0)),
    row("skrf__Clarity_example.S2P", 2, 40, (5e7, 2e9), RI, R50, (39, 1, 1, 0.0759700190015521, 0.0238584286542158), (0.998144, 0.0, 0)),
    row("skrf__double_option_line.s2p", 2, 2, (1e9, 1.1e9), RI, &[(10.0, 10.0)], (1, 1, 0, 11.0, 12.0), (35.941645, 2.8, 0)),
    row("skrf__EP2C+_Plus25DegC_Unit1.S3P", 3, 169, (1e7, 2e10), DB, R50, (0, 1, 2, -4.077767, -0.6941584), (0.996043, 2.1e-3, 0)),
    row("skrf__fet.s2p", 2, 101, (3e10, 4e10), RI, R50, (0, 1, 0, 0.057190448408817346, 1.1527575174177795), (1.431785, 1.1, 0)),
    row("skrf__helic_example_6ports_V2.ts", 6, 17, (0.0, 960e3), RI2, &[(50.0, 0.0), (75.0, 0.0), (0.01, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)], (1, 1, 0, 0.00019652, -89.0486), (282.578601, 1.2e2, 0)),
    row("skrf__HFSS2019R2_multiport.s11p", 11, 5, (9e8, 1.1e9), MA, R50, (0, 1, 4, 1.08710473483556e-7, -180.0), (0.002058, 4e-20, 0)),
    row("skrf__HFSS2019R2_multiport.s17p", 17, 5, (9e8, 1.1e9), MA, R50, (0, 0, 16, 3.69628205788803e-8, 1.00637693129831e-14), (0.003013, 4e-20, 0)),
    row("skrf__HFSS2019R2_multiport.s1p", 1, 5, (9e8, 1.1e9), MA, R50, (2, 0, 0, 0.00162455328240685, -180.0), (0.001635, 0.0, 0)),
    row("skrf__HFSS2019R2_multiport.s2p", 2, 5, (9e8, 1.1e9), MA, R50, (0, 1, 0, 3.05824247916449e-6, 180.0), (0.000170, 1e-20, 0)),
    row("skrf__HFSS2019R2_multiport.s3p", 3, 5, (9e8, 1.1e9), MA, R50, (0, 0, 2, 1.18842318258165e-8, -180.0), (0.000486, 6.7e-22, 0)),
    row("skrf__HFSS2019R2_multiport.s4p", 4, 5, (9e8, 1.1e9), MA, R50, (0, 2, 3, 6.54638911028627e-9, -1.22925526387186e-14), (0.003119, 1e-20, 0)),
    row("skrf__HFSS2019R2_multiport.s6p", 6, 5, (9e8, 1.1e9), MA, R50, (0, 1, 4, 1.11347810321834e-7, 180.0), (0.002247, 2e-20, 0)),
    row("skrf__HFSS2019R2_multiport.s7p", 7, 5, (9e8, 1.1e9), MA, R50, (0, 1, 6, 4.19821925819988e-8, -8.47175050549929e-15), (0.004283, 1e-20, 0)),
    row("skrf__hfss_18.2.s3p", 3, 11, (2e7, 2.1e7), MA, R50, (0, 2, 1, 0.480788281318617, -9.12725199053185), (1.000212, 1.6e-15, 0)),
    row("skrf__hfss_19.2.s8p", 8, 3, (4.5e7, 4.52e7), MA, R50, (0, 1, 4, 0.00126170681118288, 122.94026010695), (1.001613, 1e-15, 0)),
    row("skrf__hfss_oneport_powerwave.s1p", 1, 2, (2.95e10, 3.7e10), RI, R50, (1, 0, 0, -0.24739933815826692, 0.6386340944068366), (0.684880, 0.0, 0)),
    row("skrf__LFCN-2352+_Plus25degC.s2p", 2, 2006, (1e7, 5e10), DB, R50, (0, 1, 0, -1.965048e-2, -1.868977e-1), (1.153666, 2.7e-3, 0)),
    row("skrf__ntwk.s32p", 32, 3, (0.0, 4e7), MA, R50, (2, 31, 30, 0.0128251870734534, 85.867175301988), (1.000015, 4.5e-7, 0)),
    row("skrf__ntwk_arbitrary_frequency.s2p", 2, 4, (1.0, 20.0), RI, R50, (3, 1, 0, 0.909666648, -0.217883591), (1.0, 0.0, 0)),
    row("skrf__ntwk_noise.s2p", 2, 11, (1e9, 2e9), RI, R50, (10, 1, 0, 10.0, 0.0), (10.0, 1e1, 2)),
    row("skrf__RS_ZVR_1.20_beta_f.s2p", 2, 1, (1e3, 1e3), DB, R50, (0, 0, 1, -0.0003, -0.00003), (1.532100, 3.2e-5, 0)),
    row("skrf__simple_touchstone.s2p", 2, 2, (1e9, 1.1e9), RI, &[(50.0, 50.0)], (1, 0, 1, 13.0, 14.0), (35.941645, 2.8, 0)),
    row("skrf__test_encoding_ISO-8859-1.s2p", 2, 1, (1e9, 1e9), RI, R50, (0, 1, 0, -1.0, 1.0), (2.0, 2.8, 0)),
    row("skrf__test_encoding_unknown.s2p", 2, 1, (1e9, 1e9), RI, R50, (0, 1, 0, -1.0, 1.0), (2.0, 2.8, 0)),
    row("skrf__thru.s2p", 2, 4, (1e9, 1e11), RI, R50, (2, 0, 1, 1.0, 0.0), (1.0, 0.0, 4)),
    row("vectfit__BN43-2402_4t_26AWG.s1p", 1, 401, (3e5, 3e7), RI, R50, (1, 0, 0, -0.041534, 0.940186), (0.942106, 0.0, 0)),
    row("metas_tdr/short_10ps_10g_40g.s1p", 1, 4, (1e10, 4e10), RI, R50, (1, 0, 0, 0.8090169943749475, 0.5877852522924731), (1.0, 0.0, 0)),
    row("metas_tdr/short_10ps_10g_50g.s1p", 1, 5, (1e10, 5e10), RI, R50, (4, 0, 0, -1.0, -1.2246467991473532e-16), (1.0, 0.0, 0)),
    row("metas_tdr/short_10ps_dc_40g.s1p", 1, 5, (0.0, 4e10), RI, R50, (4, 0, 0, -0.30901699437494734, -0.9510565162951536), (1.0, 0.0, 0)),
    row("metas_tdr/short_10ps_dc_50g.s1p", 1, 6, (0.0, 5e10), RI, R50, (0, 0, 0, 1.0, 0.0), (1.0, 0.0, 0)),
    row("v2/skrf__ansys.ts", 3, 1, (0.0, 0.0), MA2, &[(1.0, 0.0), (50.0, 0.0), (50.0, 0.0)], (0, 1, 2, 2.781589590459562e-3, 180.0), (1.0, 3.3e-19, 0)),
    row("v2/skrf__ex_11.s2p", 2, 1, (2e3, 2e3), (Parameter::H, Format::Ma, Version::V1), &[(1.0, 0.0)], (0, 1, 0, 3.57, 157.0), (2.261564, 2.2, 0)),
    row("v2/skrf__ex_12.ts", 2, 1, (2e3, 2e3), (Parameter::H, Format::Ma, Version::V2), &[(1.0, 0.0)], (0, 0, 1, 0.04, 76.0), (2.261564, 2.2, 0)),
    row("v2/skrf__ex_13.s2p", 2, 3, (1e9, 1e10), RI, R50, (1, 1, 0, -0.0096, -0.0298), (0.495908, 0.0, 0)),
    row("v2/skrf__ex_16.ts", 6, 1, (5e6, 5e6), RI2, &[(50.0, 0.0), (75.0, 0.0), (75.0, 0.0), (50.0, 0.0), (0.01, 0.0), (0.01, 0.0)], (0, 4, 5, -1.0, 2.0), (15.640751, 0.0, 0)),
    row("v2/skrf__ex_2.ts", 1, 5, (1e6, 5e6), (Parameter::Z, Format::Ma, Version::V2), R50, (4, 0, 0, 15.0, 50.0), (0.690864, 0.0, 0)),
    row("v2/skrf__ex_3.ts", 2, 2, (1e9, 2e9), MA2, R50, (1, 1, 0, 221.0, 0.0), (433.116612, 9.0, 0)),
    row("v2/skrf__ex_4.ts", 4, 1, (1e9, 1e9), MA2, &[(50.0, 0.0), (75.0, 0.0), (0.01, 0.0), (0.01, 0.0)], (0, 2, 1, 32.0, 0.0), (118.815683, 2.7e1, 0)),
    row("v2/skrf__ex_5.ts", 4, 2, (5e9, 6e9), MA2, &[(50.0, 0.0), (75.0, 0.0), (0.01, 0.0), (0.01, 0.0)], (1, 3, 1, 0.42, -66.58), (0.994736, 0.0, 0)),
    row("v2/skrf__ex_6.ts", 4, 2, (5e9, 6e9), MA2, &[(50.0, 0.0), (75.0, 0.0), (0.01, 0.0), (0.01, 0.0)], (1, 1, 3, 0.42, -66.58), (0.994736, 0.0, 0)),
    row("v2/skrf__ex_8.s1p", 1, 1, (2e6, 2e6), MA, R50, (0, 0, 0, 0.894, -12.136), (0.894, 0.0, 0)),
];

/// File, number, line, column.
const REFUSED: &[(&str, u32, usize, usize)] = &[
    ("nanovna__broken_pair.s2p", 2007, 7, 1),
    ("v2/skrf__ex_1.ts", 2001, 5, 1),
];

#[test]
fn every_file_gives_what_its_text_says() {
    let Some(folder) = folder() else { return };
    for row in ROWS {
        check(row, &read(&folder, row.file));
    }
}

#[test]
fn the_tables_name_every_file() {
    let Some(folder) = folder() else { return };
    let mut found = Vec::new();
    for part in ["", "metas_tdr", "v2"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && path.extension().is_none_or(|e| e != "csv") {
                found.push(
                    path.strip_prefix(&folder)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_string(),
                );
            }
        }
    }
    found.sort();
    let mut named: Vec<&str> = ROWS
        .iter()
        .map(|r| r.file)
        .chain(REFUSED.iter().map(|r| r.0))
        .collect();
    named.sort_unstable();
    assert_eq!(found, named);
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let Some(folder) = folder() else { return };
    for &(file, code, line, column) in REFUSED {
        let error = parse(&std::fs::read(folder.join(file)).unwrap(), file).unwrap_err();
        let tdse_pack::PackError::Touchstone {
            line: l, column: c, ..
        } = &error
        else {
            panic!("{file}: {error}")
        };
        assert_eq!(
            (error.code(), *l, *c),
            (code, line, column),
            "{file}: {error}"
        );
    }
}

#[test]
fn the_same_network_in_two_forms_is_the_same() {
    let Some(folder) = folder() else { return };
    for (a, b) in [
        ("v2/skrf__ex_5.ts", "v2/skrf__ex_6.ts"),
        ("v2/skrf__ex_11.s2p", "v2/skrf__ex_12.ts"),
    ] {
        let (a, b) = (read(&folder, a), read(&folder, b));
        assert_eq!(a.data, b.data);
        assert_eq!(a.to_s().unwrap(), b.to_s().unwrap());
    }
}

#[test]
fn what_was_done_or_looks_wrong_is_said() {
    let Some(folder) = folder() else { return };
    let said = [
        ("nanovna__unordered.s1p", "sorted"),
        (
            "skrf__double_option_line.s2p",
            "1 later option line(s) ignored, the first one holds (line 3)",
        ),
        ("skrf__simple_touchstone.s2p", "complex"),
        (
            "skrf__helic_example_6ports_V2.ts",
            "look like MA (then 1.000001)",
        ),
        ("skrf__HFSS2019R2_multiport.s7p", "default for R 50"),
        (
            "skrf__HFSS2019R2_multiport.s17p",
            "5 comment(s) tell port impedances",
        ),
        ("skrf__thru.s2p", "4 noise rows"),
        ("v2/skrf__ex_11.s2p", "normalised"),
        ("v2/skrf__ex_16.ts", "D2,3 D6,5 C2,3 C6,5 S4 S1"),
        ("v2/skrf__ex_2.ts", "[Network Data] is missing"),
        ("v2/skrf__ex_3.ts", "2 noise frequencies are declared"),
        ("v2/skrf__ex_3.ts", "default for GHz, S, MA, R 50"),
    ];
    for (file, words) in said {
        let notes = read(&folder, file).notes;
        assert!(
            notes.iter().any(|note| note.contains(words)),
            "{file} does not say '{words}': {notes:?}"
        );
    }
    for quiet in [
        "skrf__fet.s2p",
        "skrf__Clarity_example.S2P",
        "sigint__WireBond3Pairs.s12p",
        "v2/skrf__ansys.ts",
    ] {
        assert_eq!(read(&folder, quiet).notes, Vec::<String>::new(), "{quiet}");
    }
}

#[test]
fn noise_and_modes_are_kept() {
    let Some(folder) = folder() else { return };
    let noise = read(&folder, "skrf__thru.s2p").noise;
    assert_eq!(
        (
            noise[2].frequency,
            noise[2].minimum_figure_db,
            noise[2].resistance
        ),
        (75.05 * 1e9, 2.6, 20.0)
    );
    assert!((noise[2].best_source - Complex::new(0.0, 0.7)).norm() < 1e-15);
    let modes = read(&folder, "v2/skrf__ex_16.ts").mixed_mode.unwrap();
    assert_eq!(modes[1], Mode::Differential(6, 5));
    assert_eq!(modes[5], Mode::Single(1));
}

fn check(row: &Row, t: &Touchstone) {
    let file = row.file;
    assert_eq!(
        (t.ports, t.frequencies.len(), t.noise.len()),
        (row.ports, row.points, row.noise),
        "{file}"
    );
    let ends = (t.frequencies[0], t.frequencies[row.points - 1]);
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-15 * b.abs();
    assert!(
        close(ends.0, row.hertz.0) && close(ends.1, row.hertz.1),
        "{file}: {ends:?}"
    );
    assert_eq!((t.parameter, t.format, t.version), row.heading, "{file}");
    let expected: Vec<Complex<f64>> = match row.reference {
        [one] => vec![Complex::new(one.0, one.1); row.ports],
        each => each.iter().map(|r| Complex::new(r.0, r.1)).collect(),
    };
    assert_eq!(t.reference, expected, "{file}");
    let (point, line, column, first, second) = row.value;
    let angle = second * std::f64::consts::PI / 180.0;
    let value = match t.format {
        Format::Ri => Complex::new(first, second),
        Format::Ma => Complex::new(first * angle.cos(), first * angle.sin()),
        Format::Db => {
            Complex::new(angle.cos(), angle.sin()) * (first / 20.0 * std::f64::consts::LN_10).exp()
        }
    };
    let found = t.data[(point * t.ports + line) * t.ports + column];
    assert!(
        (found - value).norm() <= 1e-15 * value.norm() + f64::MIN_POSITIVE,
        "{file}: {found} for {value}"
    );

    let s = t.to_s().unwrap();
    let (mut sv, mut rec) = (0.0_f64, 0.0_f64);
    for matrix in s.data.chunks_exact(t.ports * t.ports) {
        let matrix = DMatrix::from_row_slice(t.ports, t.ports, matrix);
        rec = (&matrix - matrix.transpose())
            .iter()
            .map(|x| x.norm())
            .fold(rec, f64::max);
        sv = sv.max(matrix.singular_values().max());
    }
    assert!(
        (sv - row.sv).abs() <= 0.500_001e-6,
        "{file}: sv {sv} for {}",
        row.sv
    );
    // Two digits are printed; below 1e-13 it is rounding, of another order in another program.
    let rounding = 0.051 * 10f64.powf(row.rec.max(1e-300).log10().floor());
    assert!(
        (rec - row.rec).abs() <= rounding.max(1e-13),
        "{file}: rec {rec} for {}",
        row.rec
    );
}

fn read(folder: &Path, file: &str) -> Touchstone {
    let bytes = std::fs::read(folder.join(file)).unwrap();
    parse(&bytes, file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/touchstone");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIP no shared/data/touchstone beside the project");
    None
}
