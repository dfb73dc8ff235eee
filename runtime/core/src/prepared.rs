//! A pack made ready: decision taken, code loaded, taps packed.

use std::sync::Arc;
use std::time::Instant;

use tdse_bundle::Loader;
use tdse_compiler::{Candidate, CompileRefusal, DirectKernel, Real, Tier, candidates};
use tdse_isa::{Host, Level, Proof};
use tdse_kir::{Contraction, Elem};
use tdse_pack::Pack;
use tdse_templates::{DirectShape, Schedule};

use crate::RuntimeError;
use crate::explain::Explanation;
use crate::model::Model;
use crate::selection::{Pins, Selection, select};
use crate::stepper::{Kernels, StepperSource};
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
    operator: Vec<f64>,
    independent: Option<Vec<f64>>,
    explanation: Explanation,
    candidate: Candidate,
    elem: Elem,
    code_sha256: Option<[u8; 32]>,
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

    fn typed<T: Real>(pack: Arc<Pack>, options: &PrepareOptions) -> Result<Prepared, RuntimeError> {
        let start = Instant::now();
        if !options.start_time.is_finite() {
            return Err(RuntimeError::StartTime(options.start_time));
        }
        check_representable::<T>(&pack)?;
        let host = Host::get();
        let level = host.capped(options.isa_cap);
        let fused = if level.has_fma() {
            Contraction::Fma
        } else {
            Contraction::Separate
        };
        let contraction = options.contraction.unwrap_or(fused);
        let proof = host.prove(level).ok_or_else(|| RuntimeError::Pinned {
            pinned: level.to_string(),
            reason: "this machine does not prove the level".into(),
        })?;

        let shape = history_shape(&pack, T::ELEM);
        let list = candidates(&shape, contraction, level);
        let pins = Pins {
            tier: options.tier,
            schedule: options.schedule,
        };
        let Selection {
            built,
            chosen,
            routes,
        } = select(&list, pins, |candidate| {
            kernels::<T>(&pack, contraction, candidate, proof)
        })?;

        let round = |values: &[f64]| values.iter().map(|&v| T::from_f64(v).to_f64()).collect();
        let explanation = Explanation {
            routes,
            chosen,
            numeric_class: built.direct.class().to_string() + "." + T::ELEM.name(),
            loader: loader_text(),
            policy: policy_text(options),
            repro: repro(options, &list[chosen], contraction),
        };
        let code_sha256 = match &built.history {
            Some(kernel) => kernel.code_sha256(),
            None => built.direct.code_sha256(),
        };
        Ok(Prepared {
            shared: Arc::new(Shared {
                operator: round(pack.tap(0)),
                independent: pack.ir().map(round),
                source: Arc::new(built),
                explanation,
                candidate: list[chosen],
                elem: T::ELEM,
                code_sha256,
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
        &self.shared.explanation
    }

    /// What fixes the bits of the results, element type included.
    pub fn numeric_class(&self) -> &str {
        &self.shared.explanation.numeric_class
    }

    /// The code generator in use.
    pub fn tier(&self) -> Tier {
        self.shared.candidate.tier
    }

    /// The schedule in use.
    pub fn schedule(&self) -> Schedule {
        self.shared.candidate.schedule
    }

    /// The level in use.
    pub fn level(&self) -> Level {
        self.shared.candidate.level
    }

    /// Element type in use.
    pub fn elem(&self) -> Elem {
        self.shared.elem
    }

    /// The active backend.
    pub fn backend(&self) -> BackendToken {
        BackendToken::CpuPackGemv
    }

    /// The active route.
    pub fn route(&self) -> RouteToken {
        RouteToken::Generic
    }

    /// Bytes of packed taps and code, shared by all models.
    pub fn resident_bytes(&self) -> usize {
        self.shared.source.bytes()
    }

    /// Nanoseconds that [`Prepared::new`] took.
    pub fn prepare_ns(&self) -> u64 {
        self.shared.prepare_ns
    }

    /// SHA-256 of the history kernel's machine code (of the direct kernel's when the pack has one
    /// tap); `None` for a tier that makes none.
    pub fn code_sha256(&self) -> Option<[u8; 32]> {
        self.shared.code_sha256
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

/// The shape of the kernel that dominates: history, or the direct term of a one-tap pack.
fn history_shape(pack: &Pack, elem: Elem) -> DirectShape {
    let shape = pack.shape();
    DirectShape {
        np: shape.np(),
        nq: shape.nq(),
        taps: (shape.nh() - 1).max(1),
        elem,
    }
}

fn kernels<T: Real>(
    pack: &Pack,
    contraction: Contraction,
    candidate: &Candidate,
    proof: Proof,
) -> Result<Kernels<T>, CompileRefusal> {
    let (nh, nq, np) = (pack.shape().nh(), pack.shape().nq(), pack.shape().np());
    let compile = |taps: usize, lag: &dyn Fn(usize) -> usize| {
        let shape = DirectShape {
            np,
            nq,
            taps,
            elem: T::ELEM,
        };
        let tap = |row: usize, term: usize| pack.tap(lag(term / np))[row * np + term % np];
        DirectKernel::<T>::compile(
            &shape,
            contraction,
            candidate.tier,
            candidate.schedule,
            proof,
            tap,
        )
    };
    // The window is oldest first: its vector j meets lag nh - 1 - j.
    let history = if nh > 1 {
        Some(compile(nh - 1, &|j| nh - 1 - j)?)
    } else {
        None
    };
    Ok(Kernels {
        history,
        direct: compile(1, &|_| 0)?,
        np,
        nq,
        nh,
    })
}

/// Refuses values that are finite in the pack and infinite in the element type.
fn check_representable<T: Real>(pack: &Pack) -> Result<(), RuntimeError> {
    let beyond = |values: &[f64]| {
        values
            .iter()
            .position(|&v| !T::from_f64(v).to_f64().is_finite())
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

fn loader_text() -> String {
    match Loader::probe() {
        Ok(loader) => match loader.passed_over() {
            None => format!("code is mapped by {}", loader.method()),
            Some(refusal) => format!("code is mapped by {}; {refusal}", loader.method()),
        },
        Err(refusal) => refusal.to_string(),
    }
}

fn policy_text(options: &PrepareOptions) -> String {
    match options.backend {
        BackendToken::Auto => "auto: no evidence was given, so the conservative backend \
                               cpu_pack_gemv runs, route generic"
            .into(),
        BackendToken::CpuPackGemv => "cpu_pack_gemv was asked for; it runs or is an error".into(),
    }
}

fn repro(options: &PrepareOptions, chosen: &Candidate, contraction: Contraction) -> String {
    let dtype = Elem::from(options.elem).name();
    let rounding = match contraction {
        Contraction::Fma => "fma",
        Contraction::Separate => "separate",
    };
    format!(
        "tdse run PACK --input random:1 --backend cpu_pack_gemv --route generic --tier {} --schedule {} --dtype {dtype} --isa-cap {} --contraction {rounding}",
        chosen.tier, chosen.schedule, chosen.level
    )
}
