//! Who takes part: from names to peers that can be stepped, and the others with their reasons.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use realfft::FftNum;
use tdse_blas::{Blas, BlasElement, BlasOptions, Form, PATH_VARIABLE, Provider};
use tdse_compiler::Real;
use tdse_kir::Elem;

use super::blocked_gemm::{BlockTaps, BlockedGemm};
use super::direct_gemv::DirectGemv;
use super::fft_convolver::{Engine, FftConvolver};
use super::model::{ModelChoice, ModelPeer};
use super::quickest::quickest;
use super::zita::Zita;
use crate::tap_columns::TapMatrix;
use crate::{Label, Peer, PeerRefusal, Skipped, Workload};

/// The library that Debian and its relatives install.
const SYSTEM_OPENBLAS: &str = "libopenblas.so.0";

/// Blocks that are tried for the product of matrices.
const GEMM_BLOCKS: [usize; 2] = [16, 32];

/// Blocks that are tried for fft-convolver.
const FFT_BLOCKS: [usize; 6] = [8, 16, 32, 64, 128, 256];

/// Somebody else's way to evaluate a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rival {
    /// One gemv a step, the better of forms N and T.
    BlasGemv,
    /// Temporal blocking through gemm, the best of the block sizes.
    BlasGemm,
    /// The crate fft-convolver, both engines.
    FftConvolver,
    /// zita-convolver.
    Zita,
}

impl Rival {
    /// All of them.
    pub const ALL: [Rival; 4] = [
        Rival::BlasGemv,
        Rival::BlasGemm,
        Rival::FftConvolver,
        Rival::Zita,
    ];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Rival::BlasGemv => "blas_gemv",
            Rival::BlasGemm => "blas_gemm",
            Rival::FftConvolver => "fft_convolver",
            Rival::Zita => "zita",
        }
    }
}

impl fmt::Display for Rival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rival {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name);
        let found = Self::ALL.into_iter().find(|rival| rival.name() == text);
        found.ok_or_else(|| format!("'{text}' is no peer; known are {}", names.join(", ")))
    }
}

/// Who should take part.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Models of this project.
    pub models: Vec<ModelChoice>,
    /// Others.
    pub rivals: Vec<Rival>,
    /// Thread counts of those that have a choice.
    pub threads: Vec<u32>,
    /// BLAS libraries besides the system's OpenBLAS and the one named by `TDSE_BLAS_PATH`.
    pub blas: Vec<PathBuf>,
}

/// Who can take part, and who cannot.
#[derive(Default)]
pub struct Lineup {
    /// In the order of the table.
    pub peers: Vec<Box<dyn Peer>>,
    /// Why the others are missing.
    pub skipped: Vec<Skipped>,
}

/// Sets every peer up. Rivals that have several forms are tried for a moment.
pub fn lineup(work: &Workload, choice: &Choice) -> Lineup {
    match work.elem {
        Elem::F64 => typed::<f64>(work, choice),
        _ => typed::<f32>(work, choice),
    }
}

fn typed<T: Real + BlasElement + FftNum>(work: &Workload, choice: &Choice) -> Lineup {
    let mut lineup = Lineup::default();
    let dtype = work.elem.name();
    for model in &choice.models {
        let name = match model.tier {
            None => model.route.to_string(),
            Some(tier) => format!("{} on {tier}", model.route),
        };
        let peer = ModelPeer::new(&work.pack, work.elem, model);
        lineup.add(&name, dtype, peer.map(boxed));
    }
    let wants = |rival| choice.rivals.contains(&rival);
    if wants(Rival::BlasGemv) || wants(Rival::BlasGemm) {
        lineup.add_blas::<T>(work, choice);
    }
    if wants(Rival::FftConvolver) {
        let engines = [
            ("fft_convolver", Engine::Uniform),
            ("fft_convolver_two_stage", Engine::TwoStage),
        ];
        for (name, engine) in engines {
            lineup.add(name, dtype, best_convolver::<T>(work, engine));
        }
    }
    if wants(Rival::Zita) {
        for &threads in &choice.threads {
            let name = match threads {
                1 => "zita_convolver",
                _ => "zita_convolver with threads",
            };
            lineup.add(name, dtype, Zita::new(work, threads > 1).map(boxed));
        }
    }
    lineup
}

impl Lineup {
    fn add(&mut self, name: &str, dtype: &str, peer: Result<Box<dyn Peer>, PeerRefusal>) {
        match peer {
            Ok(peer) => self.peers.push(peer),
            Err(refusal) => self.skipped.push(Skipped::new(name, dtype, &refusal)),
        }
    }

    fn add_blas<T: Real + BlasElement + FftNum>(&mut self, work: &Workload, choice: &Choice) {
        let dtype = work.elem.name();
        let (libraries, missing) = libraries(&choice.blas);
        for (library, refusal) in missing {
            self.skipped.push(Skipped::new(&library, dtype, &refusal));
        }
        if libraries.is_empty() {
            return;
        }
        let rows = TapMatrix::<T>::new(&work.pack, Form::N);
        let columns = TapMatrix::<T>::new(&work.pack, Form::T);
        for blas in &libraries {
            for &threads in &choice.threads {
                let name = |product| {
                    let label = blas_label(blas, product, threads);
                    let version = label.version.unwrap_or_default();
                    format!("{} {version}, threads {threads}", label.route)
                };
                if choice.rivals.contains(&Rival::BlasGemv) {
                    let form = |taps| boxed(DirectGemv::new(work, blas, threads, taps));
                    let best = quickest(work, vec![form(&rows), form(&columns)]);
                    self.add(&name("gemv"), dtype, best);
                }
                if choice.rivals.contains(&Rival::BlasGemm) {
                    let best = best_gemm(work, blas, threads, [&rows, &columns]);
                    self.add(&name("gemm_blocked"), dtype, best);
                }
            }
        }
    }
}

fn boxed(peer: impl Peer + 'static) -> Box<dyn Peer> {
    Box::new(peer)
}

fn best_gemm<T: Real + BlasElement>(
    work: &Workload,
    blas: &Arc<Blas>,
    threads: u32,
    taps: [&TapMatrix<T>; 2],
) -> Result<Box<dyn Peer>, PeerRefusal> {
    let [far, _] = taps;
    let mut forms = Vec::new();
    let mut refusal = None;
    for block in GEMM_BLOCKS {
        for head in taps {
            let taps = BlockTaps { far, head };
            match BlockedGemm::new(work, blas, threads, block, &taps) {
                Ok(form) => forms.push(boxed(form)),
                Err(refused) => refusal = refusal.or(Some(refused)),
            }
        }
    }
    match refusal {
        Some(refused) if forms.is_empty() => Err(refused),
        _ => quickest(work, forms),
    }
}

fn best_convolver<T: Real + FftNum>(
    work: &Workload,
    engine: Engine,
) -> Result<Box<dyn Peer>, PeerRefusal> {
    let mut forms = Vec::new();
    for block in FFT_BLOCKS {
        // The smallest block in any case; others as far as the response has use of them.
        if forms.is_empty() || 2 * block <= work.nh() {
            forms.push(boxed(FftConvolver::<T>::new(work, engine, block)?));
        }
    }
    quickest(work, forms)
}

/// What a row of a BLAS says about itself.
pub(super) fn blas_label(blas: &Blas, product: &str, threads: u32) -> Label {
    let info = blas.info();
    let provider = match info.provider {
        Provider::OpenBlas => "openblas",
        Provider::Mkl => "mkl",
        Provider::Blis => "blis",
        Provider::Other => "blas",
    };
    Label {
        route: format!("{provider}_{product}"),
        peer: true,
        backend: provider.into(),
        version: Some(format!("{} {}", info.version, info.core)),
        threads,
        plan: None,
        note: Some(info.path.display().to_string()),
    }
}

type Missing = (String, PeerRefusal);

/// The system's OpenBLAS, or any other BLAS it has; then those that were named.
fn libraries(named: &[PathBuf]) -> (Vec<Arc<Blas>>, Vec<Missing>) {
    let mut found: Vec<Arc<Blas>> = Vec::new();
    let mut missing = Vec::new();
    let variable = std::env::var_os(PATH_VARIABLE).filter(|path| !path.is_empty());
    let mut paths = vec![PathBuf::from(SYSTEM_OPENBLAS)];
    paths.extend(named.iter().cloned().chain(variable.map(PathBuf::from)));
    for path in paths {
        let name = path.display().to_string();
        let system = name == SYSTEM_OPENBLAS;
        let opened = Blas::open(&BlasOptions { path: Some(path) });
        let opened = opened.or_else(|refusal| match system {
            true => Blas::open(&BlasOptions::default()),
            false => Err(refusal),
        });
        match opened {
            Ok(blas) => {
                let known = found.iter().any(|b| b.info().path == blas.info().path);
                found.extend((!known).then_some(blas));
            }
            Err(refusal) => missing.push((name, refusal.into())),
        }
    }
    (found, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_peers_parse_as_they_print() {
        for rival in Rival::ALL {
            assert_eq!(rival.to_string().parse(), Ok(rival));
        }
        assert!(
            "fftw"
                .parse::<Rival>()
                .is_err_and(|e| e.contains("blas_gemv"))
        );
    }
}
