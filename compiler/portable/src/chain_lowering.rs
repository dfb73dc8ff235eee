//! Lowers chains of multiply-accumulates to whole-loop steps.

use crate::chains::{self, Chains, Stream};
use crate::lowering::{Lowering, Unfit, narrow, registers_of};
use crate::mac::MacFn;
use crate::program::{Address, Form, LANES, Mac, Reg, Step};
use tdse_kir::{Bound, Carry, Loop, Stmt, Var, VecType};

impl<'k> Lowering<'k> {
    /// Chains in straight-line code: one trip for each step.
    ///
    /// Says for each statement whether the chains replace it; nothing when there are none.
    pub(crate) fn straight_chains(&mut self, stmts: &'k [Stmt]) -> Result<Vec<bool>, Unfit> {
        let Some(chains) = chains::find(self.kernel, stmts, &self.uses) else {
            return Ok(Vec::new());
        };
        let Some(body) = self.mac_body(&chains) else {
            return Ok(Vec::new());
        };
        for value in &chains.operands {
            self.left[value.0 as usize] -= 1;
        }
        let registers = registers_of(chains.ty);
        let acc = self.take(chains.heads.len() * registers)?;
        let homes = (acc..).step_by(registers);
        for (&head, to) in chains.heads.iter().zip(homes.clone()) {
            self.copy(to, self.homes[head.0 as usize].reg, registers);
            self.release(head);
        }
        let walk = (chains.h.step, chains.x.step);
        self.mac(
            body,
            &chains,
            acc,
            (Bound::Const(0), Bound::Const(1)),
            None,
            walk,
        )?;
        for (&end, to) in chains.ends.iter().zip(homes) {
            self.bind(end, to);
        }
        Ok(chains.replaced)
    }

    /// A loop that is nothing but chains; `false` when this one is not.
    pub(crate) fn chain_loop(&mut self, l: &'k Loop) -> Result<bool, Unfit> {
        if !l.body.iter().all(|s| matches!(s, Stmt::Def { .. })) {
            return Ok(false);
        }
        let Some(chains) = chains::find(self.kernel, &l.body, &self.uses) else {
            return Ok(false);
        };
        let carries = covered_carries(&chains, l);
        let walk = loop_walk(&chains, l.var);
        let (Some(order), Some(walk), Some(body)) = (carries, walk, self.mac_body(&chains)) else {
            return Ok(false);
        };
        let registers = registers_of(chains.ty);
        let acc = self.take(order.len() * registers)?;
        let homes = (acc..).step_by(registers);
        for (carry, to) in order.iter().zip(homes.clone()) {
            self.copy(to, self.homes[carry.init.0 as usize].reg, registers);
        }
        for carry in &order {
            self.release(carry.init);
        }
        self.mac(body, &chains, acc, (l.lo, l.hi), Some(l.var), walk)?;
        for (carry, to) in order.iter().zip(homes) {
            self.bind(carry.result, to);
        }
        Ok(true)
    }

    /// The instantiation that does these chains, if there is one.
    fn mac_body(&self, chains: &Chains<'_>) -> Option<MacFn> {
        let VecType { elem, lanes } = chains.ty;
        let lanes = usize::from(lanes).min(LANES);
        self.instance
            .mac(chains.form, elem, chains.heads.len(), lanes, chains.fused)
    }

    /// Emits the loop of multiply-accumulates, one pass for each register of an accumulator.
    fn mac(
        &mut self,
        body: MacFn,
        chains: &Chains<'k>,
        acc: Reg,
        (lo, hi): (Bound, Bound),
        var: Option<Var>,
        (h_step, x_step): (i64, i64),
    ) -> Result<(), Unfit> {
        let VecType { elem, lanes } = chains.ty;
        let bytes = elem.bytes() as i64;
        let registers = registers_of(chains.ty);
        let (first, last) = (self.limit(lo), self.limit(hi));
        for r in 0..registers {
            let lane = (r * LANES) as i64;
            let x_lane = if chains.form == Form::Taps { lane } else { 0 };
            let h = self.start(chains.h, lane, var, lo)?;
            let x = self.start(chains.x, x_lane, var, lo)?;
            let index = narrow(self.macs.len(), "loops")?;
            self.macs.push(Mac {
                body,
                acc: acc + r as Reg,
                acc_stride: registers as u16,
                h,
                x,
                lo: first,
                hi: last,
                unroll: narrow(chains.steps, "steps")?,
                h_step: h_step.wrapping_mul(bytes),
                x_step: x_step.wrapping_mul(bytes),
                h_acc: chains.h.chain.wrapping_mul(bytes),
                x_acc: chains.x.chain.wrapping_mul(bytes),
                form: chains.form,
                elem,
                accs: chains.heads.len() as u8,
                lanes: usize::from(lanes).min(LANES) as u8,
            });
            self.steps.push(Step::Mac(index));
        }
        Ok(())
    }

    /// Address of a stream in the first iteration of the loop over `var`, which starts at `lo`.
    fn start(
        &mut self,
        stream: Stream<'k>,
        lane: i64,
        var: Option<Var>,
        lo: Bound,
    ) -> Result<Address, Unfit> {
        let Some(var) = var else {
            return self.address(stream.buffer, stream.at, lane);
        };
        let by = stream.at.coefficient(var);
        let mut at = stream.at.clone();
        at.terms.retain(|&(v, _)| v != var);
        match lo {
            Bound::Const(lo) => at.constant = at.constant.wrapping_add(by.wrapping_mul(lo)),
            Bound::Param(param) => at = at.plus(param, by),
        }
        self.address(stream.buffer, &at, lane)
    }
}

/// The carries of a loop in the order of its chains, when the chains are all that it does.
fn covered_carries<'k>(chains: &Chains<'_>, l: &'k Loop) -> Option<Vec<&'k Carry>> {
    let whole = chains.replaced.iter().all(|&r| r) && chains.heads.len() == l.carried.len();
    if !whole {
        return None;
    }
    let chain_of = |carry: &Carry| {
        let is_it = |&(&head, &end): &(_, _)| head == carry.inner && end == carry.next;
        chains
            .heads
            .iter()
            .zip(&chains.ends)
            .position(|pair| is_it(&pair))
    };
    let mut order: Vec<Option<&Carry>> = vec![None; l.carried.len()];
    for carry in &l.carried {
        order[chain_of(carry)?] = Some(carry);
    }
    order.into_iter().collect()
}

/// Elements that `h` and `x` move in a trip, when an iteration of `var` moves them as far as its
/// steps together.
fn loop_walk(chains: &Chains<'_>, var: Var) -> Option<(i64, i64)> {
    let walk = |stream: &Stream<'_>| {
        let iteration = stream.at.coefficient(var);
        if chains.steps == 1 {
            return Some(iteration);
        }
        let steps = stream.step.checked_mul(chains.steps as i64)?;
        (steps == iteration).then_some(stream.step)
    };
    Some((walk(&chains.h)?, walk(&chains.x)?))
}
