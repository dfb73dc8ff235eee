//! Where things stand: the project's root, its tracked files, the shared test data beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The project's root folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A path in the shared test data, or `None` after printing a SKIP line when it is absent.
pub fn shared(path: &str) -> Option<PathBuf> {
    let wanted = root().join("../shared").join(path);
    if wanted.exists() {
        return Some(wanted);
    }
    println!("SKIP ../shared/{path} is not there");
    None
}

/// The tracked files that exist, relative to the root with `/` between folders; `None` after a
/// SKIP line where this is not a git checkout.
pub fn tracked_files() -> Option<Vec<String>> {
    let listing = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output();
    let Some(listing) = listing.ok().filter(|l| l.status.success()) else {
        println!("SKIP tracked files: git does not list them here");
        return None;
    };
    let names = String::from_utf8_lossy(&listing.stdout).into_owned();
    let present = |name: &&str| !name.is_empty() && root().join(name).is_file();
    Some(
        names
            .split('\0')
            .filter(present)
            .map(str::to_owned)
            .collect(),
    )
}
