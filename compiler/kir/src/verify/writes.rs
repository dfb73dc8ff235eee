//! The rule that every element of a writeonly buffer is written exactly once.
//!
//! A store inside loops writes an arithmetic progression of pieces. First the elements of all
//! stores are counted, by multiplying: more or fewer than the extent is refused at once. Then each
//! piece is marked in a bit set, up to the first mark that is set already. As many marks as
//! elements and no mark twice: each element once. No more marks are made than the buffer has
//! elements, so the cost is bounded by [`MAX_WRITE_ONLY`].
//!
//! What depends on an index parameter is not enumerated but refused: a loop bounded by one around
//! the store, or one in its address.

use super::{Broken, require};
use crate::ir::{Access, Affine, Bound, Buffer, BufferId, Kernel, Loop, Param, Stmt, Var};
use crate::limits::MAX_WRITE_ONLY;
use crate::print::{param_line, stmt_line};
use crate::rule::Rule;

/// The rules of statements hold already.
pub(super) fn check(k: &Kernel) -> Result<(), Broken> {
    for (i, param) in k.params.iter().enumerate() {
        match param {
            Param::Buffer(b) if b.access == Access::WriteOnly => {
                check_buffer(k, BufferId(i as u32), b, param)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_buffer(k: &Kernel, id: BufferId, buffer: &Buffer, param: &Param) -> Result<(), Broken> {
    let declaration = || param_line(k, param);
    let name = &buffer.name;
    require(
        buffer.extent <= MAX_WRITE_ONLY,
        Rule::Extent,
        declaration,
        || {
            format!(
                "a writeonly buffer has at most {MAX_WRITE_ONLY} elements; declare it readwrite"
            )
        },
    )?;
    let mut writes = Vec::new();
    collect(&k.body, id, &mut Vec::new(), &mut writes);
    let mut total: u128 = 0;
    for write in &writes {
        total = total.saturating_add(write.count(k)?);
        require(
            total <= u128::from(buffer.extent),
            Rule::WriteOnce,
            write.text(k),
            || {
                format!(
                    "up to here {total} elements of {name} are written, it has {}",
                    buffer.extent
                )
            },
        )?;
    }
    require(
        total == u128::from(buffer.extent),
        Rule::WriteOnce,
        declaration,
        || format!("{total} of its {} elements are written", buffer.extent),
    )?;
    let mut marks = vec![0u64; (buffer.extent as usize).div_ceil(64)];
    for write in &writes {
        if let Some(element) = write.first_written_twice(&mut marks) {
            let reason = format!("{name}[{element}] is written a second time");
            return Err(Broken::new(Rule::WriteOnce, write.text(k)(), reason));
        }
    }
    Ok(())
}

/// A store to the buffer and the loops around it, the outermost first.
struct Write<'k> {
    stmt: &'k Stmt,
    at: &'k Affine,
    lanes: u16,
    loops: Vec<&'k Loop>,
}

fn collect<'k>(
    stmts: &'k [Stmt],
    id: BufferId,
    open: &mut Vec<&'k Loop>,
    writes: &mut Vec<Write<'k>>,
) {
    for stmt in stmts {
        match stmt {
            Stmt::Store {
                buffer, at, lanes, ..
            } if *buffer == id => {
                writes.push(Write {
                    stmt,
                    at,
                    lanes: *lanes,
                    loops: open.clone(),
                });
            }
            Stmt::Loop(l) => {
                open.push(l);
                collect(&l.body, id, open, writes);
                open.pop();
            }
            Stmt::Store { .. } | Stmt::Def { .. } => {}
        }
    }
}

impl Write<'_> {
    fn text(&self, k: &Kernel) -> impl Fn() -> String {
        move || stmt_line(k, self.stmt)
    }

    /// Elements written, counting those written twice.
    fn count(&self, k: &Kernel) -> Result<u128, Broken> {
        let constant = self.loops.iter().all(|l| constant_bounds(l).is_some());
        let counters_only = self
            .at
            .terms
            .iter()
            .all(|t| self.loops.iter().any(|l| l.var == t.0));
        require(
            constant && counters_only,
            Rule::WriteOnce,
            self.text(k),
            || {
                "which elements it writes depends on an index parameter; declare the buffer readwrite"
                .into()
            },
        )?;
        let trips = self.loops.iter().filter_map(|l| constant_bounds(l));
        Ok(trips.fold(u128::from(self.lanes), |count, (lo, hi)| {
            count.saturating_mul(u128::try_from(i128::from(hi) - i128::from(lo)).unwrap_or(0))
        }))
    }

    /// Marks every element written; the first that is marked already, if any.
    fn first_written_twice(&self, marks: &mut [u64]) -> Option<usize> {
        let ranges: Vec<(Var, i64, i64)> = self
            .loops
            .iter()
            .filter_map(|l| constant_bounds(l).map(|(lo, hi)| (l.var, lo, hi)))
            .collect();
        if ranges.iter().any(|(_, lo, hi)| lo >= hi) {
            return None;
        }
        let mut counters: Vec<i64> = ranges.iter().map(|range| range.1).collect();
        loop {
            let steps = ranges
                .iter()
                .zip(&counters)
                .map(|(r, c)| self.at.coefficient(r.0) * c);
            let first = (self.at.constant + steps.sum::<i64>()) as usize;
            for element in first..first + usize::from(self.lanes) {
                let bit = 1 << (element % 64);
                if marks[element / 64] & bit != 0 {
                    return Some(element);
                }
                marks[element / 64] |= bit;
            }
            // The next combination of counters, the innermost fastest.
            let mut level = ranges.len();
            loop {
                level = level.checked_sub(1)?;
                counters[level] += 1;
                if counters[level] < ranges[level].2 {
                    break;
                }
                counters[level] = ranges[level].1;
            }
        }
    }
}

fn constant_bounds(l: &Loop) -> Option<(i64, i64)> {
    match (l.lo, l.hi) {
        (Bound::Const(lo), Bound::Const(hi)) => Some((lo, hi)),
        _ => None,
    }
}
