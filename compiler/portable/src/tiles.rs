//! Recognises tiles: sums that are loaded, take their terms, and go back where they came from.
//!
//! ```text
//! loop g, loop b          up to two loops around, nothing else in them
//!   v_k = load y[..]      one sum a row, or two
//!   loop j, loop p        the terms: [`crate::tile_run`], in at most two loops,
//!   steps left over       and once more straight behind them
//!   store y[..], s_k      in the order of the loads
//! ```
//!
//! A tile holds no value from outside and leaves none behind, so one step of a program does it all.

use tdse_kir::{Affine, Bound, BufferId, Kernel, Loop, Op, Stmt, Value, Var, VecType};

use crate::tile_run::{self, Run};

/// A tile without the loops around it.
pub(crate) struct Tile<'k> {
    pub(crate) ty: VecType,
    /// Lanes in use, of sums and of the shared operand alike.
    pub(crate) lanes: u16,
    /// Number of sums.
    pub(crate) sums: usize,
    pub(crate) y: BufferId,
    /// Place of the first sum, and elements to the others.
    pub(crate) y_at: &'k Affine,
    pub(crate) y_offsets: Vec<i64>,
    /// The terms: one part, or two.
    pub(crate) parts: Vec<Part<'k>>,
    /// Statements it takes.
    pub(crate) statements: usize,
}

/// Terms in loops of their own.
pub(crate) struct Part<'k> {
    pub(crate) run: Run<'k>,
    /// The loops around the run, the innermost last.
    pub(crate) loops: Vec<Counted>,
}

/// A loop with constant bounds that runs at least once.
#[derive(Clone, Copy)]
pub(crate) struct Counted {
    pub(crate) var: Var,
    pub(crate) lo: i64,
    pub(crate) trips: u64,
}

impl Counted {
    /// The counter of a loop, unless a bound is a parameter or it never runs.
    pub(crate) fn of(l: &Loop) -> Option<Counted> {
        let (Bound::Const(lo), Bound::Const(hi)) = (l.lo, l.hi) else {
            return None;
        };
        let trips = u64::try_from(hi.checked_sub(lo)?).ok()?;
        (trips > 0).then_some(Counted {
            var: l.var,
            lo,
            trips,
        })
    }
}

/// The tile that the statements begin with.
pub(crate) fn find<'k>(kernel: &'k Kernel, stmts: &'k [Stmt], uses: &[u32]) -> Option<Tile<'k>> {
    let is_store = |s: &&Stmt| matches!(s, Stmt::Store { .. });
    let first_store = stmts.iter().position(|s| is_store(&s))?;
    let sums = stmts[first_store..].iter().take_while(is_store).count();
    let heads = stmts.get(..sums)?;
    let Sums {
        y,
        places,
        ty,
        lanes,
        values,
    } = sums_of(kernel, heads, &stmts[first_store..])?;
    let mut parts = Vec::new();
    let mut carried = values;
    let mut rest = stmts.get(sums..first_store)?;
    while let Some(first) = rest.first() {
        let (part, ends, count) = match first {
            Stmt::Loop(l) => looped(kernel, l, &carried, uses)?,
            _ => {
                let is_loop = |s: &Stmt| matches!(s, Stmt::Loop(_));
                let count = rest.iter().position(is_loop).unwrap_or(rest.len());
                let run = tile_run::find(kernel, &rest[..count], &carried, uses)?;
                let ends = run.ends.clone();
                (
                    Part {
                        run,
                        loops: Vec::new(),
                    },
                    ends,
                    count,
                )
            }
        };
        parts.push(part);
        carried = ends;
        rest = &rest[count..];
    }
    let stored = stmts[first_store..].iter().zip(&carried).take(sums);
    let back = stored.into_iter().all(|(stmt, end)| {
        matches!(stmt, Stmt::Store { value, .. } if value == end) && uses[end.0 as usize] == 1
    });
    let masks_agree = parts.iter().all(|part| part.run.lanes == lanes);
    let alike = parts.iter().all(|part| is_alike(&parts[0].run, &part.run));
    if !back || !masks_agree || !alike || !(1..=2).contains(&parts.len()) {
        return None;
    }
    let first = *places.first()?;
    let offsets = places.iter().map(|at| {
        let alike = at.terms == first.terms;
        alike.then(|| at.constant.checked_sub(first.constant))?
    });
    Some(Tile {
        ty,
        lanes,
        sums,
        y,
        y_at: first,
        y_offsets: offsets.collect::<Option<_>>()?,
        parts,
        statements: first_store + sums,
    })
}

/// Whether two runs differ in steps and places only.
fn is_alike(a: &Run<'_>, b: &Run<'_>) -> bool {
    let kind = |r: &Run<'_>| (r.form, r.fused, r.own.buffer, r.shared.buffer);
    kind(a) == kind(b)
}

/// The sums of a tile as they are loaded.
struct Sums<'k> {
    y: BufferId,
    places: Vec<&'k Affine>,
    ty: VecType,
    lanes: u16,
    values: Vec<Value>,
}

/// Loads at the places that the stores name, in their order.
fn sums_of<'k>(kernel: &Kernel, loads: &'k [Stmt], stores: &'k [Stmt]) -> Option<Sums<'k>> {
    let mut found: Option<Sums<'k>> = None;
    for pair in loads.iter().zip(stores) {
        let (
            Stmt::Def {
                value,
                op: Op::Load { buffer, at, lanes },
            },
            Stmt::Store {
                buffer: to,
                at: place,
                lanes: stored,
                ..
            },
        ) = pair
        else {
            return None;
        };
        let ty = kernel.ty(*value);
        let sums = found.get_or_insert_with(|| Sums {
            y: *buffer,
            places: Vec::new(),
            ty,
            lanes: *lanes,
            values: Vec::new(),
        });
        let same = (*buffer, *lanes, ty) == (sums.y, sums.lanes, sums.ty);
        if !same || (buffer, at, lanes) != (to, place, stored) {
            return None;
        }
        sums.places.push(at);
        sums.values.push(*value);
    }
    found
}

/// One loop around steps, or two, that carry the sums `before` and nothing else.
fn looped<'k>(
    kernel: &'k Kernel,
    l: &'k Loop,
    before: &[Value],
    uses: &[u32],
) -> Option<(Part<'k>, Vec<Value>, usize)> {
    let once = |v: &Value| uses[v.0 as usize] == 1;
    let starts = l.carried.iter().map(|c| c.init);
    if !starts.eq(before.iter().copied()) || !before.iter().all(once) {
        return None;
    }
    let heads: Vec<Value> = l.carried.iter().map(|c| c.inner).collect();
    let mut loops = vec![Counted::of(l)?];
    let (run, ends) = match &l.body[..] {
        [Stmt::Loop(inner)] => {
            let (part, ends, _) = looped(kernel, inner, &heads, uses)?;
            loops.extend(part.loops);
            (part.run, ends)
        }
        body => {
            let run = tile_run::find(kernel, body, &heads, uses)?;
            let ends = run.ends.clone();
            (run, ends)
        }
    };
    let yielded = l.carried.iter().map(|c| c.next);
    if !yielded.eq(ends.iter().copied()) || !ends.iter().all(once) {
        return None;
    }
    let results = l.carried.iter().map(|c| c.result).collect();
    Some((Part { run, loops }, results, 1))
}
