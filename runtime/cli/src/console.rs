//! What a person sees: text on stdout, progress and errors on stderr.
//!
//! Text is silent under `--quiet` and whenever stdout carries the JSON envelope. Progress shows
//! only when stderr is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Prints a line on stderr. A closed stderr ends the talk, not the program.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Where a command speaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    /// Whether text goes to stdout.
    text: bool,
    /// Whether progress goes to stderr.
    progress: bool,
}

impl Console {
    /// A console for these choices.
    pub(crate) fn new(quiet: bool, stdout_is_json: bool) -> Self {
        Console {
            text: !quiet && !stdout_is_json,
            progress: !quiet && std::io::stderr().is_terminal(),
        }
    }

    /// Prints text and a line end. A closed stdout ends the talk, not the work.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if self.text {
            let _ = writeln!(std::io::stdout().lock(), "{}", text.as_ref());
        }
    }

    /// A count of things whose number is not known beforehand, each with its name.
    pub(crate) fn counter(&self, label: &str) -> Counter {
        if !self.progress {
            return Counter(ProgressBar::hidden());
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {pos} {elapsed} {msg}")
        {
            bar.set_style(style);
        }
        bar.set_prefix(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Counter(bar)
    }

    /// A bar over a share from 0 to 1.
    pub(crate) fn bar(&self, label: &str) -> Progress {
        if !self.progress {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(SCALE);
        if let Ok(style) =
            ProgressStyle::with_template("{msg:28} [{bar:32}] {percent:>3}% {elapsed}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }
}

/// A running count; cleared when dropped.
#[derive(Debug)]
pub(crate) struct Counter(ProgressBar);

impl Counter {
    /// Counts one more thing each time it is called.
    pub(crate) fn listener(&self) -> Arc<dyn Fn(&str) + Send + Sync> {
        let bar = self.0.clone();
        Arc::new(move |name| {
            bar.inc(1);
            bar.set_message(name.to_owned());
        })
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

const SCALE: u64 = 1000;

/// A progress bar; cleared when dropped.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Moves to `share` of the whole, 0 to 1.
    pub(crate) fn at(&self, share: f64) {
        // A float cast saturates and sends NaN to 0, so any share is safe.
        self.0
            .set_position(((share * SCALE as f64) as u64).min(SCALE));
    }

    /// Takes the bar off the terminal while `talk` prints.
    pub(crate) fn aside<T>(&self, talk: impl FnOnce() -> T) -> T {
        self.0.suspend(talk)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
