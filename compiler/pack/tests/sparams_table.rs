//! Every buildable file of the shared data against the printed figures of an independent builder.
#![allow(clippy::unwrap_used)]

mod reference;

use reference::shared;
use tdse_pack::sparams::{BuildOptions, build};
use tdse_pack::touchstone;

/// Columns of the table that are compared.
struct Row {
    file: String,
    dt: String,
    nh: usize,
    negative_energy: String,
    fir: String,
}

/// Rows of the table "facts per file" that have all 13 columns.
fn rows(text: &str) -> Vec<Row> {
    let cells = |line: &str| {
        line.trim_matches('|')
            .split('|')
            .map(|c| c.trim().to_string())
            .collect::<Vec<_>>()
    };
    text.lines()
        .filter(|line| line.starts_with('|'))
        .map(cells)
        .filter(|c| c.len() == 13 && c[1].parse::<usize>().is_ok())
        .map(|c| Row {
            file: c[0].clone(),
            dt: c[11].clone(),
            nh: c[10].parse().unwrap(),
            negative_energy: c[9].clone(),
            fir: c[12].clone(),
        })
        .collect()
}

/// True when `value` rounds to the printed number.
fn prints_as(value: f64, printed: &str) -> bool {
    let number: f64 = printed.parse().unwrap();
    let (mantissa, exponent) = printed
        .split_once('e')
        .map_or((printed, 0), |(m, e)| (m, e.parse().unwrap()));
    let digits = mantissa.split_once('.').map_or(0, |(_, d)| d.len() as i32);
    (value - number).abs() <= 0.501 * 10f64.powi(exponent - digits)
}

#[test]
fn every_file_gives_the_printed_figures() {
    let Some(table) = shared("data/SOURCES.md") else {
        return;
    };
    let rows = rows(&std::fs::read_to_string(table).unwrap());
    assert!(rows.len() > 45, "the table has {} rows", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        let bytes =
            std::fs::read(shared(&format!("data/touchstone/{}", row.file)).unwrap()).unwrap();
        let s = match touchstone::parse(&bytes, &row.file).and_then(|t| t.to_s()) {
            Ok(s) => s,
            Err(error) => {
                wrong.push(format!("{}: {error}", row.file));
                continue;
            }
        };
        let options = BuildOptions {
            allow_extrapolated: true,
            ..BuildOptions::default()
        };
        let report = build(&s, &options).unwrap().1;
        // Energy at the level of rounding (a perfect through) is compared with nothing.
        let energy = prints_as(report.negative_time_energy, &row.negative_energy)
            || report
                .negative_time_energy
                .max(row.negative_energy.parse().unwrap())
                < 1e-20;
        let fir = report.passivity_max_sv_fir.unwrap();
        if report.nh != row.nh
            || !prints_as(report.dt, &row.dt)
            || !energy
            || !prints_as(fir, &row.fir)
        {
            wrong.push(format!(
                "{}: nh {} for {}, dt {:e} for {}, energy {:e} for {}, norm {} for {}",
                row.file,
                report.nh,
                row.nh,
                report.dt,
                row.dt,
                report.negative_time_energy,
                row.negative_energy,
                fir,
                row.fir
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
