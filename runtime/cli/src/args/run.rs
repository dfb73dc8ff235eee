//! Arguments of `run`, and of every command that pins a route.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tdse_compiler::Tier;
use tdse_isa::Level;
use tdse_kir::Contraction;
use tdse_runtime::{
    BackendToken, BlasForm, BlasOptions, CodeOrigin, ElemChoice, PrepareOptions, RouteToken,
};
use tdse_templates::Schedule;

use super::{Input, PlanArgs, Termination};
use crate::commands::open_bundle;
use crate::fault::Fault;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The pack
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// Input x: FILE.npy (f64, steps x np), random:SEED, impulse:PORT (ports from 1)
    #[arg(long, value_name = "INPUT")]
    pub(crate) input: Input,
    /// Steps; by default all of FILE.npy, else 1024
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,
    /// Write y as .npy, f64, steps x nq
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the history response as .npy, f64, steps x nq
    #[arg(long, value_name = "FILE")]
    pub(crate) history_out: Option<PathBuf>,
    /// Close the loop, x = G y + input: matched, open, short or G as FILE.npy (f64, np x nq)
    #[arg(long, value_name = "G")]
    pub(crate) terminate: Option<Termination>,
    /// Start with the code there is, compile with TIER in the background and change over at the next step; the
    /// bits stay. Not for hosts with deadlines
    #[arg(long, value_name = "TIER")]
    pub(crate) tier_up: Option<Tier>,
    /// What to pin
    #[command(flatten)]
    pub(crate) route: RouteArgs,
}

/// What a caller may pin. A pinned choice runs or is refused with exit code 5; it is never replaced.
#[derive(Debug, Args)]
pub(crate) struct RouteArgs {
    /// Backend: auto, cpu_pack_gemv, cpu_blas
    #[arg(long, value_name = "TOKEN")]
    backend: Option<BackendToken>,
    /// Route: generic, lookahead (whichever the planner takes), temporal_block, uniform_fft,
    /// nonuniform_fft, relaxed_fft, blas
    #[arg(long, value_name = "TOKEN")]
    route: Option<RouteToken>,
    /// Code generator: llvm (where the build has it), cranelift, portable
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,
    /// How a plan is found
    #[command(flatten)]
    plan: PlanArgs,
    /// The BLAS library of cpu_blas
    #[arg(long, value_name = "FILE")]
    blas: Option<PathBuf>,
    /// Form of its matrix-vector product; by default the faster one, and they differ in bits
    #[arg(long, value_enum)]
    blas_form: Option<Product>,
    /// Kernel schedule, such as taps.r3.u1 or rows.w2.u1
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<Schedule>,
    /// Element type of history, taps and sums
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    dtype: Dtype,
    /// Use no more than this ISA level, such as x86-64-v3; never raises
    #[arg(long, value_name = "LEVEL")]
    isa_cap: Option<Level>,
    /// Rounding of products; by default fma where the level has it
    #[arg(long, value_enum)]
    contraction: Option<Rounding>,
    /// Take code from this bundle: it runs or is an error
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Keep code that was compiled in DIR, 256 MiB at most, and take it from there the next time
    #[arg(long, value_name = "DIR", conflicts_with = "bundle")]
    code_cache: Option<PathBuf>,
}

/// Bytes that `--code-cache` may take.
const CODE_CACHE_BYTES: u64 = 256 << 20;

impl RouteArgs {
    /// The bundle to read, if any.
    pub(crate) fn bundle(&self) -> Option<&Path> {
        self.bundle.as_deref()
    }

    fn code(&self) -> Result<CodeOrigin, Fault> {
        Ok(match (&self.bundle, &self.code_cache) {
            (Some(path), _) => CodeOrigin::Bundle(open_bundle(path)?),
            (None, Some(folder)) => CodeOrigin::Cache {
                folder: folder.clone(),
                limit_bytes: CODE_CACHE_BYTES,
            },
            (None, None) => CodeOrigin::Compile,
        })
    }

    /// The runtime's options; reads the bundle.
    pub(crate) fn prepare_options(&self) -> Result<PrepareOptions, Fault> {
        let defaults = PrepareOptions::default();
        Ok(PrepareOptions {
            backend: self.backend.unwrap_or(defaults.backend),
            route: self.route,
            tier: self.tier,
            schedule: self.schedule,
            elem: self.dtype.into(),
            plan: self.plan.choice(),
            objective: self.plan.objective.into(),
            componentwise: self.plan.componentwise,
            blas: BlasOptions {
                path: self.blas.clone(),
            },
            blas_form: self.blas_form.map(|form| match form {
                Product::N => BlasForm::N,
                Product::T => BlasForm::T,
            }),
            isa_cap: self.isa_cap,
            contraction: self.contraction.map(Into::into),
            code: self.code()?,
            ..defaults
        })
    }
}

/// Form of a vendor's matrix-vector product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Product {
    /// Taps by columns
    N,
    /// Taps by rows
    T,
}

/// Element type of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dtype {
    /// IEEE 754 binary64
    F64,
    /// IEEE 754 binary32
    F32,
}

/// Rounding of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rounding {
    /// One rounding for multiply and add
    Fma,
    /// One rounding each
    Separate,
}

impl From<Dtype> for ElemChoice {
    fn from(dtype: Dtype) -> ElemChoice {
        match dtype {
            Dtype::F64 => ElemChoice::F64,
            Dtype::F32 => ElemChoice::F32,
        }
    }
}

impl From<Rounding> for Contraction {
    fn from(rounding: Rounding) -> Contraction {
        match rounding {
            Rounding::Fma => Contraction::Fma,
            Rounding::Separate => Contraction::Separate,
        }
    }
}
