//! The built `tdse` program.
//!
//! Cargo names a package's own programs to its tests, but not those of another package; so the
//! program is built here, once a test process, into the folder this test itself was built into.
//! When it is up to date, which it is under `tests/run`, that costs a fraction of a second. The
//! whole workspace is named so that dependencies have the features they have in the tests, and are
//! not built a second time.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Path of `tdse`, built with the profile of the running test, or what prevented it.
pub fn program() -> Result<PathBuf, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

fn build() -> Result<PathBuf, String> {
    // TARGET/PROFILE/deps/this-test
    let test = std::env::current_exe().map_err(|e| format!("where am I? {e}"))?;
    let profile = test
        .ancestors()
        .nth(2)
        .ok_or("a test outside a target folder")?;
    let target = profile.parent().ok_or("a target folder without a parent")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--quiet",
        "--locked",
        "--workspace",
        "--bin",
        "tdse",
    ]);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let built = cargo
        .arg("--target-dir")
        .arg(target)
        .current_dir(crate::root())
        .output()
        .map_err(|e| format!("cargo does not start: {e}"))?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    Ok(profile.join(format!("tdse{}", std::env::consts::EXE_SUFFIX)))
}
