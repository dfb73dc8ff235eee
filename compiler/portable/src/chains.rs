//! Recognises multiply-accumulates that walk memory in even steps.
//!
//! A *chain* is an accumulator followed through its multiply-accumulates:
//!
//! ```text
//!   chain 0:  head_0 -> + h[0][0]*x[0][0] -> + h[1][0]*x[1][0] -> end_0
//!   chain 1:  head_1 -> + h[0][1]*x[0][1] -> + h[1][1]*x[1][1] -> end_1
//!                             step 0              step 1
//! ```
//!
//! The statements match when address(step, chain) = address(0, 0) + step * a + chain * b, for `h`
//! and for `x` each. Only the structure of the statements is looked at, never a name or a shape.
//! Order among the statements does not matter: there are no stores between them, and each chain
//! keeps its own order, so the bits stay.

use crate::program::Form;
use std::collections::HashMap;
use tdse_kir::{Affine, BufferId, Kernel, Op, Stmt, Value, VecType};

/// Chains that one loop of multiply-accumulates can replace.
pub(crate) struct Chains<'k> {
    /// What the chains share.
    pub(crate) form: Form,
    /// Type of every accumulator.
    pub(crate) ty: VecType,
    /// One rounding a term, or two.
    pub(crate) fused: bool,
    /// Each chain's accumulator before the first step and after the last.
    pub(crate) heads: Vec<Value>,
    pub(crate) ends: Vec<Value>,
    /// Steps of each chain.
    pub(crate) steps: usize,
    pub(crate) h: Stream<'k>,
    pub(crate) x: Stream<'k>,
    /// For each statement, whether it is replaced.
    pub(crate) replaced: Vec<bool>,
    /// Loads used by the steps, one entry a use.
    pub(crate) operands: Vec<Value>,
}

/// Where one operand is read; distances in elements.
#[derive(Clone, Copy)]
pub(crate) struct Stream<'k> {
    pub(crate) buffer: BufferId,
    /// Address in step 0 of chain 0.
    pub(crate) at: &'k Affine,
    /// From one step to the next.
    pub(crate) step: i64,
    /// From one chain to the next.
    pub(crate) chain: i64,
}

/// Finds chains in statements that are all definitions. `uses` counts the uses of every value.
pub(crate) fn find<'k>(kernel: &'k Kernel, stmts: &'k [Stmt], uses: &[u32]) -> Option<Chains<'k>> {
    let scan = Scan::of(kernel, stmts, uses);
    let first = *scan.chains.first()?.first()?;
    let ty = kernel.ty(first.result);
    let alike = |mac: &Accumulate| kernel.ty(mac.result) == ty && mac.fused == first.fused;
    if !scan.chains.iter().flatten().all(alike) {
        return None;
    }
    // `max_by_key` takes the last of equals: operands in the order written.
    let fits = [true, false]
        .into_iter()
        .filter_map(|swapped| scan.fit(swapped));
    let Fit { form, steps, h, x } = fits.max_by_key(|fit| fit.steps)?;
    let mut operands = Vec::new();
    let mut replaced = vec![false; stmts.len()];
    for mac in scan.chains.iter().flat_map(|chain| &chain[..steps]) {
        operands.extend([mac.a, mac.b]);
        replaced[mac.at] = true;
        if let Some(product) = mac.product {
            replaced[product] = true;
        }
    }
    let mut used: HashMap<Value, u32> = HashMap::new();
    for &value in &operands {
        *used.entry(value).or_default() += 1;
    }
    for (value, &count) in &used {
        replaced[scan.loads[value].index] = count == uses[value.0 as usize];
    }
    Some(Chains {
        form,
        ty,
        fused: first.fused,
        heads: scan.chains.iter().map(|chain| chain[0].sum).collect(),
        ends: scan
            .chains
            .iter()
            .map(|chain| chain[steps - 1].result)
            .collect(),
        steps,
        h,
        x,
        replaced,
        operands,
    })
}

/// A load of all lanes, or of one element into all lanes.
#[derive(Clone, Copy)]
struct Load<'k> {
    index: usize,
    buffer: BufferId,
    at: &'k Affine,
    splat: bool,
}

/// `result = a * b + sum` of two loads.
#[derive(Clone, Copy)]
struct Accumulate {
    a: Value,
    b: Value,
    sum: Value,
    result: Value,
    fused: bool,
    /// Index of the statement, and of the product's when it is one of its own.
    at: usize,
    product: Option<usize>,
}

/// How far the chains walk evenly.
struct Fit<'k> {
    form: Form,
    steps: usize,
    h: Stream<'k>,
    x: Stream<'k>,
}

/// The loads and chains among some statements.
struct Scan<'k> {
    loads: HashMap<Value, Load<'k>>,
    chains: Vec<Vec<Accumulate>>,
}

impl<'k> Scan<'k> {
    fn of(kernel: &'k Kernel, stmts: &'k [Stmt], uses: &[u32]) -> Self {
        let mut scan = Scan {
            loads: HashMap::new(),
            chains: Vec::new(),
        };
        let mut products = HashMap::new();
        let mut defined = vec![false; kernel.values.len()];
        // The chain that a value ends so far.
        let mut ended: HashMap<Value, usize> = HashMap::new();
        for (index, stmt) in stmts.iter().enumerate() {
            let Stmt::Def { value, op } = stmt else {
                continue;
            };
            let value = *value;
            let is_load = |v: &Value| scan.loads.contains_key(v);
            let mut found = None;
            match op {
                Op::Load { buffer, at, lanes } if *lanes == kernel.ty(value).lanes => {
                    let load = Load {
                        index,
                        buffer: *buffer,
                        at,
                        splat: false,
                    };
                    scan.loads.insert(value, load);
                }
                Op::LoadSplat { buffer, at } => {
                    let load = Load {
                        index,
                        buffer: *buffer,
                        at,
                        splat: true,
                    };
                    scan.loads.insert(value, load);
                }
                Op::Mul(a, b) if is_load(a) && is_load(b) && uses[value.0 as usize] == 1 => {
                    products.insert(value, (*a, *b, index));
                }
                Op::Fma(a, b, sum) if is_load(a) && is_load(b) => {
                    found = Some((*a, *b, *sum, None));
                }
                Op::Add(p, q) => {
                    let split = |p: &Value, q: &Value| {
                        products.get(p).map(|&(a, b, at)| (a, b, *q, Some(at)))
                    };
                    found = split(p, q).or_else(|| split(q, p));
                }
                _ => {}
            }
            defined[value.0 as usize] = true;
            let Some((a, b, sum, product)) = found else {
                continue;
            };
            let fused = product.is_none();
            let mac = Accumulate {
                a,
                b,
                sum,
                result: value,
                fused,
                at: index,
                product,
            };
            let chain = match ended.get(&sum) {
                Some(&chain) if uses[sum.0 as usize] == 1 => chain,
                _ if defined[sum.0 as usize] => continue,
                _ => {
                    scan.chains.push(Vec::new());
                    scan.chains.len() - 1
                }
            };
            scan.chains[chain].push(mac);
            ended.remove(&sum);
            ended.insert(value, chain);
        }
        scan
    }

    /// The operands of one multiply-accumulate as `h` and `x`: a broadcast one is `x`; of two
    /// vectors, the one of the later buffer or, in one buffer, the second; `swapped` the other.
    fn operands(&self, mac: &Accumulate, swapped: bool) -> Option<(Load<'k>, Load<'k>)> {
        let (a, b) = (self.loads[&mac.a], self.loads[&mac.b]);
        let in_order = match (a.splat, b.splat) {
            (true, true) => return None,
            (false, false) => (a.buffer <= b.buffer) != swapped,
            (false, true) => true,
            (true, false) => false,
        };
        Some(if in_order { (a, b) } else { (b, a) })
    }

    /// The largest number of steps that walk evenly, with the walks.
    fn fit(&self, swapped: bool) -> Option<Fit<'k>> {
        let operands = |step: usize, chain: usize| {
            let mac = self.chains.get(chain)?.get(step)?;
            self.operands(mac, swapped)
        };
        let (h, x) = operands(0, 0)?;
        let form = if x.splat { Form::Rows } else { Form::Taps };
        let distances =
            |(to_h, to_x): (Load<'k>, Load<'k>)| Some((distance(h, to_h)?, distance(x, to_x)?));
        let along =
            |other: Option<(Load<'k>, Load<'k>)>| other.and_then(distances).unwrap_or((0, 0));
        let step = along(operands(1, 0));
        let chain = along(operands(0, 1));
        if form == Form::Taps && chain.1 != 0 {
            return None;
        }
        let even = |s: usize, c: usize| {
            let (s64, c64) = (s as i64, c as i64);
            let line =
                |s_by: i64, c_by: i64| s64.checked_mul(s_by)?.checked_add(c64.checked_mul(c_by)?);
            let found = distances(operands(s, c)?)?;
            let wanted = (line(step.0, chain.0)?, line(step.1, chain.1)?);
            (found == wanted).then_some(())
        };
        let shortest = self.chains.iter().map(Vec::len).min()?;
        let steps = (0..shortest)
            .take_while(|&s| (0..self.chains.len()).all(|c| even(s, c).is_some()))
            .count();
        let stream = |load: Load<'k>, step: i64, chain: i64| Stream {
            buffer: load.buffer,
            at: load.at,
            step,
            chain,
        };
        let (h, x) = (stream(h, step.0, chain.0), stream(x, step.1, chain.1));
        (steps > 0).then_some(Fit { form, steps, h, x })
    }
}

/// Elements from one load to another of the same kind, when that is a constant.
fn distance(from: Load<'_>, to: Load<'_>) -> Option<i64> {
    let alike = from.buffer == to.buffer && from.splat == to.splat && from.at.terms == to.at.terms;
    alike.then(|| to.at.constant.checked_sub(from.at.constant))?
}
