//! From code bytes to a safe call.
//!
//! ```text
//! CodeImage + Proof --Loader--> LoadedCode (EntryPoint) --Executable--> run(&mut [Arg])
//! ```
//!
//! [`Loader`] places code in memory that is never writable and executable at once, or refuses with
//! the reason. [`Executable`] checks count, types, lengths, alignment and index ranges of a call,
//! so that a verified kernel can be run without `unsafe`. [`AlignedBuffer`] is storage that meets
//! the alignment that every template declares.
//!
//! What is trusted: the bytes of a [`tdse_backend::CodeImage`]. They come from a backend of this
//! build or from a file whose digest was checked before; code is not sandboxed.

mod aligned_buffer;
mod bundle;
mod bundle_error;
mod bundle_header;
mod call_error;
mod code_file;
mod code_key;
mod digest_text;
mod entry_header;
mod executable;
mod executable_memory;
mod load_refusal;
mod loader;
mod regular_file;
mod text_rule;

pub use aligned_buffer::{AlignedBuffer, Element};
pub use bundle::{Bundle, BundleEntry, BundleRoute, MAX_ENTRIES, MAX_ROUTE_KERNELS, MAX_ROUTES};
pub use bundle_error::BundleError;
pub use call_error::CallError;
pub use code_key::CodeKey;
pub use executable::{Arg, Executable, MAX_PARAMS};
pub use executable_memory::{LoadedCode, MapMethod};
pub use load_refusal::{LoadRefusal, MapRefusal};
pub use loader::Loader;
