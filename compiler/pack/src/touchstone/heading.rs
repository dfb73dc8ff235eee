//! What both versions share: the option line, remarks on comments, and the raw result.

use super::matrix::Layout;
use super::mixed_mode::Mode;
use super::noise::NoisePoint;
use super::option_line::{self, Options};
use super::record::Records;
use super::text::Line;
use super::{TouchstoneFault, Version};
use crate::PackError;
use num_complex::Complex;

/// A text read row by row, its numbers not yet matrices.
pub(super) struct Raw {
    pub(super) version: Version,
    pub(super) ports: usize,
    pub(super) options: Options,
    pub(super) reference: Vec<Complex<f64>>,
    pub(super) layout: Layout,
    pub(super) records: Records,
    pub(super) noise: Vec<NoisePoint>,
    pub(super) mixed_mode: Option<Vec<Mode>>,
    pub(super) notes: Vec<String>,
}

/// The heading as far as it has been read.
#[derive(Default)]
pub(super) struct Heading {
    pub(super) options: Option<Options>,
    pub(super) notes: Vec<String>,
    ignored_option_lines: Vec<usize>,
    impedance_comments: usize,
}

impl Heading {
    /// Takes the first option line; later ones are counted and ignored, as the format demands.
    pub(super) fn read_option_line(&mut self, line: &Line<'_>) -> Result<(), PackError> {
        if self.options.is_some() {
            self.ignored_option_lines.push(line.number);
            return Ok(());
        }
        let options = option_line::parse(line)?;
        if !options.defaults.is_empty() {
            self.notes.push(format!(
                "the option line leaves the default for {}",
                options.defaults.join(", ")
            ));
        }
        if options.reference.iter().any(|r| r.im != 0.0) {
            self.notes
                .push("the reference is complex, an extension of the format".to_string());
        }
        self.options = Some(options);
        Ok(())
    }

    /// Hertz per unit, wanted by a data row.
    pub(super) fn unit(&self, line: &Line<'_>) -> Result<f64, PackError> {
        match &self.options {
            Some(options) => Ok(options.unit),
            None => Err(line.start().fault(TouchstoneFault::MissingOptionLine)),
        }
    }

    /// Counts comments that look like per-frequency port impedances. They are never used: glued
    /// and wrapped numbers in comments have led other readers to references of 0 ohm.
    pub(super) fn read_comment(&mut self, line: &Line<'_>) {
        let text = line.comment.trim_ascii_start();
        let mark = b"port impedance";
        if text
            .get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
        {
            self.impedance_comments += 1;
        }
    }

    /// Adds the notes that only the whole text can tell.
    pub(super) fn finish(mut self) -> Self {
        if !self.ignored_option_lines.is_empty() {
            let lines: Vec<String> = self
                .ignored_option_lines
                .iter()
                .take(8)
                .map(usize::to_string)
                .collect();
            self.notes.push(format!(
                "{} later option line(s) ignored, the first one holds (line {})",
                self.ignored_option_lines.len(),
                lines.join(", ")
            ));
        }
        if self.impedance_comments > 0 {
            self.notes.push(format!(
                "{} comment(s) tell port impedances; comments are not read, the reference is that of the heading",
                self.impedance_comments
            ));
        }
        self
    }
}
