//! Names of generated kernels for profilers: written when somebody has asked for it, never by itself.

use std::sync::atomic::{AtomicBool, Ordering};

use tdse_bundle::{LoadedCode, Loader};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on names the code of every kernel that is loaded in the file that `perf` reads on Linux.
pub fn name_kernels_for_profilers() {
    ASKED.store(true, Ordering::Relaxed);
}

/// Names code that was just loaded, if that was asked for. A file that cannot be written costs the profiler its
/// names and nobody anything else.
pub fn name_kernels(loader: &Loader, codes: &[&LoadedCode]) {
    if ASKED.load(Ordering::Relaxed) {
        let _ = loader.map_names(codes);
    }
}
