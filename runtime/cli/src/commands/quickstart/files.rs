//! The report folder: its files and their names.

use std::path::{Path, PathBuf};

use tdse_pack::Pack;
use tdse_pack::touchstone::write_s;

use crate::example_line::{CoupledLine, PORT_NAMES};
use crate::fault::Fault;
use crate::publish::publish;
use crate::report::{Figure, Story};

/// The example as a Touchstone file.
pub(super) const TOUCHSTONE_FILE: &str = "coupled_pair.s4p";

/// The example as a pack.
pub(super) const PACK_FILE: &str = "coupled_pair.tdse";

const PAGE_FILE: &str = "index.html";
const DATA_FILE: &str = "report.json";

/// The report folder.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder at a path.
    pub(super) fn new(path: &Path) -> Self {
        Folder(path.to_owned())
    }

    /// A file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Computes the line's sweep and writes it.
    pub(super) fn write_touchstone(&self, line: &CoupledLine) -> Result<(), Fault> {
        let path = self.path(TOUCHSTONE_FILE);
        let sweep = line.sweep();
        let ports = PORT_NAMES
            .iter()
            .enumerate()
            .map(|(n, name)| format!("port {}: {name}", n + 1));
        let comments: Vec<String> = std::iter::once(format!(
            "coupled microstrip pair, {} mm, computed from its per-unit-length matrices by tdse quickstart",
            line.length_m * 1e3
        ))
        .chain(ports)
        .collect();
        let comments: Vec<&str> = comments.iter().map(String::as_str).collect();
        let text = write_s(
            &sweep.frequencies,
            sweep.ports,
            &sweep.data,
            line.reference_ohm,
            &comments,
        )
        .map_err(|error| Fault::Pack {
            path: path.clone(),
            error,
        })?;
        publish(&path, text.as_bytes())
    }

    /// Writes the pack.
    pub(super) fn write_pack(&self, pack: &Pack) -> Result<(), Fault> {
        let path = self.path(PACK_FILE);
        let bytes = pack.to_bytes().map_err(|error| Fault::Pack {
            path: path.clone(),
            error,
        })?;
        publish(&path, &bytes)
    }

    /// Lists the files in the story, then writes figures, data and, last, the page.
    pub(super) fn write_report(
        &self,
        story: &mut Story,
        figures: &[Figure; 4],
        page: fn(&Story, &[Figure; 4]) -> String,
    ) -> Result<(), Fault> {
        story.files = [PAGE_FILE, DATA_FILE, PACK_FILE, TOUCHSTONE_FILE]
            .into_iter()
            .chain(figures.iter().map(|figure| figure.file))
            .map(str::to_owned)
            .collect();
        for figure in figures {
            publish(&self.path(figure.file), figure.svg.as_bytes())?;
        }
        let data = serde_json::to_string_pretty(story)
            .map_err(|error| Fault::Internal(error.to_string()))?;
        publish(&self.path(DATA_FILE), (data + "\n").as_bytes())?;
        publish(&self.path(PAGE_FILE), page(story, figures).as_bytes())
    }
}
