//! Which rows and ports belong together.
//!
//! Two rows or ports belong to one part when a chain of taps joins them. Parts are evaluated apart when
//! that leaves out at least a quarter of the (row, port) pairs; below that, transforms and calls of their own
//! for each part would cost more than the zeros.

use std::ops::Range;

use tdse_pack::Pack;

/// Rows and ports that taps join, each rising.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Rows of the pack.
    pub(crate) rows: Vec<usize>,
    /// Ports of the pack.
    pub(crate) ports: Vec<usize>,
}

/// The parts of a pack within some lags. Rows and ports without any tap there are in none.
pub(crate) fn parts(pack: &Pack, lags: Range<usize>) -> Vec<Part> {
    let (nq, np) = (pack.shape().nq(), pack.shape().np());
    let joined = joined_pairs(pack, lags);
    // Nodes: rows, then ports.
    let mut owner: Vec<usize> = (0..nq + np).collect();
    for q in 0..nq {
        for p in 0..np {
            if joined[q * np + p] {
                let (a, b) = (root(&owner, q), root(&owner, nq + p));
                owner[a.max(b)] = a.min(b);
            }
        }
    }
    let mut found: Vec<(usize, Part)> = Vec::new();
    for node in 0..nq + np {
        let alone = if node < nq {
            !joined[node * np..(node + 1) * np].contains(&true)
        } else {
            !(0..nq).any(|q| joined[q * np + node - nq])
        };
        if alone {
            continue;
        }
        let root = root(&owner, node);
        let at = found
            .iter()
            .position(|(r, _)| *r == root)
            .unwrap_or_else(|| {
                let (rows, ports) = (Vec::new(), Vec::new());
                found.push((root, Part { rows, ports }));
                found.len() - 1
            });
        if node < nq {
            found[at].1.rows.push(node);
        } else {
            found[at].1.ports.push(node - nq);
        }
    }
    let parts: Vec<Part> = found.into_iter().map(|(_, part)| part).collect();
    let pairs: usize = parts.iter().map(|p| p.rows.len() * p.ports.len()).sum();
    if parts.is_empty() || 4 * pairs <= 3 * nq * np {
        return parts;
    }
    vec![Part {
        rows: (0..nq).collect(),
        ports: (0..np).collect(),
    }]
}

/// For each (row, port), row by row, whether it has a tap within `lags`.
fn joined_pairs(pack: &Pack, lags: Range<usize>) -> Vec<bool> {
    let pairs = pack.shape().nq() * pack.shape().np();
    let mut joined = vec![false; pairs];
    for tap in pack
        .taps()
        .chunks_exact(pairs)
        .take(lags.end)
        .skip(lags.start)
    {
        for (joined, &value) in joined.iter_mut().zip(tap) {
            *joined |= value != 0.0;
        }
    }
    joined
}

fn root(owner: &[usize], mut node: usize) -> usize {
    while owner[node] != node {
        node = owner[node];
    }
    node
}
