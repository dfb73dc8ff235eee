//! Calls into `libzita-convolver.so.4`, found when the program runs: the one file here with `unsafe`.
//!
//! The library is C++ with one class, `Convproc`. What is known of it are the facts of its public
//! header, version 4.0: the names and arguments of its functions, and where in the object the fields
//! lie that its inline functions read. An object is memory of ours on which the library's constructor
//! has run.
//!
//! ```text
//! offset      0  state          u32
//!             8  input buffers  64 pointers       the block's samples begin `input offset` floats on
//!           520  output buffers 64 pointers
//!          1032  input offset, output offset, options, skip count, inputs, outputs, quantum   u32 each
//!          1068  levels         u32
//!          1656  end
//! ```
//!
//! Invariants: another version is refused before anything is called; after `configure` the fields for
//! inputs, outputs and quantum are compared with what was asked for, which they would not hold in
//! another layout; buffers are touched only while the object is configured. An exception of the
//! library that crosses into here ends the process; it throws only when memory runs out, and catches
//! that itself.

use std::cell::UnsafeCell;
use std::ffi::{c_float, c_int, c_void};

use libloading::Library;

use crate::PeerRefusal;

const LIBRARY: &str = "libzita-convolver.so.4";

/// Bytes of the object by the header, rounded up generously.
const OBJECT_BYTES: usize = 4096;
const INPUT_BUFFERS: usize = 8;
const OUTPUT_BUFFERS: usize = 520;
const INPUT_OFFSET: usize = 1032;
const OUTPUT_OFFSET: usize = 1036;
const INPUTS: usize = 1048;
const OUTPUTS: usize = 1052;
const QUANTUM: usize = 1056;
const LEVELS: usize = 1068;

/// Values of the field `state`.
const STOPPED: u32 = 1;
const RUNNING: u32 = 3;

/// The system's ordinary scheduling.
const SCHED_OTHER: c_int = 0;

type This = *mut c_void;

/// Sizes of a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) taps: usize,
    pub(super) block: usize,
    pub(super) largest: usize,
}

/// The functions, by the names that compilers of Linux give them.
struct Functions {
    construct: unsafe extern "C" fn(This),
    destroy: unsafe extern "C" fn(This),
    configure: unsafe extern "C" fn(This, u32, u32, u32, u32, u32, u32, c_float) -> c_int,
    load: unsafe extern "C" fn(This, u32, u32, i32, *mut c_float, i32, i32) -> c_int,
    start: unsafe extern "C" fn(This, c_int, c_int) -> c_int,
    process: unsafe extern "C" fn(This, bool) -> c_int,
    stop: unsafe extern "C" fn(This) -> c_int,
    check_stop: unsafe extern "C" fn(This) -> bool,
    cleanup: unsafe extern "C" fn(This) -> c_int,
}

/// An object of the library.
pub(super) struct Convproc {
    functions: Functions,
    object: Box<UnsafeCell<Object>>,
    sizes: Option<Sizes>,
    /// Last, so that the library outlives the object.
    library: Library,
}

/// Memory for the object, at least as aligned as any of its fields.
#[repr(C, align(64))]
struct Object([u8; OBJECT_BYTES]);

impl Convproc {
    /// Loads the library and constructs an object.
    pub(super) fn open() -> Result<Self, PeerRefusal> {
        // SAFETY: loading runs the library's initialisers; it is the system's audio library by its
        // soname, which has none beyond those of C++.
        let library = unsafe { Library::new(LIBRARY) }.map_err(|error| PeerRefusal::Library {
            library: LIBRARY,
            reason: error.to_string(),
            package: "Debian's libzita-convolver4",
        })?;
        let (major, minor) = version(&library)?;
        if (major, minor) != (4, 0) {
            return Err(PeerRefusal::Version {
                library: LIBRARY,
                reason: format!("it is version {major}.{minor}, known is 4.0"),
            });
        }
        if !cfg!(target_pointer_width = "64") {
            return Err(PeerRefusal::Version {
                library: LIBRARY,
                reason: "its object is known for pointers of 64 bits only".into(),
            });
        }
        let functions = functions(&library)?;
        let object = Box::new(UnsafeCell::new(Object([0; OBJECT_BYTES])));
        // SAFETY: the constructor of version 4.0 writes to the object's 1656 bytes and nowhere else;
        // the memory is ours, larger, aligned and does not move.
        unsafe { (functions.construct)(this(&object)) };
        Ok(Convproc {
            functions,
            object,
            sizes: None,
            library,
        })
    }

    /// The library's version.
    pub(super) fn version(&self) -> String {
        version(&self.library).map_or_else(
            |_| "unknown".into(),
            |(major, minor)| format!("{major}.{minor}"),
        )
    }

    /// Allocates buffers and levels.
    pub(super) fn configure(&mut self, sizes: Sizes) -> Result<(), PeerRefusal> {
        let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        // SAFETY: the object is constructed; arguments are numbers, checked by the library.
        let answer = unsafe {
            (self.functions.configure)(
                this(&self.object),
                size(sizes.inputs),
                size(sizes.outputs),
                size(sizes.taps),
                size(sizes.block),
                size(sizes.block),
                size(sizes.largest),
                0.0,
            )
        };
        accepted("configure", answer)?;
        let fields = [
            (INPUTS, sizes.inputs),
            (OUTPUTS, sizes.outputs),
            (QUANTUM, sizes.block),
        ];
        let as_known = fields
            .iter()
            .all(|&(offset, value)| self.field(offset) == size(value));
        if !as_known || self.field(0) != STOPPED {
            return Err(PeerRefusal::Version {
                library: LIBRARY,
                reason: "its object is not laid out as in the header of version 4.0".into(),
            });
        }
        self.sizes = Some(sizes);
        Ok(())
    }

    /// Loads the response from `input` to `output`.
    pub(super) fn load(
        &mut self,
        input: usize,
        output: usize,
        response: &mut [f32],
    ) -> Result<(), PeerRefusal> {
        let known = self.sizes.is_some_and(|sizes| {
            input < sizes.inputs && output < sizes.outputs && response.len() <= sizes.taps
        });
        if !known {
            return accepted("impdata_create", -1);
        }
        // SAFETY: the object is configured for these ports; the library reads `response` from 0 to its
        // length in steps of 1 and keeps no pointer to it.
        let answer = unsafe {
            (self.functions.load)(
                this(&self.object),
                input as u32,
                output as u32,
                1,
                response.as_mut_ptr(),
                0,
                response.len() as i32,
            )
        };
        accepted("impdata_create", answer)
    }

    /// Empties the history and starts the threads, if there are any.
    pub(super) fn start(&mut self) -> Result<(), PeerRefusal> {
        // SAFETY: the object is constructed; the library checks its state.
        let answer = unsafe { (self.functions.start)(this(&self.object), 0, SCHED_OTHER) };
        accepted("start_process", answer)
    }

    /// Stops, and waits until the threads are gone.
    pub(super) fn stop(&mut self) -> Result<(), PeerRefusal> {
        // SAFETY: the object is constructed; the library checks its state.
        let answer = unsafe { (self.functions.stop)(this(&self.object)) };
        accepted("stop_process", answer)?;
        // SAFETY: as above.
        while !unsafe { (self.functions.check_stop)(this(&self.object)) } {
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Partition sizes in use. The first is evaluated by the caller's thread, the others by one each.
    pub(super) fn levels(&self) -> u32 {
        self.field(LEVELS).max(1)
    }

    /// One block: `inputs` as `[block][inputs]`, `outputs` as `[block][outputs]`.
    pub(super) fn process(
        &mut self,
        inputs: &[f32],
        outputs: &mut [f32],
    ) -> Result<(), PeerRefusal> {
        let lengths = self
            .sizes
            .map(|s| (s.block * s.inputs, s.block * s.outputs));
        let sizes = match self.sizes {
            Some(sizes) if lengths == Some((inputs.len(), outputs.len())) => sizes,
            _ => return accepted("process", -1),
        };
        if self.field(0) != RUNNING {
            return accepted("process", -1);
        }
        for port in 0..sizes.inputs {
            let samples = self.buffer(INPUT_BUFFERS, INPUT_OFFSET, port);
            for n in 0..sizes.block {
                // SAFETY: the header's `inpdata` of a configured object points to `quantum` floats that
                // the caller writes before `process`; other threads read them during it only.
                unsafe { samples.add(n).write(inputs[n * sizes.inputs + port]) };
            }
        }
        // SAFETY: the object is configured and runs; `true` waits for every level.
        let flags = unsafe { (self.functions.process)(this(&self.object), true) };
        if flags != 0 {
            return accepted("process", flags);
        }
        for port in 0..sizes.outputs {
            let samples = self.buffer(OUTPUT_BUFFERS, OUTPUT_OFFSET, port);
            for n in 0..sizes.block {
                // SAFETY: the header's `outdata` points to `quantum` floats that hold the result after
                // `process`, until the next call.
                outputs[n * sizes.outputs + port] = unsafe { samples.add(n).read() };
            }
        }
        Ok(())
    }

    /// A number of the object.
    fn field(&self, offset: usize) -> u32 {
        // SAFETY: the offsets above lie within the object and are multiples of 4. It is read as
        // volatile because the library changes it through its own pointer.
        unsafe {
            let place = self.object.get().cast::<u8>().add(offset);
            place.cast::<u32>().read_volatile()
        }
    }

    /// Start of a port's block of samples.
    fn buffer(&self, buffers: usize, offset: usize, port: usize) -> *mut f32 {
        debug_assert!(port < 64);
        let from = self.field(offset) as usize;
        // SAFETY: `port` is below 64, so the pointer is a field of the object, a multiple of 8; the
        // library keeps `offset` such that a block of samples follows.
        unsafe {
            let place = self.object.get().cast::<u8>().add(buffers + 8 * port);
            place.cast::<*mut f32>().read_volatile().add(from)
        }
    }
}

impl Drop for Convproc {
    fn drop(&mut self) {
        if self.field(0) == RUNNING {
            // What cannot be stopped is still cleaned up, which waits by itself.
            let _ = self.stop();
        }
        // SAFETY: the object is constructed, and nothing uses it after this.
        unsafe {
            (self.functions.cleanup)(this(&self.object));
            (self.functions.destroy)(this(&self.object));
        }
    }
}

fn this(object: &UnsafeCell<Object>) -> This {
    object.get().cast()
}

fn accepted(call: &str, answer: c_int) -> Result<(), PeerRefusal> {
    if answer == 0 {
        return Ok(());
    }
    Err(PeerRefusal::Failed {
        peer: "zita_convolver",
        reason: format!("{call} gave {answer}"),
    })
}

fn version(library: &Library) -> Result<(c_int, c_int), PeerRefusal> {
    type Number = unsafe extern "C" fn() -> c_int;
    // SAFETY: both functions take nothing and return an int, in every version.
    unsafe {
        let major: Number = symbol(library, "_Z28zita_convolver_major_versionv")?;
        let minor: Number = symbol(library, "_Z28zita_convolver_minor_versionv")?;
        Ok((major(), minor()))
    }
}

fn functions(library: &Library) -> Result<Functions, PeerRefusal> {
    // SAFETY: the names carry the types of the arguments; results and the object before them are those
    // of the header of version 4.0, which was checked.
    unsafe {
        Ok(Functions {
            construct: symbol(library, "_ZN8ConvprocC1Ev")?,
            destroy: symbol(library, "_ZN8ConvprocD1Ev")?,
            configure: symbol(library, "_ZN8Convproc9configureEjjjjjjf")?,
            load: symbol(library, "_ZN8Convproc14impdata_createEjjiPfii")?,
            start: symbol(library, "_ZN8Convproc13start_processEii")?,
            process: symbol(library, "_ZN8Convproc7processEb")?,
            stop: symbol(library, "_ZN8Convproc12stop_processEv")?,
            check_stop: symbol(library, "_ZN8Convproc10check_stopEv")?,
            cleanup: symbol(library, "_ZN8Convproc7cleanupEv")?,
        })
    }
}

/// A function by name.
///
/// # Safety
/// `F` is a function pointer of the function's own type, and is not called after `library` is gone.
unsafe fn symbol<F: Copy>(library: &Library, name: &'static str) -> Result<F, PeerRefusal> {
    // SAFETY: the caller vouches for the type.
    let found = unsafe { library.get::<F>(name) };
    found
        .map(|function| *function)
        .map_err(|error| PeerRefusal::Version {
            library: LIBRARY,
            reason: error.to_string(),
        })
}
