//! Least squares with coefficients that are not negative, for a few columns.
//!
//! A negative time for a call or a point would make absurd plans look free. With at most three columns
//! all subsets can be solved exactly and the best one without a negative coefficient taken.

/// Columns of a fit.
const COLUMNS: usize = 3;

/// The coefficients `c >= 0` that make `sum c[i] x[i]` fit `y` best, by *relative* error, so that short
/// times count like long ones. Rows with `y <= 0` are left out; all zero where nothing can be fitted.
pub(crate) fn non_negative(rows: &[([f64; COLUMNS], f64)]) -> [f64; COLUMNS] {
    let mut best = ([0.0; COLUMNS], f64::INFINITY);
    for subset in 1u32..1 << COLUMNS {
        let Some(solution) = solve(rows, subset) else {
            continue;
        };
        let error = error_of(rows, &solution);
        if solution.iter().all(|&c| c >= 0.0) && error < best.1 {
            best = (solution, error);
        }
    }
    best.0
}

fn error_of(rows: &[([f64; COLUMNS], f64)], c: &[f64; COLUMNS]) -> f64 {
    let kept = rows.iter().filter(|(_, y)| *y > 0.0);
    kept.map(|(x, y)| {
        let predicted: f64 = x.iter().zip(c).map(|(x, c)| x * c).sum();
        (predicted / y - 1.0).powi(2)
    })
    .sum()
}

/// Normal equations of the columns in `subset`; the others get zero. `None` where they are singular.
fn solve(rows: &[([f64; COLUMNS], f64)], subset: u32) -> Option<[f64; COLUMNS]> {
    let used: Vec<usize> = (0..COLUMNS).filter(|i| subset >> i & 1 == 1).collect();
    let n = used.len();
    let mut m = [[0.0; COLUMNS + 1]; COLUMNS];
    for (x, y) in rows.iter().filter(|(_, y)| *y > 0.0) {
        for (a, &i) in used.iter().enumerate() {
            for (b, &j) in used.iter().enumerate() {
                m[a][b] += x[i] / y * (x[j] / y);
            }
            m[a][n] += x[i] / y;
        }
    }
    for a in 0..n {
        let pivot = (a..n).max_by(|&p, &q| m[p][a].abs().total_cmp(&m[q][a].abs()))?;
        m.swap(a, pivot);
        if m[a][a].abs() < 1e-300 {
            return None;
        }
        let row = m[a];
        for below in m.iter_mut().take(n).skip(a + 1) {
            let factor = below[a] / row[a];
            for (value, above) in below.iter_mut().zip(&row) {
                *value -= factor * above;
            }
        }
    }
    let mut solution = [0.0; COLUMNS];
    for a in (0..n).rev() {
        let known: f64 = (a + 1..n).map(|b| m[a][b] * solution[used[b]]).sum();
        solution[used[a]] = (m[a][n] - known) / m[a][a];
    }
    solution.iter().all(|c| c.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(y: impl Fn(f64) -> f64) -> Vec<([f64; 3], f64)> {
        let points = (3..12).map(|s| f64::from(1 << s));
        points.map(|n| ([1.0, n, n * n.log2()], y(n))).collect()
    }

    #[test]
    fn exact_data_give_their_coefficients_back() {
        let c = non_negative(&rows(|n| 20.0 + 0.5 * n + 0.25 * n * n.log2()));
        for (found, meant) in c.iter().zip([20.0, 0.5, 0.25]) {
            assert!((found - meant).abs() < 1e-6 * meant, "{c:?}");
        }
    }

    #[test]
    fn a_coefficient_that_would_be_negative_is_zero() {
        let c = non_negative(&rows(|n| 0.5 * n * n.log2() - 0.2 * n));
        assert!(c.iter().all(|&c| c >= 0.0), "{c:?}");
        // Least relative error with the two others: within a fifth at every point.
        for (x, y) in rows(|n| 0.5 * n * n.log2() - 0.2 * n) {
            let predicted: f64 = x.iter().zip(&c).map(|(x, c)| x * c).sum();
            assert!((predicted / y - 1.0).abs() < 0.2, "{predicted} for {y}");
        }
    }

    #[test]
    fn nothing_to_fit_gives_zeros() {
        assert_eq!(non_negative(&[]), [0.0; 3]);
        assert_eq!(non_negative(&[([1.0, 2.0, 3.0], -1.0)]), [0.0; 3]);
    }
}
