//! Lowers tiles, and loops around nothing but a tile, to single steps.

use tdse_kir::{Affine, Loop, Stmt, Var};

use crate::lowering::{Lowering, Unfit, narrow};
use crate::mac::{Line, Pace, Terms, TileWalk};
use crate::program::{Step, Tile as TileStep, TileForm};
use crate::tile_run::Walked;
use crate::tiles::{self, Counted, Part, Tile};

/// Loops around a tile that one step takes in.
const OUTER: usize = 2;

impl<'k> Lowering<'k> {
    /// Loops around one tile; `false` when this one is not.
    pub(crate) fn tile_loop(&mut self, l: &'k Loop) -> Result<bool, Unfit> {
        let mut loops = Vec::new();
        let mut at = l;
        let tile = loop {
            let Some(counted) = Counted::of(at).filter(|_| at.carried.is_empty()) else {
                return Ok(false);
            };
            loops.push(counted);
            match &at.body[..] {
                [Stmt::Loop(inner)] if loops.len() < OUTER => at = inner,
                body => {
                    break tiles::find(self.kernel, body, &self.uses)
                        .filter(|tile| tile.statements == body.len());
                }
            }
        };
        match tile {
            Some(tile) => self.tile(&tile, &loops),
            None => Ok(false),
        }
    }

    /// A tile at the start of some statements: how many of them it takes, 0 when there is none.
    pub(crate) fn straight_tile(&mut self, stmts: &'k [Stmt]) -> Result<usize, Unfit> {
        let Some(tile) = tiles::find(self.kernel, stmts, &self.uses) else {
            return Ok(0);
        };
        let done = self.tile(&tile, &[])?;
        Ok(if done { tile.statements } else { 0 })
    }

    /// Emits a tile and the loops around it, if there is an instantiation that does it.
    fn tile(&mut self, tile: &Tile<'k>, around: &[Counted]) -> Result<bool, Unfit> {
        let Some(walk) = walk_of(tile, around) else {
            return Ok(false);
        };
        let first = &tile.parts[0];
        let run = &first.run;
        let rows = match run.form {
            TileForm::Columns => tile.sums,
            TileForm::Complex => tile.sums / 2,
        };
        let lanes = usize::from(tile.lanes);
        let elem = tile.ty.elem;
        let body = self.instance.tile(run.form, elem, rows, lanes, run.fused);
        let Some(body) = body else {
            return Ok(false);
        };
        let within: Vec<Counted> = around.iter().chain(&first.loops).copied().collect();
        let y = self.address(tile.y, &held(tile.y_at, around), 0)?;
        let own = self.address(run.own.buffer, &held(run.own.at, &within), 0)?;
        let shared = self.address(run.shared.buffer, &held(run.shared.at, &within), 0)?;
        let index = narrow(self.tiles.len(), "tiles")?;
        self.tiles.push(TileStep {
            body,
            y,
            own,
            shared,
            walk: walk.in_bytes(elem.bytes()),
            form: run.form,
            elem,
            rows: rows as u8,
            lanes: lanes as u8,
        });
        self.steps.push(Step::Tile(index));
        Ok(true)
    }
}

/// The walk in elements; `None` when it does not fit the form of one.
fn walk_of(tile: &Tile<'_>, around: &[Counted]) -> Option<TileWalk> {
    let first = &tile.parts[0];
    let run = &first.run;
    let (y_row, y_im) = match run.form {
        TileForm::Columns => (even(&tile.y_offsets, 1)?, 0),
        TileForm::Complex => (even(&tile.y_offsets, 2)?, *tile.y_offsets.get(1)?),
    };
    let mut outer = [Line::ONCE; OUTER];
    // The innermost loop is the last of either list.
    for (line, c) in outer.iter_mut().rev().zip(around.iter().rev()) {
        *line = Line {
            trips: c.trips,
            y: tile.y_at.coefficient(c.var) as isize,
            own: run.own.at.coefficient(c.var) as isize,
            shared: run.shared.at.coefficient(c.var) as isize,
        };
    }
    let mut terms = [Terms::NONE; 2];
    for (to, part) in terms.iter_mut().zip(&tile.parts) {
        let (inner, outer) = paces(part)?;
        *to = Terms {
            own: start(first, part, |p| &p.run.own)? as isize,
            shared: start(first, part, |p| &p.run.shared)? as isize,
            outer,
            inner,
        };
    }
    Some(TileWalk {
        outer,
        terms,
        lanes: usize::from(tile.lanes),
        y_row: y_row as isize,
        y_im: y_im as isize,
    })
}

/// Distance from row to row of sums that lie evenly, `a_row` sums each.
fn even(offsets: &[i64], a_row: usize) -> Option<i64> {
    let row = offsets.get(a_row).copied().unwrap_or(0);
    let is_even = offsets.iter().enumerate().all(|(i, &at)| {
        let first = (i / a_row) as i64;
        row.checked_mul(first)
            .and_then(|by| by.checked_add(offsets[i % a_row]))
            == Some(at)
    });
    is_even.then_some(row)
}

/// Elements from where the first part starts to where another does, when that is the same in every
/// iteration of the loops around the tile.
fn start<'a, 'k>(
    first: &'a Part<'k>,
    part: &'a Part<'k>,
    stream: impl Fn(&'a Part<'k>) -> &'a Walked<'k>,
) -> Option<i64> {
    let at = |p: &'a Part<'k>| held(stream(p).at, &p.loops);
    let (from, to) = (at(first), at(part));
    (from.terms == to.terms).then(|| to.constant.checked_sub(from.constant))?
}

/// An address with each of the counters at its first number.
fn held(at: &Affine, loops: &[Counted]) -> Affine {
    let mut held = at.clone();
    for c in loops {
        held.constant = held
            .constant
            .wrapping_add(at.coefficient(c.var).wrapping_mul(c.lo));
        held.terms.retain(|&(var, _): &(Var, i64)| var != c.var);
    }
    held
}

/// Steps and loops of a part as two paces, the inner one first. A loop whose iterations go on where
/// the steps of the one before ended joins their pace.
fn paces(part: &Part<'_>) -> Option<(Pace, Pace)> {
    let run = &part.run;
    let mut inner = (run.steps as u64, run.own.step, run.shared.step);
    let mut outer = None;
    for c in part.loops.iter().rev() {
        let by = (
            run.own.at.coefficient(c.var),
            run.shared.at.coefficient(c.var),
        );
        let goes_on = |steps: u64, step: i64| i64::try_from(steps).ok()?.checked_mul(step);
        let joins = inner.0 == 1
            || (goes_on(inner.0, inner.1), goes_on(inner.0, inner.2)) == (Some(by.0), Some(by.1));
        match outer {
            None if inner.0 == 1 => inner = (c.trips, by.0, by.1),
            None if joins => inner.0 = inner.0.checked_mul(c.trips)?,
            None => outer = Some((c.trips, by.0, by.1)),
            Some(_) => return None,
        }
    }
    let pace = |(trips, own, shared): (u64, i64, i64)| Pace {
        trips,
        own: own as isize,
        shared: shared as isize,
    };
    Some((pace(inner), pace(outer.unwrap_or((1, 0, 0)))))
}

impl TileWalk {
    /// The walk in bytes, of one in elements of so many.
    fn in_bytes(self, bytes: usize) -> TileWalk {
        let by = |elements: isize| elements.wrapping_mul(bytes as isize);
        let pace = |p: Pace| Pace {
            trips: p.trips,
            own: by(p.own),
            shared: by(p.shared),
        };
        TileWalk {
            outer: self.outer.map(|line| Line {
                trips: line.trips,
                y: by(line.y),
                own: by(line.own),
                shared: by(line.shared),
            }),
            terms: self.terms.map(|terms| Terms {
                own: by(terms.own),
                shared: by(terms.shared),
                outer: pace(terms.outer),
                inner: pace(terms.inner),
            }),
            lanes: self.lanes,
            y_row: by(self.y_row),
            y_im: by(self.y_im),
        }
    }
}
