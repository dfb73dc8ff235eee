//! The backend: one kernel in, one image out.

use inkwell::context::Context;
use inkwell::targets::FileType;
use tdse_backend::{Backend, CodeImage, Lowered, Refusal};
use tdse_isa::{Level, Preference};
use tdse_kir::Verified;

use crate::{admission, flatten, lowering, target};

/// Name of this backend in refusals and reports.
pub(crate) const NAME: &str = "llvm";

/// Version of what this crate writes: raised whenever the code made of a kernel may change.
const LOWERING: u32 = 1;

/// The LLVM backend.
#[derive(Debug, Clone, Copy)]
pub struct Llvm {
    width: Preference,
    listing: bool,
}

impl Llvm {
    /// The backend as it is used: vectors of at most 256 bits, no listings.
    ///
    /// Wider ones gain little where memory is the limit, lower the clock of older processors, and let fewer rows share the registers.
    pub const fn new() -> Self {
        Llvm::with_width(Preference::Bits256)
    }

    /// A backend that uses registers of another width, where the level has them.
    pub const fn with_width(width: Preference) -> Self {
        Llvm {
            width,
            listing: false,
        }
    }

    /// The same backend, whose images carry the assembly text, for golden files and inspection.
    /// The code is the same; compiling takes twice as long.
    #[must_use]
    pub const fn with_listing(self) -> Self {
        Llvm {
            listing: true,
            ..self
        }
    }

    /// Width in bytes of the vector registers that the backend uses at a level.
    pub const fn register_bytes(&self, level: Level) -> usize {
        target::register_bytes(level, self.width)
    }

    /// Lowers to an image; what [`Backend::lower`] wraps.
    pub fn compile(&self, kernel: &Verified, level: Level) -> Result<CodeImage, Refusal> {
        admission::admit(kernel, level, self.width)?;
        let failed = |message: String| Refusal::Generator {
            backend: NAME,
            kernel: kernel.name.clone(),
            message,
        };
        // LLVM changes a module while it emits it, so each output has a module of its own.
        let emit = |kind: FileType| {
            let context = Context::create();
            let module = lowering::module(kernel, &context, level, self.width);
            let module = module.map_err(|e| failed(e.0))?;
            target::with_machine(level, |machine| {
                let bytes = machine.write_to_memory_buffer(&module, kind);
                bytes.map_err(|e| e.to_string())
            })
            .map_err(failed)
        };
        let listing = if self.listing {
            let text = emit(FileType::Assembly)?;
            Some(String::from_utf8_lossy(text.as_slice()).into_owned())
        } else {
            None
        };
        let object = emit(FileType::Object)?;
        let code = flatten::flatten(object.as_slice()).map_err(|e| failed(e.to_string()))?;
        Ok(CodeImage {
            kernel: kernel.name.clone(),
            level,
            bytes: code.bytes,
            entry: code.entry,
            listing,
        })
    }
}

impl Default for Llvm {
    fn default() -> Self {
        Llvm::new()
    }
}

impl Backend for Llvm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> String {
        let (major, minor, patch) = inkwell::support::get_llvm_version();
        let width = self.width;
        format!("{NAME} {major}.{minor}.{patch} lowering {LOWERING} {width}")
    }

    fn lower(&self, kernel: &Verified, level: Level) -> Result<Lowered, Refusal> {
        self.compile(kernel, level).map(Lowered::Machine)
    }
}
