//! From code bytes to a safe call, and where code is kept in between.
//!
//! ```text
//! CodeImage + Proof --Loader--> LoadedCode (EntryPoint) --Executable--> run(&mut [Arg])
//!     ^
//!     +-- CodeKey --> Bundle (one file, compiled ahead)  or  CodeCache (a folder, kept from last time)
//! ```
//!
//! [`Loader`] places code in memory that is never writable and executable at once, or refuses with
//! the reason. [`Executable`] checks count, types, lengths, alignment and index ranges of a call,
//! so that a verified kernel can be run without `unsafe`. [`AlignedBuffer`] is storage that meets
//! the alignment that every template declares. [`Bundle`] and [`CodeCache`] give code back under exactly the
//! [`CodeKey`] it was stored under, or a named reason why it has to be compiled.
//!
//! What is trusted: the bytes of a [`tdse_backend::CodeImage`]. They come from a backend of this
//! build or from a file of code; code is not sandboxed. Digests in such files find damage and mix-ups. They
//! are no signature: whoever can write a bundle can put code into the process that loads it.

mod aligned_buffer;
mod bundle;
mod bundle_error;
mod bundle_header;
mod cache_miss;
mod cached_code;
mod call_error;
mod code_cache;
mod code_file;
mod code_key;
mod digest_text;
mod entry_header;
mod executable;
mod executable_memory;
mod load_refusal;
mod loader;
mod perf_map;
mod regular_file;
mod text_rule;

pub use aligned_buffer::{AlignedBuffer, Element};
pub use bundle::{Bundle, BundleEntry, BundleRoute, MAX_ENTRIES, MAX_ROUTE_KERNELS, MAX_ROUTES};
pub use bundle_error::BundleError;
pub use cache_miss::CacheMiss;
pub use call_error::CallError;
pub use code_cache::CodeCache;
pub use code_key::CodeKey;
pub use executable::{Arg, Executable, MAX_PARAMS};
pub use executable_memory::{LoadedCode, MapMethod};
pub use load_refusal::{LoadRefusal, MapRefusal};
pub use loader::Loader;
