//! The compiled kernels of a pack: a direct head, and levels beyond it when there is a plan.

use std::sync::Arc;

use tdse_compiler::{
    Candidate, CodeSource, CompiledKernel, DirectKernel, Maker, Tier, ahead_tier, candidates,
    candidates_by,
};
use tdse_isa::{Level, Proof};
use tdse_kir::{Contraction, Elem, NumericClass};
use tdse_lookahead::{Code, FarHistory, LookaheadError, Plan, Sample};
use tdse_pack::{Pack, Shape};
use tdse_templates::DirectShape;

use crate::RuntimeError;
use crate::stepper::Operators;

/// Compiled kernels of a pack in one element type.
pub(crate) struct Kernels<T: Sample> {
    /// Sum over the newest lags; `None` when the pack has one tap.
    head: Option<DirectKernel<T>>,
    head_taps: usize,
    /// The lags beyond, when there is a plan.
    far: Option<Arc<FarHistory<T>>>,
    /// `H[0]` times one vector.
    direct: DirectKernel<T>,
    shape: Shape,
}

/// What all kernels of a pack are made for.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The pack.
    pub(crate) pack: &'a Pack,
    /// Rounding of products.
    pub(crate) contraction: Contraction,
    /// The level at which things run here.
    pub(crate) proof: Proof,
    /// The code generator that the caller pinned.
    pub(crate) tier: Option<Tier>,
    /// The code generator of a plan's levels, where it is given.
    pub(crate) levels_tier: Option<Tier>,
    /// Where code comes from besides the code generator.
    pub(crate) source: Option<&'a Arc<dyn CodeSource>>,
    /// The level of the other machine that code is made for; then the source is told and nothing is loaded.
    pub(crate) ahead: Option<Level>,
}

impl Target<'_> {
    /// The level that code is made for.
    pub(crate) fn level(&self) -> Level {
        self.ahead.unwrap_or(self.proof.level())
    }

    /// What makes the code of one tier.
    pub(crate) fn maker(&self, tier: Tier) -> Maker {
        match (self.ahead, self.source) {
            (Some(level), Some(source)) => {
                Maker::ahead(tier, level, self.proof, Arc::clone(source))
            }
            (_, Some(source)) => Maker::new(tier, self.proof).with_source(Arc::clone(source)),
            (_, None) => Maker::new(tier, self.proof),
        }
    }

    /// The code generator of a plan's levels, where the head has `head`: the pinned one, else the faster
    /// one, and the head's where that one had to do without executable memory.
    pub(crate) fn ahead(&self, head: Tier) -> Tier {
        let shape = self.pack.shape();
        match (self.levels_tier.or(self.tier), head) {
            (Some(pinned), _) => pinned,
            (None, Tier::Portable) => Tier::Portable,
            (None, _) => ahead_tier(self.level(), shape.np(), shape.nq()),
        }
    }
}

/// The candidates for the kernel that runs in every step: the head, or the direct term of a one-tap pack.
pub(crate) fn heads(target: Target<'_>, plan: Option<&Plan>, elem: Elem) -> Vec<Candidate> {
    let shape = target.pack.shape();
    let shape = DirectShape {
        np: shape.np(),
        nq: shape.nq(),
        taps: head_taps(shape, plan).max(1),
        elem,
    };
    match target.tier {
        // A bundle may hold code of a generator that this build lacks.
        Some(tier) if !Tier::ALL.contains(&tier) => {
            candidates_by(tier, &shape, target.contraction, target.level())
        }
        _ => candidates(&shape, target.contraction, target.level()),
    }
}

/// Lags that the head sums. One more than the plan says, with a tap of zero, where that makes whole groups of
/// eight terms: a group that is not whole costs more than a group.
fn head_taps(shape: Shape, plan: Option<&Plan>) -> usize {
    let all = shape.nh() - 1;
    let Some(plan) = plan else {
        return all;
    };
    let head = plan.head_taps().min(all);
    let whole = |taps: usize| (taps * shape.np()).is_multiple_of(8);
    if head < all && !whole(head) && whole(head + 1) {
        head + 1
    } else {
        head
    }
}

impl<T: Sample> Kernels<T> {
    /// Compiles the head as the candidate says and the levels by [`Target::ahead`].
    pub(crate) fn build(
        target: Target<'_>,
        plan: Option<&Plan>,
        candidate: &Candidate,
    ) -> Result<Self, LookaheadError> {
        let (pack, contraction) = (target.pack, target.contraction);
        let maker = target.maker(candidate.tier);
        let shape = pack.shape();
        let (nq, np) = (shape.nq(), shape.np());
        // The largest lag that is not the levels'.
        let direct = plan.map_or(usize::MAX, Plan::head_taps);
        let compile = |taps: usize, lag: &dyn Fn(usize) -> usize| {
            let shape = DirectShape {
                np,
                nq,
                taps,
                elem: T::ELEM,
            };
            let tap = |row: usize, term: usize| {
                let lag = lag(term / np);
                if lag > direct {
                    return 0.0;
                }
                pack.tap(lag)[row * np + term % np]
            };
            DirectKernel::<T>::compile(&shape, contraction, candidate.schedule, &maker, tap)
        };
        let head_taps = head_taps(shape, plan);
        // The window is oldest first: its vector j meets lag head_taps - j.
        let head = if head_taps > 0 {
            Some(compile(head_taps, &|j| head_taps - j)?)
        } else {
            None
        };
        let far = match plan {
            None => None,
            Some(plan) => {
                let code = Code::new(target.maker(target.ahead(candidate.tier)), contraction);
                Some(Arc::new(FarHistory::build(pack, plan, &code)?))
            }
        };
        Ok(Kernels {
            head,
            head_taps,
            far,
            direct: compile(1, &|_| 0)?,
            shape,
        })
    }

    /// Class of the direct kernels.
    pub(crate) fn class(&self) -> NumericClass {
        self.direct.code().class()
    }

    /// SHA-256 of the machine code of every kernel that a step runs, in a fixed order; empty for a tier that
    /// makes none.
    pub(crate) fn code_sha256(&self) -> Vec<[u8; 32]> {
        let head = self.head.as_ref().unwrap_or(&self.direct).code();
        let far = self.far.iter().flat_map(|far| far.kernels());
        let facts = std::iter::once(head)
            .chain(far)
            .map(|kernel| kernel.facts());
        facts.flatten().map(|facts| facts.sha256).collect()
    }

    /// Every kernel.
    pub(crate) fn all(&self) -> Vec<Arc<CompiledKernel>> {
        let direct = self
            .head
            .iter()
            .chain([&self.direct])
            .map(DirectKernel::code);
        let far = self.far.iter().flat_map(|far| far.kernels());
        direct.chain(far).cloned().collect()
    }
}

impl<T: Sample> Operators<T> for Kernels<T> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn head_taps(&self) -> usize {
        self.head_taps
    }

    fn head(&self, window: &[T], out: &mut [T]) -> Result<(), RuntimeError> {
        match &self.head {
            Some(head) => head.run(window, out).map_err(internal),
            None => {
                out.fill(T::default());
                Ok(())
            }
        }
    }

    fn direct(&self, x: &[T], out: &mut [T]) -> Result<(), RuntimeError> {
        self.direct.run(x, out).map_err(internal)
    }

    fn far(&self) -> Option<&Arc<FarHistory<T>>> {
        self.far.as_ref()
    }

    fn bytes(&self) -> usize {
        let head = self.head.as_ref().map_or(0, DirectKernel::resident_bytes);
        let far = self.far.as_ref().map_or(0, |far| far.bytes());
        head + far + self.direct.resident_bytes()
    }
}

fn internal(refusal: impl std::fmt::Display) -> RuntimeError {
    RuntimeError::Internal(refusal.to_string())
}
