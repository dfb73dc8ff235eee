//! The table on the terminal.

use tdse_benches::{Measurement, Row};
use tdse_pack::Pack;

use crate::report::{nanoseconds, significant};

/// Columns, numbers aligned right.
const HEAD: [&str; 14] = [
    "route",
    "by",
    "thr",
    "ns/step",
    "vs gemv",
    "p50",
    "p99",
    "p99.9",
    "max",
    "calm p99.9",
    "GB/s",
    "of roof",
    "rel L2",
    "setup",
];
const LEFT: usize = 2;

/// The rows of one element type, what they were measured against, and what is missing.
pub(super) fn text(pack: &Pack, dtype: &str, found: &Measurement) -> String {
    let shape = pack.shape();
    let mut lines = vec![format!(
        "np {} nq {} nh {} {dtype}: direct evaluation reads {} a step; one thread reads such a block at {} GB/s; reading the clock costs {} ns",
        shape.np(),
        shape.nq(),
        shape.nh(),
        bytes(found.direct_bytes),
        significant(found.roof_bytes_per_s / 1e9, 3),
        found.clock_ns,
    )];
    let mut cells = vec![
        [
            HEAD.map(str::to_owned).to_vec(),
            vec!["memory, plan, notes".to_owned()],
        ]
        .concat(),
    ];
    cells.extend(found.rows.iter().map(cells_of));
    lines.extend(aligned(&cells));
    if let Some(calm) = found.rows.first() {
        let calm = calm.calibration;
        lines.push(format!(
            "machine alone, arithmetic of the first row's length: p50 {}, p99 {}, p99.9 {}, max {}",
            nanoseconds(calm.median),
            nanoseconds(calm.p99),
            nanoseconds(calm.p999),
            nanoseconds(calm.max)
        ));
    }
    for skipped in &found.skipped {
        lines.push(format!("SKIP {}: {}", skipped.route, skipped.reason.text));
    }
    lines.join("\n")
}

fn cells_of(row: &Row) -> Vec<String> {
    let by = match &row.version {
        Some(version) => format!("{} {version}", row.backend),
        None => row.backend.clone(),
    };
    let mut about = vec![bytes(row.bytes)];
    about.extend(row.plan.clone());
    if row.delay > 0 {
        about.push(format!("outputs {} steps late", row.delay));
    }
    vec![
        row.route.clone(),
        by,
        row.threads.to_string(),
        significant(row.ns.median, 4),
        row.ratio_to_openblas_gemv
            .map_or_else(|| "-".to_owned(), |ratio| significant(ratio, 3)),
        nanoseconds(row.ns.p50_step),
        nanoseconds(row.ns.p99),
        nanoseconds(row.ns.p999),
        nanoseconds(row.ns.max),
        format!(
            "{} ({}x)",
            nanoseconds(row.places.p999 as f64),
            significant(row.places.p999 as f64 / row.places.median.max(1) as f64, 2)
        ),
        significant(row.bytes_per_s / 1e9, 3),
        significant(row.roof_share, 3),
        format!("{:.1e}", row.rel_l2),
        nanoseconds(row.setup_ns as f64),
        about.join("; "),
    ]
}

fn bytes(count: usize) -> String {
    const UNITS: [(usize, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|unit| count >= unit.0) {
        Some(&(size, unit)) => format!("{} {unit}", significant(count as f64 / size as f64, 3)),
        None => format!("{count} B"),
    }
}

fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let padded = cells.map(|(column, (cell, &width))| {
            if column < LEFT || column + 1 == columns {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows =
            [["a", "b", "1"], ["long", "b", "100"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), ["a     b  1", "long  b  100"]);
        assert_eq!(bytes(1000), "1000 B");
        assert_eq!(bytes(3 << 20), "3 MiB");
    }
}
