//! Refusals by area, each with a number and a name that never change.
//!
//! The numbers stand once, in the `codes!` block below each enum; `code`, `name` and `ALL` come
//! from that block, so they cannot disagree. `docs/pack-format.md` lists them, and a test compares.
//!
//! `codes!` also numbers the refusals of `touchstone` and `sparams`, which stand there.
//!
//! Areas: 10xx files, 11xx container, 12xx content, 13xx choosing an importer, 2xxx Touchstone,
//! 3xxx S-parameters to taps and health, 4xxx `.npy` and `.npz`, 5xxx `.wav`.

/// Gives a fault enum its stable numbers and names.
macro_rules! codes {
    ($fault:ident { $($variant:ident => $code:literal $name:literal,)* }) => {
        impl $fault {
            /// Every number of this area with its name.
            pub const ALL: &[(u32, &'static str)] = &[$(($code, $name)),*];

            /// The stable number.
            pub fn code(&self) -> u32 {
                match self {
                    $($fault::$variant { .. } => $code,)*
                }
            }

            /// The stable snake_case name.
            pub fn name(&self) -> &'static str {
                match self {
                    $($fault::$variant { .. } => $name,)*
                }
            }
        }
    };
}

mod container;
mod content;
mod file;
mod import;
mod npy;
mod wav;

pub use container::ContainerFault;
pub use content::ContentFault;
pub use file::FileFault;
pub use import::ImportFault;
pub use npy::NpyFault;
pub use wav::WavFault;
