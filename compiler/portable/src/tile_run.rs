//! Recognises the steps of a tile: multiply-accumulates of several rows that share what they meet.
//!
//! ```text
//! columns   y_k += h_k (one element) * x (vector)              for every row k
//! complex   re_k += h_k.re * x.re;  re_k += h_k.im * -x.im     for every row k
//!           im_k += h_k.re * x.im; im_k += h_k.im * x.re
//! ```
//!
//! *Own* is what a row has to itself (`h`), *shared* what all rows meet (`x`). Statements match when
//! every address is even: address(step, row) = address(0, 0) + step * a + row * b. Only their
//! structure is looked at, never a name or a shape, and none may be left over. Rows' own operands
//! stand one behind the other, as the families pack them.

use std::collections::HashMap;

use tdse_kir::{Affine, BufferId, Kernel, Op, Stmt, Value, VecType};

use crate::program::TileForm;
use crate::uses::operands;

/// Steps that carry sums, one each row (`columns`) or two (`complex`).
pub(crate) struct Run<'k> {
    pub(crate) form: TileForm,
    pub(crate) fused: bool,
    /// Lanes of a load of the shared operand.
    pub(crate) lanes: u16,
    /// Number of steps.
    pub(crate) steps: usize,
    pub(crate) own: Walked<'k>,
    pub(crate) shared: Walked<'k>,
    /// The sums after the last step, in the order of the sums before the first.
    pub(crate) ends: Vec<Value>,
}

/// Where an operand is read: the first place, and elements to the next step and to the next row.
#[derive(Clone, Copy)]
pub(crate) struct Walked<'k> {
    pub(crate) buffer: BufferId,
    pub(crate) at: &'k Affine,
    pub(crate) step: i64,
    pub(crate) row: i64,
}

/// Matches statements that carry `heads`; all of them, or nothing.
pub(crate) fn find<'k>(
    kernel: &'k Kernel,
    stmts: &'k [Stmt],
    heads: &[Value],
    uses: &[u32],
) -> Option<Run<'k>> {
    let ty = kernel.ty(*heads.first()?);
    let scan = Scan::of(kernel, stmts, heads, ty, uses)?;
    scan.columns().or_else(|| scan.complex())
}

/// A loaded operand.
#[derive(Clone, Copy)]
struct Operand<'k> {
    buffer: BufferId,
    at: &'k Affine,
    splat: bool,
    lanes: u16,
    negated: bool,
}

/// The multiply-accumulates of each chain, in order, as `(own, shared)`.
struct Scan<'k> {
    chains: Vec<Vec<(Operand<'k>, Operand<'k>)>>,
    ends: Vec<Value>,
    fused: bool,
}

impl<'k> Scan<'k> {
    fn of(
        kernel: &'k Kernel,
        stmts: &'k [Stmt],
        heads: &[Value],
        ty: VecType,
        uses: &[u32],
    ) -> Option<Self> {
        let mut loaded: HashMap<Value, Operand<'k>> = HashMap::new();
        let mut products = HashMap::new();
        let mut chain_at: HashMap<Value, usize> = heads.iter().copied().zip(0..).collect();
        let mut used: HashMap<Value, u32> = HashMap::new();
        let mut chains = vec![Vec::new(); heads.len()];
        let mut ends = heads.to_vec();
        let mut roundings = Vec::new();
        for stmt in stmts {
            let Stmt::Def { value, op } = stmt else {
                return None;
            };
            if kernel.ty(*value) != ty {
                return None;
            }
            for operand in operands(op) {
                *used.entry(operand).or_default() += 1;
            }
            let (sum, pair, fused) = match op {
                Op::Load { buffer, at, lanes } => {
                    let (splat, negated, lanes) = (false, false, *lanes);
                    loaded.insert(
                        *value,
                        Operand {
                            buffer: *buffer,
                            at,
                            splat,
                            lanes,
                            negated,
                        },
                    );
                    continue;
                }
                Op::LoadSplat { buffer, at } => {
                    let (splat, negated, lanes) = (true, false, ty.lanes);
                    loaded.insert(
                        *value,
                        Operand {
                            buffer: *buffer,
                            at,
                            splat,
                            lanes,
                            negated,
                        },
                    );
                    continue;
                }
                Op::Neg(a) => {
                    let of = *loaded.get(a)?;
                    loaded.insert(
                        *value,
                        Operand {
                            negated: !of.negated,
                            ..of
                        },
                    );
                    continue;
                }
                Op::Mul(a, b) => {
                    products.insert(*value, (*loaded.get(a)?, *loaded.get(b)?));
                    continue;
                }
                Op::Fma(a, b, sum) => (*sum, (*loaded.get(a)?, *loaded.get(b)?), true),
                Op::Add(p, q) => match (products.get(p), products.get(q)) {
                    (Some(&pair), _) => (*q, pair, false),
                    (_, Some(&pair)) => (*p, pair, false),
                    _ => return None,
                },
                _ => return None,
            };
            let chain = chain_at.remove(&sum)?;
            chain_at.insert(*value, chain);
            ends[chain] = *value;
            roundings.push(fused);
            chains[chain].push(pair);
        }
        let fused = *roundings.first()?;
        let inside = stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Def { value, .. } => Some(value),
            _ => None,
        });
        // What is used elsewhere has to stay; the ends are what goes on.
        let leaks = inside.chain(heads).any(|value| {
            let expected = used.get(value).copied().unwrap_or(0) + u32::from(ends.contains(value));
            uses[value.0 as usize] != expected
        });
        let whole = roundings.iter().all(|&f| f == fused) && !leaks;
        whole.then_some(Scan {
            chains,
            ends,
            fused,
        })
    }

    /// Terms of each chain, when all have as many.
    fn terms(&self) -> Option<usize> {
        let terms = self.chains[0].len();
        let alike = self.chains.iter().all(|chain| chain.len() == terms);
        (alike && terms > 0).then_some(terms)
    }

    fn columns(&self) -> Option<Run<'k>> {
        let (steps, chains) = (self.terms()?, self.chains.len());
        let plain = |o: &Operand<'_>| !o.negated;
        let all = self.chains.iter().flatten();
        if !all
            .into_iter()
            .all(|(a, b)| plain(a) && plain(b) && a.splat != b.splat)
        {
            return None;
        }
        let split = |s: usize, k: usize| {
            let (a, b) = self.chains[k][s];
            if a.splat { (a, b) } else { (b, a) }
        };
        let own = even(steps, chains, |s, k| split(s, k).0)?;
        let shared = even(steps, chains, |s, k| split(s, k).1)?;
        let packed = chains == 1 || own.row == 1;
        (shared.row == 0 && packed).then(|| Run {
            form: TileForm::Columns,
            fused: self.fused,
            lanes: split(0, 0).1.lanes,
            steps,
            own,
            shared,
            ends: self.ends.clone(),
        })
    }

    fn complex(&self) -> Option<Run<'k>> {
        let (terms, chains) = (self.terms()?, self.chains.len());
        let vector =
            |(a, b): &(Operand<'_>, Operand<'_>)| !a.splat && !b.splat && a.lanes == b.lanes;
        let vectors = self.chains.iter().flatten().all(vector);
        if !vectors || terms % 2 != 0 || chains % 2 != 0 {
            return None;
        }
        let (steps, rows) = (terms / 2, chains / 2);
        // Term t of step s in the chain of part c: only h.im * -x.im of the real part is negative.
        let sign = |c: usize, t: usize, k: usize, s: usize| {
            let (a, b) = self.chains[2 * k + c][2 * s + t];
            (a.negated != b.negated) == (c == 0 && t == 1)
        };
        for (s, k) in (0..steps).flat_map(|s| (0..rows).map(move |k| (s, k))) {
            if ![(0, 0), (0, 1), (1, 0), (1, 1)]
                .iter()
                .all(|&(c, t)| sign(c, t, k, s))
            {
                return None;
            }
        }
        let own =
            |c: usize, t: usize| even(steps, rows, |s, k| self.chains[2 * k + c][2 * s + t].0);
        let shared =
            |c: usize, t: usize| even(steps, rows, |s, k| self.chains[2 * k + c][2 * s + t].1);
        let (re, im) = (own(0, 0)?, own(0, 1)?);
        let (x_re, x_im) = (shared(0, 0)?, shared(0, 1)?);
        let same = apart(re, own(1, 0)?) == Some(0)
            && apart(im, own(1, 1)?) == Some(0)
            && apart(x_re, shared(1, 1)?) == Some(0)
            && apart(x_im, shared(1, 0)?) == Some(0)
            && x_re.row == 0;
        if !same {
            return None;
        }
        let lanes = self.chains[0][0].1.lanes;
        // Vectors one behind the other.
        let vectors = |n: i64| n * i64::from(lanes);
        let behind = apart(re, im)? == vectors(1) && apart(x_re, x_im)? == vectors(1);
        if !behind || rows > 1 && re.row != vectors(2) {
            return None;
        }
        Some(Run {
            form: TileForm::Complex,
            fused: self.fused,
            lanes,
            steps,
            own: re,
            shared: x_re,
            ends: self.ends.clone(),
        })
    }
}

/// The walk of an operand over steps and rows, if it is even.
fn even<'k>(
    steps: usize,
    rows: usize,
    operand: impl Fn(usize, usize) -> Operand<'k>,
) -> Option<Walked<'k>> {
    let first = operand(0, 0);
    let step = if steps > 1 {
        distance(first, operand(1, 0))?
    } else {
        0
    };
    let row = if rows > 1 {
        distance(first, operand(0, 1))?
    } else {
        0
    };
    for (s, k) in (0..steps).flat_map(|s| (0..rows).map(move |k| (s, k))) {
        let along = step.checked_mul(s as i64)?;
        let wanted = along.checked_add(row.checked_mul(k as i64)?)?;
        if distance(first, operand(s, k))? != wanted {
            return None;
        }
    }
    Some(Walked {
        buffer: first.buffer,
        at: first.at,
        step,
        row,
    })
}

/// Elements from one load to another of the same kind, when that is a constant.
fn distance(from: Operand<'_>, to: Operand<'_>) -> Option<i64> {
    let alike = from.buffer == to.buffer
        && from.splat == to.splat
        && from.lanes == to.lanes
        && from.at.terms == to.at.terms;
    alike.then(|| to.at.constant.checked_sub(from.at.constant))?
}

/// Elements from one walk to another that runs beside it.
fn apart(from: Walked<'_>, to: Walked<'_>) -> Option<i64> {
    let beside = from.buffer == to.buffer
        && from.at.terms == to.at.terms
        && from.step == to.step
        && from.row == to.row;
    beside.then(|| to.at.constant.checked_sub(from.at.constant))?
}
