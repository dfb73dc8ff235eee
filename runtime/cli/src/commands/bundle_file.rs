//! Bundles as files: reading, writing, telling what is in them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tdse_bundle::Bundle;

use super::run::hex;
use crate::fault::Fault;
use crate::publish::publish;

/// Reads a bundle.
pub(crate) fn open_bundle(path: &Path) -> Result<Arc<Bundle>, Fault> {
    match Bundle::read(path) {
        Ok(bundle) => Ok(Arc::new(bundle)),
        Err(error) => Err(Fault::Bundle {
            path: path.to_owned(),
            error,
        }),
    }
}

/// Writes a bundle and says how many bytes it takes.
pub(super) fn write_bundle(bundle: &Bundle, path: &Path) -> Result<usize, Fault> {
    let bytes = bundle.encode().map_err(|error| Fault::Bundle {
        path: path.to_owned(),
        error,
    })?;
    publish(path, &bytes)?;
    Ok(bytes.len())
}

/// The routes of a bundle, for reports.
pub(super) fn route_rows(bundle: &Bundle) -> Value {
    let rows = bundle.routes.iter().map(|route| {
        json!({
            "route": route.route,
            "plan": route.plan,
            "tier": route.tier,
            "schedule": route.schedule,
            "levels_tier": route.levels_tier,
            "numeric_class": route.numeric_class,
            "kernels": route.kernels.len(),
        })
    });
    rows.collect()
}

/// The kernels of a bundle, for reports.
pub(super) fn kernel_rows(bundle: &Bundle) -> Value {
    let rows = bundle.entries.iter().map(|entry| {
        json!({
            "kernel": entry.key.kernel,
            "kir_sha256": hex(&entry.key.kir_sha256),
            "generator": entry.key.generator,
            "level": entry.key.level.to_string(),
            "class": entry.class,
            "bytes": entry.code.bytes.len(),
            "entry": entry.code.entry,
            "code_sha256": hex(&entry.code.sha256()),
        })
    });
    rows.collect()
}
