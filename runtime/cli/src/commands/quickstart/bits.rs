//! Do the interpreter and every code generator give the same bits?
//!
//! The history kernel of the pack runs on the same random windows through the interpreter and
//! through every code generator, at every ISA level of this machine, with every schedule that the
//! compiler proposes, in both numeric classes. Outputs are compared by their digest.
//!
//! Cost: the interpreter, about 50 ns for each multiply-add of eight lanes.

use tdse_compiler::{CompileRefusal, DirectKernel, Maker, Tier, candidates};
use tdse_isa::{Host, Proof};
use tdse_kir::{Contraction, Elem, KirArg, NumericClass, interpret, verify};
use tdse_pack::Pack;
use tdse_runtime::Prepared;
use tdse_templates::{DirectShape, Layout, Schedule, direct};

use crate::commands::run::{hex, sha256_hex};
use crate::fault::Fault;
use crate::random::SplitMix64;
use crate::report::{BitRow, Digest, KernelRow};

/// Windows that every kernel runs on.
const WINDOWS: usize = 16;

/// What the comparison found.
#[derive(Debug, Default)]
pub(super) struct Bits {
    /// One row an executor.
    pub(super) rows: Vec<BitRow>,
    /// Kernels compiled for the machine's best level in the class that runs by default.
    pub(super) kernels: Vec<KernelRow>,
    /// Rows that differ from the interpreter, in words.
    pub(super) differences: Vec<String>,
}

impl Bits {
    /// The result in a sentence.
    pub(super) fn sentence(&self) -> String {
        match self.differences.first() {
            Some(first) => format!("bits: DIFFERENT: {first}"),
            None => {
                let compared = self
                    .rows
                    .iter()
                    .filter(|row| matches!(row.digest, Digest::Sha256(_)));
                let (rows, kernels) =
                    compared.fold((0, 0), |sum, row| (sum.0 + 1, sum.1 + row.schedules));
                format!(
                    "bits: identical within each numeric class, {kernels} kernels on {rows} executors and levels"
                )
            }
        }
    }

    fn push(&mut self, row: BitRow, reference: &Digest) {
        if matches!(row.digest, Digest::Differs(_))
            || matches!(row.digest, Digest::Sha256(_)) && row.digest != *reference
        {
            self.differences.push(format!(
                "{} at {} gives other bits than the interpreter in class {}",
                row.executor, row.level, row.class
            ));
        }
        self.rows.push(row);
    }
}

/// Compares the history kernel of a pack.
pub(super) fn compare(
    pack: &Pack,
    prepared: &Prepared,
    mut tell: impl FnMut(f64),
) -> Result<Bits, Fault> {
    let work = Work::new(pack);
    let best = Host::get().best();
    let mut found = Bits::default();
    for (n, contraction) in [Contraction::Fma, Contraction::Separate]
        .into_iter()
        .enumerate()
    {
        let class = NumericClass::direct(contraction).to_string();
        let schedules = work.schedules(contraction);
        let row = |executor: String, level: &str, digests: Vec<String>| BitRow {
            class: class.clone(),
            executor,
            level: level.to_owned(),
            schedules: digests.len(),
            digest: merged(digests),
        };
        let digests = schedules
            .iter()
            .map(|&s| work.interpreted(contraction, s))
            .collect::<Result<Vec<_>, _>>()?;
        let oracle = row("interpreter".to_owned(), "any", digests);
        let reference = oracle.digest.clone();
        found.push(oracle, &reference);
        tell(0.5 * n as f64 + 0.35);
        for tier in Tier::ALL {
            for proof in Host::get().levels() {
                let level = proof.level();
                match work.compiled(contraction, tier, proof, &schedules)? {
                    Compiled::Ran(digests, kernels) => {
                        found.push(row(tier.to_string(), level.name(), digests), &reference);
                        if level == best && prepared.numeric_class().starts_with(&class) {
                            found.kernels.extend(kernels);
                        }
                    }
                    Compiled::Refused(refusal) => {
                        let mut refused = row(tier.to_string(), level.name(), Vec::new());
                        refused.digest = Digest::Refused {
                            name: refusal.name().to_owned(),
                            text: refusal.to_string(),
                        };
                        found.push(refused, &reference);
                    }
                }
            }
        }
        tell(0.5 * (n + 1) as f64);
    }
    Ok(found)
}

/// What became of a code generator at a level.
enum Compiled {
    /// Digest and kernel of every schedule.
    Ran(Vec<String>, Vec<KernelRow>),
    /// It does not do the class there.
    Refused(CompileRefusal),
}

/// The kernel's shape, taps and windows.
struct Work<'a> {
    pack: &'a Pack,
    shape: DirectShape,
    windows: Vec<Vec<f64>>,
}

impl<'a> Work<'a> {
    fn new(pack: &'a Pack) -> Self {
        let (np, nq, nh) = (pack.shape().np(), pack.shape().nq(), pack.shape().nh());
        let shape = DirectShape {
            np,
            nq,
            taps: (nh - 1).max(1),
            elem: Elem::F64,
        };
        let mut generator = SplitMix64::new(1);
        let windows = (0..WINDOWS)
            .map(|_| {
                (0..shape.np * shape.taps)
                    .map(|_| generator.uniform())
                    .collect()
            })
            .collect();
        Work {
            pack,
            shape,
            windows,
        }
    }

    /// `h[row][term]`: the window is oldest first, so vector `j` meets lag `nh - 1 - j`.
    fn tap(&self, row: usize, term: usize) -> f64 {
        let np = self.shape.np;
        self.pack.tap(self.pack.shape().nh() - 1 - term / np)[row * np + term % np]
    }

    /// Every schedule that the compiler proposes at any level of this machine.
    fn schedules(&self, contraction: Contraction) -> Vec<Schedule> {
        let mut list: Vec<Schedule> = Host::get()
            .levels()
            .into_iter()
            .flat_map(|proof| candidates(&self.shape, contraction, proof.level()))
            .map(|candidate| candidate.schedule)
            .collect();
        list.sort();
        list.dedup();
        list
    }

    fn interpreted(&self, contraction: Contraction, schedule: Schedule) -> Result<String, Fault> {
        let internal = |text: String| Fault::Internal(text);
        let kernel =
            direct(&self.shape, contraction, schedule).map_err(|e| internal(e.to_string()))?;
        let kernel = verify(kernel).map_err(|e| internal(e.to_string()))?;
        let layout = Layout::new(&self.shape, schedule);
        let mut packed = vec![0.0; layout.len()];
        for row in 0..self.shape.nq {
            for term in 0..self.shape.np * self.shape.taps {
                packed[layout.index(row, term)] = self.tap(row, term);
            }
        }
        self.digest(|window, out| {
            interpret(
                &kernel,
                &mut [
                    KirArg::F64(&packed),
                    KirArg::F64(window),
                    KirArg::F64Mut(out),
                ],
            )
            .map_err(|e| internal(e.to_string()))
        })
    }

    /// Digests and kernels of every schedule, or why the code generator refuses the class here.
    fn compiled(
        &self,
        contraction: Contraction,
        tier: Tier,
        proof: Proof,
        schedules: &[Schedule],
    ) -> Result<Compiled, Fault> {
        let (mut digests, mut kernels) = (Vec::new(), Vec::new());
        for &schedule in schedules {
            let tap = |row, term| self.tap(row, term);
            let kernel = match DirectKernel::<f64>::compile(
                &self.shape,
                contraction,
                schedule,
                &Maker::new(tier, proof),
                tap,
            ) {
                Ok(kernel) => kernel,
                Err(refusal) => return Ok(Compiled::Refused(refusal)),
            };
            digests.push(self.digest(|window, out| {
                kernel
                    .run(window, out)
                    .map_err(|error| Fault::Internal(error.to_string()))
            })?);
            kernels.push(KernelRow {
                tier: tier.to_string(),
                kernel: kernel.code().name().to_owned(),
                level: proof.level().to_string(),
                compile_ns: kernel.code().compile_ns(),
                code_sha256: kernel.code().facts().map(|facts| hex(&facts.sha256)),
            });
        }
        Ok(Compiled::Ran(digests, kernels))
    }

    /// Digest of the outputs of all windows.
    fn digest(
        &self,
        mut run: impl FnMut(&[f64], &mut [f64]) -> Result<(), Fault>,
    ) -> Result<String, Fault> {
        let nq = self.shape.nq;
        let mut out = vec![0.0; nq * self.windows.len()];
        for (window, out) in self.windows.iter().zip(out.chunks_exact_mut(nq)) {
            run(window, out)?;
        }
        Ok(sha256_hex(&out))
    }
}

fn merged(mut digests: Vec<String>) -> Digest {
    if digests.windows(2).all(|pair| pair[0] == pair[1]) {
        return Digest::Sha256(digests.pop().unwrap_or_default());
    }
    Digest::Differs(digests)
}
