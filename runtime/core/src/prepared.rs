//! A pack made ready: decision taken, code loaded, taps packed.

use std::sync::Arc;
use std::time::Instant;

use tdse_blas::{BlasElement, BlasOptions, Form as BlasForm};
use tdse_compiler::{CodeSource, KeptCode, Maker, Tier, default_contraction};
use tdse_isa::{Host, Level, Proof};
use tdse_kir::{Contraction, Elem};
use tdse_lookahead::{Objective, Plan, PlanReport, Sample};
use tdse_pack::Pack;
use tdse_templates::Schedule;

use crate::RuntimeError;
use crate::code_origin::CodeOrigin;
use crate::decision::{Built, Decision, alternatives, compiled, vendor};
use crate::explain::{Explanation, RouteReport};
use crate::kernels::Target;
use crate::model::Model;
use crate::planning::{PlanChoice, Way};
use crate::stepper::StepperSource;
use crate::tier_up::{Improvable, TierUp};
use crate::token::{BackendToken, RouteToken};

/// What the caller asks for; the default asks for nothing in particular.
#[derive(Debug, Clone, Default)]
pub struct PrepareOptions {
    /// Backend; AUTO without evidence is the conservative CPU route.
    pub backend: BackendToken,
    /// Route of the backend.
    pub route: Option<RouteToken>,
    /// Code generator, pinned: it runs or is an error.
    pub tier: Option<Tier>,
    /// Schedule, pinned.
    pub schedule: Option<Schedule>,
    /// Element type of history, taps and sums; the calls take and give `f64`.
    pub elem: ElemChoice,
    /// Highest level to use; it lowers the host's, never raises it.
    pub isa_cap: Option<Level>,
    /// Rounding of products; `None` takes fused where the level has it.
    pub contraction: Option<Contraction>,
    /// How the plan of a route that looks ahead is found.
    pub plan: PlanChoice,
    /// What a plan is chosen for.
    pub objective: Objective,
    /// Whether a plan must keep every output accurate relative to its own terms (the componentwise
    /// gate); large partitions are then left out where `H` falls steeply.
    pub componentwise: bool,
    /// Where the BLAS of `cpu_blas` is looked for.
    pub blas: BlasOptions,
    /// The form of its product; `None` takes the faster one here and now, and the forms differ in bits.
    pub blas_form: Option<BlasForm>,
    /// Where machine code comes from.
    pub code: CodeOrigin,
    /// Time of step 0 in seconds, from which the independent response counts.
    pub start_time: f64,
}

/// Element type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ElemChoice {
    /// binary64.
    #[default]
    F64,
    /// binary32.
    F32,
}

impl From<ElemChoice> for Elem {
    fn from(choice: ElemChoice) -> Elem {
        match choice {
            ElemChoice::F64 => Elem::F64,
            ElemChoice::F32 => Elem::F32,
        }
    }
}

/// A pack with its code, packed taps and decision; cheap to clone, shared by its models.
#[derive(Clone)]
pub struct Prepared {
    shared: Arc<Shared>,
}

struct Shared {
    pack: Arc<Pack>,
    source: Arc<dyn StepperSource>,
    improvable: Arc<Improvable>,
    /// The cache of code in use.
    kept: Option<Arc<KeptCode>>,
    operator: Vec<f64>,
    independent: Option<Vec<f64>>,
    decision: Decision,
    elem: Elem,
    proof: Proof,
    level: Level,
    start_time: f64,
    prepare_ns: u64,
}

impl Prepared {
    /// Decides, compiles, loads and packs. The only slow call; it may run on any thread.
    pub fn new(pack: Arc<Pack>, options: &PrepareOptions) -> Result<Prepared, RuntimeError> {
        match options.elem {
            ElemChoice::F64 => Self::typed::<f64>(pack, options),
            ElemChoice::F32 => Self::typed::<f32>(pack, options),
        }
    }

    fn typed<T: Sample + BlasElement>(
        pack: Arc<Pack>,
        options: &PrepareOptions,
    ) -> Result<Prepared, RuntimeError> {
        let start = Instant::now();
        if !options.start_time.is_finite() {
            return Err(RuntimeError::StartTime(options.start_time));
        }
        check_representable::<T>(&pack)?;
        let opened = CodeOrigin::open(&pack, options, T::ELEM)?;
        let (options, levels_tier) = match &opened.pinned {
            None => (options, None),
            Some(pinned) => (&pinned.options, pinned.levels_tier),
        };
        let host = Host::get();
        let level = host.capped(options.isa_cap);
        let proof = host.prove(level).ok_or_else(|| RuntimeError::Pinned {
            pinned: level.to_string(),
            reason: "this machine does not prove the level".into(),
        })?;
        let target = Target {
            pack: &pack,
            contraction: options.contraction.unwrap_or(default_contraction(level)),
            proof,
            tier: options.tier,
            levels_tier,
            source: opened.source.as_ref(),
            ahead: None,
        };
        let way = Way::choose::<T>(target, options)?;
        let Built {
            source,
            kernels,
            mut decision,
        } = match way.route {
            RouteToken::Blas => vendor::<T>(target, options)?,
            _ => compiled::<T>(target, options, &way)?,
        };
        opened.check_class(&decision.explanation.numeric_class)?;
        opened.tell(&mut decision.explanation);
        let round = |values: &[f64]| values.iter().map(|&v| T::rounded(v).to_f64()).collect();
        Ok(Prepared {
            shared: Arc::new(Shared {
                operator: round(pack.tap(0)),
                independent: pack.ir().map(round),
                source,
                improvable: Arc::new(Improvable::new(kernels)),
                kept: opened.doubts,
                decision,
                elem: T::ELEM,
                proof,
                level,
                start_time: options.start_time,
                prepare_ns: start.elapsed().as_nanos() as u64,
                pack,
            }),
        })
    }

    /// A new model with an empty history. Allocates the history and a little workspace.
    pub fn model(&self) -> Model {
        Model::new(self.clone(), Arc::clone(&self.shared.source).stepper())
    }

    /// The pack.
    pub fn pack(&self) -> &Pack {
        &self.shared.pack
    }

    /// Why this candidate runs and no other.
    pub fn explanation(&self) -> &Explanation {
        &self.shared.decision.explanation
    }

    /// What fixes the bits of the results, element type included.
    pub fn numeric_class(&self) -> &str {
        &self.shared.decision.explanation.numeric_class
    }

    /// The code generator in use; `None` where a vendor's library computes.
    pub fn tier(&self) -> Option<Tier> {
        self.shared.decision.candidate.map(|c| c.tier)
    }

    /// The code generator of a plan's levels, which need not be the head's.
    pub fn levels_tier(&self) -> Option<Tier> {
        self.shared.decision.levels_tier
    }

    /// The schedule of the direct kernel in use; `None` where a vendor's library computes.
    pub fn schedule(&self) -> Option<Schedule> {
        self.shared.decision.candidate.map(|c| c.schedule)
    }

    /// The level in use.
    pub fn level(&self) -> Level {
        self.shared.level
    }

    /// Element type in use.
    pub fn elem(&self) -> Elem {
        self.shared.elem
    }

    /// The active backend.
    pub fn backend(&self) -> BackendToken {
        self.route().backend()
    }

    /// The active route.
    pub fn route(&self) -> RouteToken {
        self.shared.decision.route
    }

    /// The plan, on a route that looks ahead.
    pub fn plan(&self) -> Option<&Plan> {
        self.planning().map(|report| &report.chosen)
    }

    /// How the plan was found.
    pub fn planning(&self) -> Option<&PlanReport> {
        self.shared.decision.planning.as_ref()
    }

    /// The routes that were not asked for, each with its best plan by the cost model and what that predicts.
    /// Takes some milliseconds; a decision never needs it.
    pub fn alternatives(&self, objective: Objective) -> Vec<RouteReport> {
        alternatives(self, objective)
    }

    /// Makes code by `tier` for the kernels in use, on a thread of its own; models change over when one of them
    /// begins a step after that. Bits do not change: it is the same kernels, lowered again.
    ///
    /// For hosts that can spare a core meanwhile, so never for one with deadlines. Once for a preparation; what
    /// this type says of tiers and code stays what was prepared.
    pub fn tier_up(&self, tier: Tier) -> Result<TierUp, RuntimeError> {
        let maker = Maker::new(tier, self.shared.proof);
        self.shared.improvable.start(match &self.shared.kept {
            None => maker,
            Some(kept) => maker.with_source(Arc::clone(kept) as Arc<dyn CodeSource>),
        })
    }

    /// Whether the code of a tier-up runs.
    pub fn tiered_up(&self) -> bool {
        self.shared.improvable.adopted()
    }

    /// Lets code that a tier-up has made run.
    pub(crate) fn adopt(&self) {
        self.shared.improvable.adopt();
    }

    /// Bytes of packed taps and code, shared by all models.
    pub fn resident_bytes(&self) -> usize {
        self.shared.source.bytes()
    }

    /// Nanoseconds that [`Prepared::new`] took.
    pub fn prepare_ns(&self) -> u64 {
        self.shared.prepare_ns
    }

    /// SHA-256 of the machine code that steps run: the history kernel's (the direct kernel's when the
    /// pack has one tap); with a plan, that of all its kernels' digests. `None` where no code was made.
    pub fn code_sha256(&self) -> Option<[u8; 32]> {
        self.shared.decision.code_sha256
    }

    /// Whether two handles share one preparation.
    pub(crate) fn is(&self, other: &Prepared) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn operator(&self) -> &[f64] {
        &self.shared.operator
    }

    pub(crate) fn independent(&self) -> Option<&[f64]> {
        self.shared.independent.as_deref()
    }

    pub(crate) fn start_time(&self) -> f64 {
        self.shared.start_time
    }
}

/// Refuses values that are finite in the pack and infinite in the element type.
fn check_representable<T: Sample>(pack: &Pack) -> Result<(), RuntimeError> {
    let beyond = |values: &[f64]| {
        values
            .iter()
            .position(|&v| !T::rounded(v).to_f64().is_finite())
    };
    let (nq, np) = (pack.shape().nq(), pack.shape().np());
    if let Some(i) = beyond(pack.taps()) {
        let (k, q, p) = (i / (nq * np), i / np % nq, i % np);
        let place = format!("tap H[{k}][{q}][{p}]");
        return Err(RuntimeError::NotRepresentable {
            place,
            value: pack.taps()[i],
        });
    }
    let ir = pack.ir().unwrap_or_default();
    match beyond(ir) {
        Some(i) => Err(RuntimeError::NotRepresentable {
            place: format!("independent response IR[{}][{}]", i / nq, i % nq),
            value: ir[i],
        }),
        None => Ok(()),
    }
}
