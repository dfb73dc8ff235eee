//! Opening a library, and its functions with their types: one of the two files with `unsafe`.
//!
//! Invariant: every function pointer here was looked up in the handle that stands beside it, under
//! a name whose C declaration is the pointer's type, so it is valid as long as the [`Library`].

use std::error::Error;
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;

use libloading::os::unix::{self, RTLD_LOCAL, RTLD_NOW};

use crate::info::Provider;
use crate::naming::Naming;
use crate::refusal::BlasRefusal;

/// `cblas_?gemv`: order, transpose, m, n, alpha, a, lda, x, incx, beta, y, incy.
pub(crate) type Gemv<I, T> =
    unsafe extern "C" fn(c_int, c_int, I, I, T, *const T, I, *const T, I, T, *mut T, I);

/// `cblas_?gemm`: order, transposes, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc.
pub(crate) type Gemm<I, T> =
    unsafe extern "C" fn(c_int, c_int, c_int, I, I, I, T, *const T, I, *const T, I, T, *mut T, I);

/// The products of one element type.
#[derive(Clone, Copy)]
pub struct Products<I, T> {
    pub(crate) gemv: Gemv<I, T>,
    pub(crate) gemm: Gemm<I, T>,
}

/// The products of both element types, for one width of integers.
#[derive(Clone, Copy)]
pub struct Table<I> {
    pub(crate) double: Products<I, f64>,
    pub(crate) single: Products<I, f32>,
}

/// The products with the library's width of integers.
#[derive(Clone, Copy)]
pub(crate) enum Interface {
    /// 32 bits.
    Narrow(Table<i32>),
    /// 64 bits.
    Wide(Table<i64>),
}

/// How the number of threads is read and set.
#[derive(Clone, Copy)]
enum ThreadControl {
    OpenBlas {
        get: unsafe extern "C" fn() -> c_int,
        set: unsafe extern "C" fn(c_int),
    },
    /// A thread's own number goes before the process's.
    Mkl {
        get: unsafe extern "C" fn() -> c_int,
        set: unsafe extern "C" fn(c_int),
        set_local: unsafe extern "C" fn(c_int) -> c_int,
    },
    Blis {
        get: unsafe extern "C" fn() -> i64,
        set: unsafe extern "C" fn(i64),
    },
}

/// An open library with the functions that are used.
pub(crate) struct Library {
    pub(crate) interface: Interface,
    pub(crate) facts: Facts,
    threads: Option<ThreadControl>,
    // Last, so that the functions go first.
    _handle: unix::Library,
}

/// What the library says about itself.
pub(crate) struct Facts {
    pub(crate) provider: Provider,
    pub(crate) version: Option<String>,
    pub(crate) core: Option<String>,
    pub(crate) config: Option<String>,
}

impl Library {
    /// Opens `name` and looks its functions up. Symbols are bound at once, so that no first call
    /// has to.
    pub(crate) fn open(name: &Path) -> Result<Library, BlasRefusal> {
        let refused = |reason| BlasRefusal::NotLoadable {
            library: name.display().to_string(),
            reason,
        };
        if name.as_os_str().is_empty() {
            // The loader would take it for this program itself.
            return Err(refused("the name is empty".into()));
        }
        // SAFETY: opening runs the library's initialisers. Whoever names a library vouches for it
        // (the crate's documentation says so); the well-known names are the system's own.
        let handle = unsafe { unix::Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) };
        let handle = handle.map_err(|error| refused(words(&error)))?;
        let missing = |symbol| BlasRefusal::MissingSymbol {
            library: name.display().to_string(),
            symbol,
            spellings: Naming::spellings(symbol),
        };
        let spelled = |naming: &&Naming| has(&handle, &naming.symbol("cblas_dgemv"));
        let naming = *Naming::ALL
            .iter()
            .find(spelled)
            .ok_or_else(|| missing("cblas_dgemv"))?;
        let facts = facts(&handle, naming);
        let wide = naming.wide || wide_integers(&handle, &facts);
        let interface = if wide {
            table(&handle, naming).map(Interface::Wide)
        } else {
            table(&handle, naming).map(Interface::Narrow)
        };
        Ok(Library {
            interface: interface.map_err(missing)?,
            threads: thread_control(&handle, naming, facts.provider),
            facts,
            _handle: handle,
        })
    }

    /// Width of the library's integers in bits.
    pub(crate) fn int_bits(&self) -> u32 {
        match self.interface {
            Interface::Narrow(_) => 32,
            Interface::Wide(_) => 64,
        }
    }

    /// An address inside the library: the same for every handle of one loaded file.
    pub(crate) fn address(&self) -> usize {
        match self.interface {
            Interface::Narrow(table) => table.double.gemv as usize,
            Interface::Wide(table) => table.double.gemv as usize,
        }
    }

    /// Threads that a call from this thread would use; `None` when the library does not say.
    #[inline]
    pub(crate) fn threads(&self) -> Option<u32> {
        // SAFETY: no arguments, no conditions; the library is open (the module's invariant).
        let threads = unsafe {
            match self.threads? {
                ThreadControl::OpenBlas { get, .. } | ThreadControl::Mkl { get, .. } => {
                    i64::from(get())
                }
                ThreadControl::Blis { get, .. } => get(),
            }
        };
        // BLIS answers -1 for "never set", and then uses one.
        Some(u32::try_from(threads.max(1)).unwrap_or(u32::MAX))
    }

    /// Asks for `threads`; the library may take fewer, or none when it has no such function.
    pub(crate) fn set_threads(&self, threads: u32) {
        let count = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: a positive count is what each of them takes; the library is open.
        unsafe {
            match self.threads {
                None => {}
                Some(ThreadControl::OpenBlas { set, .. }) => set(count),
                Some(ThreadControl::Blis { set, .. }) => set(i64::from(count)),
                Some(ThreadControl::Mkl {
                    get,
                    set,
                    set_local,
                }) => {
                    set(count);
                    if get() != count {
                        set_local(count);
                    }
                }
            }
        }
    }
}

/// The loader's own words, where it said any.
fn words(error: &libloading::Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), |source| source.to_string())
}

/// # Safety
/// `T` is the type of a function pointer with the C declaration of `symbol`.
unsafe fn function<T: Copy>(handle: &unix::Library, symbol: &str) -> Option<T> {
    // SAFETY: the caller's promise.
    unsafe { handle.get::<T>(symbol).ok().map(|found| *found) }
}

fn has(handle: &unix::Library, symbol: &str) -> bool {
    // SAFETY: a pointer that is never followed may have any type.
    unsafe { function::<*const u8>(handle, symbol) }.is_some()
}

/// The four products, or the name of the one that lacks.
fn table<I: Copy>(handle: &unix::Library, naming: Naming) -> Result<Table<I>, &'static str> {
    Ok(Table {
        double: products(handle, naming, "cblas_dgemv", "cblas_dgemm")?,
        single: products(handle, naming, "cblas_sgemv", "cblas_sgemm")?,
    })
}

fn products<I: Copy, T: Copy>(
    handle: &unix::Library,
    naming: Naming,
    gemv: &'static str,
    gemm: &'static str,
) -> Result<Products<I, T>, &'static str> {
    // SAFETY: the CBLAS interface declares them so, with `I` the library's integer and `T` the
    // element type that the letter names.
    unsafe {
        Ok(Products {
            gemv: function(handle, &naming.symbol(gemv)).ok_or(gemv)?,
            gemm: function(handle, &naming.symbol(gemm)).ok_or(gemm)?,
        })
    }
}

fn facts(handle: &unix::Library, naming: Naming) -> Facts {
    let config = naming.symbol("openblas_get_config");
    if has(handle, &config) {
        let config = text(handle, &config);
        // "OpenBLAS 0.3.21 DYNAMIC_ARCH ... MAX_THREADS=64"
        let version = config.as_deref().and_then(|c| c.split_whitespace().nth(1));
        return Facts {
            provider: Provider::OpenBlas,
            version: version.map(str::to_owned),
            core: text(handle, &naming.symbol("openblas_get_corename")),
            config,
        };
    }
    if has(handle, "MKL_Get_Version_String") {
        let config = mkl_version(handle);
        // "Intel(R) oneAPI Math Kernel Library Version 2024.0-Product Build ..."
        let version = config.as_deref().and_then(|c| c.split_once("Version "));
        let end = |c: char| c == '-' || c.is_whitespace();
        return Facts {
            provider: Provider::Mkl,
            version: version
                .and_then(|v| v.1.split(end).next())
                .map(str::to_owned),
            core: None,
            config,
        };
    }
    if has(handle, "bli_info_get_version_str") {
        return Facts {
            provider: Provider::Blis,
            version: text(handle, "bli_info_get_version_str"),
            core: blis_core(handle),
            config: text(handle, "bli_info_get_int_type_size_str"),
        };
    }
    Facts {
        provider: Provider::Other,
        version: None,
        core: None,
        config: None,
    }
}

/// Whether a library with plain names has 64-bit integers all the same.
fn wide_integers(handle: &unix::Library, facts: &Facts) -> bool {
    match facts.provider {
        Provider::OpenBlas => {
            let config = facts.config.as_deref().unwrap_or_default();
            config.split_whitespace().any(|word| word == "USE64BITINT")
        }
        // The library itself reads this variable at its first call; 32 bits is its default.
        Provider::Mkl => std::env::var("MKL_INTERFACE_LAYER")
            .is_ok_and(|layer| layer.to_ascii_uppercase().split(',').any(|l| l == "ILP64")),
        Provider::Blis => {
            // SAFETY: BLIS declares it so: no arguments, its own 64-bit integer as result.
            let bits = unsafe {
                function::<unsafe extern "C" fn() -> i64>(handle, "bli_info_get_blas_int_type_size")
                    .map(|size| size())
            };
            bits == Some(64)
        }
        Provider::Other => false,
    }
}

fn thread_control(
    handle: &unix::Library,
    naming: Naming,
    provider: Provider,
) -> Option<ThreadControl> {
    // SAFETY: each provider declares its functions so. MKL's names in small letters take pointers
    // and are not used. BLIS counts threads in its own integer, which has 64 bits on the machines
    // of this project whatever its BLAS interface has.
    unsafe {
        match provider {
            Provider::OpenBlas => Some(ThreadControl::OpenBlas {
                get: function(handle, &naming.symbol("openblas_get_num_threads"))?,
                set: function(handle, &naming.symbol("openblas_set_num_threads"))?,
            }),
            Provider::Mkl => Some(ThreadControl::Mkl {
                get: function(handle, "MKL_Get_Max_Threads")?,
                set: function(handle, "MKL_Set_Num_Threads")?,
                set_local: function(handle, "MKL_Set_Num_Threads_Local")?,
            }),
            Provider::Blis => Some(ThreadControl::Blis {
                get: function(handle, "bli_thread_get_num_threads")?,
                set: function(handle, "bli_thread_set_num_threads")?,
            }),
            Provider::Other => None,
        }
    }
}

/// The answer of a function without arguments that returns a string.
fn text(handle: &unix::Library, symbol: &str) -> Option<String> {
    // SAFETY: only functions declared so are asked; the string is the library's and is copied.
    unsafe {
        let answer = function::<unsafe extern "C" fn() -> *const c_char>(handle, symbol)?();
        copied(answer)
    }
}

fn mkl_version(handle: &unix::Library) -> Option<String> {
    let mut buffer = [0 as c_char; 256];
    // SAFETY: MKL declares it so; it writes at most the length given, which is one less than the
    // buffer, whose last byte stays zero.
    unsafe {
        let write =
            function::<unsafe extern "C" fn(*mut c_char, c_int)>(handle, "MKL_Get_Version_String")?;
        write(buffer.as_mut_ptr(), 255);
        copied(buffer.as_ptr())
    }
}

fn blis_core(handle: &unix::Library) -> Option<String> {
    // SAFETY: BLIS declares them so: an enumeration, and its name as a static string.
    unsafe {
        let query = function::<unsafe extern "C" fn() -> c_int>(handle, "bli_arch_query_id")?;
        let name =
            function::<unsafe extern "C" fn(c_int) -> *const c_char>(handle, "bli_arch_string")?;
        copied(name(query()))
    }
}

/// # Safety
/// `string` is null or a string that ends in zero.
unsafe fn copied(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let string = unsafe { CStr::from_ptr(string) };
    Some(string.to_string_lossy().trim().to_owned())
}
