//! The report of `tdse quickstart`: a folder with one page, its figures, and the data behind them.
//!
//! ```text
//! Story (everything measured) --figures--> *.svg --page--> index.html (figures inlined)
//!                             \--serde---> report.json
//! ```
//!
//! The page loads nothing: no script, font, or picture from elsewhere. Figures take their colours
//! from style variables, so they follow the reader's light or dark setting, inlined or alone. That
//! is why they are written here: the plot library at hand fixes colours in each element and knows
//! no style sheet (and this module is smaller than what it would add to the build).

mod bar_chart;
mod figures;
mod line_chart;
mod number;
mod page;
mod story;
mod svg;
mod table;

pub(crate) use figures::{Figure, figures};
pub(crate) use number::{hertz, nanoseconds, seconds, significant};
pub(crate) use page::page;
pub(crate) use story::{BitRow, Digest, KernelRow, Machine, Story, TimeRow, Timing};
