//! Where code may come from besides a code generator, and who is told of what it made.
//!
//! ```text
//! Shelf       a route of a bundle, mapped: its code or a refusal
//! KeptCode    a cache on disk: its code, or nothing and perhaps a doubt
//! Recorder    nothing, and a list of what was made
//! ```
//!
//! A source is asked by the full key of a kernel. Only the sources of this crate exist (the trait is sealed): what they supply is
//! run as machine code, so each compares name, text digest, level and generator before it answers.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tdse_backend::CodeImage;
use tdse_bundle::{
    Bundle, BundleEntry, BundleRoute, CacheMiss, CodeCache, CodeKey, LoadRefusal, LoadedCode,
    Loader,
};
use tdse_isa::Proof;

use crate::profiling::name_kernels;

/// Where code may come from.
pub trait CodeSource: sealed::Sealed + Send + Sync + fmt::Debug {
    /// What there is for a key.
    fn supply(&self, key: &CodeKey) -> Supply;

    /// Code that was just made under a key, for a kernel of a numeric class.
    fn made(&self, key: &CodeKey, class: &str, code: &CodeImage);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Shelf {}
    impl Sealed for super::KeptCode {}
    impl Sealed for super::Recorder {}
}

/// What a [`CodeSource`] has.
pub enum Supply {
    /// Code that is mapped already.
    Loaded(Arc<LoadedCode>, CodeFacts),
    /// Code to be mapped.
    Bytes(CodeImage),
    /// Nothing: make it.
    Nothing,
    /// Nothing, and none may be made: why.
    Refused(String),
}

/// What is known of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFacts {
    /// Its SHA-256.
    pub sha256: [u8; 32],
    /// Its length in bytes.
    pub bytes: usize,
}

impl CodeFacts {
    /// Those of an image.
    pub fn of(image: &CodeImage) -> Self {
        CodeFacts {
            sha256: image.sha256(),
            bytes: image.bytes.len(),
        }
    }
}

/// The code of one route of a bundle, mapped.
///
/// A bundle is trusted like a shared library: its digests keep accidents out, not people.
#[derive(Debug)]
pub struct Shelf {
    pieces: Vec<(CodeKey, Arc<LoadedCode>, CodeFacts)>,
}

impl Shelf {
    /// Maps all code of a route. The proof is one for the bundle's level.
    pub fn load(
        bundle: &Bundle,
        route: &BundleRoute,
        loader: &Loader,
        proof: Proof,
    ) -> Result<Shelf, LoadRefusal> {
        let entries = route.kernels.iter().filter_map(|&i| bundle.entries.get(i));
        // Code that does not say that it is its key's is not put on the shelf, and so never found.
        let own = |e: &&BundleEntry| e.code.kernel == e.key.kernel && e.code.level == e.key.level;
        let entries: Vec<_> = entries.filter(own).collect();
        let images: Vec<&CodeImage> = entries.iter().map(|entry| &entry.code).collect();
        let loaded = loader.load_all(&images, proof)?;
        name_kernels(loader, &loaded.iter().collect::<Vec<_>>());
        let pieces = entries.iter().zip(loaded).map(|(entry, code)| {
            let facts = CodeFacts::of(&entry.code);
            (entry.key.clone(), Arc::new(code), facts)
        });
        Ok(Shelf {
            pieces: pieces.collect(),
        })
    }
}

impl CodeSource for Shelf {
    /// Code for the same kernel by the same code generator, of whatever version: a bundle outlives its compiler.
    fn supply(&self, key: &CodeKey) -> Supply {
        let mut difference = None;
        for (own, code, facts) in self
            .pieces
            .iter()
            .filter(|(own, ..)| own.kernel == key.kernel)
        {
            let mut wanted = key.clone();
            if first_word(&own.generator) == first_word(&key.generator) {
                wanted.generator.clone_from(&own.generator);
            }
            match own.difference(&wanted) {
                None => return Supply::Loaded(Arc::clone(code), *facts),
                some => difference = some,
            }
        }
        Supply::Refused(match difference {
            Some(difference) => format!("the bundle's differs: {difference}"),
            None => "the bundle has none of this name".into(),
        })
    }

    fn made(&self, _key: &CodeKey, _class: &str, _code: &CodeImage) {}
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

/// A cache on disk, and what was doubtful about it.
#[derive(Debug)]
pub struct KeptCode {
    cache: CodeCache,
    doubts: Mutex<Vec<String>>,
}

impl KeptCode {
    /// Nothing doubtful yet.
    pub fn new(cache: CodeCache) -> Self {
        KeptCode {
            cache,
            doubts: Mutex::default(),
        }
    }

    /// What was doubtful, each once, in the order in which it was met.
    pub fn doubts(&self) -> Vec<String> {
        let doubts = self.doubts.lock();
        doubts.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn doubt(&self, miss: &CacheMiss) {
        let text = miss.to_string();
        let doubts = self.doubts.lock();
        let mut doubts = doubts.unwrap_or_else(PoisonError::into_inner);
        if *miss != CacheMiss::Absent && !doubts.contains(&text) {
            doubts.push(text);
        }
    }
}

impl CodeSource for KeptCode {
    fn supply(&self, key: &CodeKey) -> Supply {
        match self.cache.get(key) {
            Ok(image) => Supply::Bytes(image),
            Err(miss) => {
                self.doubt(&miss);
                Supply::Nothing
            }
        }
    }

    fn made(&self, key: &CodeKey, class: &str, code: &CodeImage) {
        if let Err(miss) = self.cache.put(key, class, code) {
            self.doubt(&miss);
        }
    }
}

/// Hears the name of each kernel that is compiled.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// Keeps what is made.
pub struct Recorder {
    made: Mutex<Vec<BundleEntry>>,
    listener: Listener,
}

impl Recorder {
    /// Nothing made yet.
    pub fn new(listener: Listener) -> Self {
        Recorder {
            made: Mutex::default(),
            listener,
        }
    }

    /// What was made, in that order; a kernel that was made twice stands there twice.
    pub fn made(&self) -> Vec<BundleEntry> {
        let made = self.made.lock();
        made.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("made", &self.made)
            .finish_non_exhaustive()
    }
}

impl CodeSource for Recorder {
    fn supply(&self, _key: &CodeKey) -> Supply {
        Supply::Nothing
    }

    fn made(&self, key: &CodeKey, class: &str, code: &CodeImage) {
        (self.listener)(&key.kernel);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push(BundleEntry {
            key: key.clone(),
            class: class.into(),
            code: CodeImage {
                listing: None,
                ..code.clone()
            },
        });
    }
}
