//! Why code was not loaded.

use std::fmt;
use std::io;

use tdse_isa::Level;

use crate::executable_memory::MapMethod;

/// A system call that was refused while code was being mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapRefusal {
    /// What was asked of the system.
    pub step: &'static str,
    /// The `errno` it answered.
    pub os_error: i32,
}

impl MapRefusal {
    /// Memory was not had, without a system call that said so.
    pub(crate) const OUT_OF_MEMORY: MapRefusal = MapRefusal {
        step: "mapping code",
        os_error: rustix::io::Errno::NOMEM.raw_os_error(),
    };
}

impl fmt::Display for MapRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}",
            self.step,
            io::Error::from_raw_os_error(self.os_error)
        )
    }
}

/// Code was not loaded; nothing stays mapped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadRefusal {
    /// This process may not make memory executable. The caller takes the portable route.
    #[error(
        "this process may not make memory executable ({mprotect}; {memfd}); \
         use the portable backend, or allow one of the two calls"
    )]
    NotPermitted {
        /// Answer to the private mapping turned executable.
        mprotect: MapRefusal,
        /// Answer to the sealed anonymous file.
        memfd: MapRefusal,
    },
    /// A mapping failed although the probe had succeeded; mostly memory or map count limits.
    #[error(
        "{kernel}: {bytes} bytes of code could not be mapped by {method} ({refusal}); free memory or raise vm.max_map_count"
    )]
    Mapping {
        /// The kernel.
        kernel: String,
        /// Size of its code.
        bytes: usize,
        /// How it was mapped.
        method: MapMethod,
        /// What the system answered.
        refusal: MapRefusal,
    },
    /// The entry does not lie in the code.
    #[error(
        "{kernel}: the entry at byte {entry} lies outside the {bytes} bytes of code; compile the kernel again"
    )]
    EntryOutside {
        /// The kernel.
        kernel: String,
        /// Its entry.
        entry: usize,
        /// Size of its code.
        bytes: usize,
    },
    /// The proof is not one for the level of the code.
    #[error(
        "{kernel} was compiled for {needed}, the proof given is for {proven}; compile for a level this machine has"
    )]
    LevelNotProven {
        /// The kernel.
        kernel: String,
        /// Level of the code.
        needed: Level,
        /// Level that was proven.
        proven: Level,
    },
}

impl LoadRefusal {
    /// Number and name of every refusal.
    pub const ALL: &[(u32, &'static str)] = &[
        (7001, "executable_memory_not_permitted"),
        (7002, "code_mapping_failed"),
        (7003, "entry_outside_code"),
        (7004, "level_not_proven"),
    ];

    /// The stable number.
    pub fn code(&self) -> u32 {
        self.entry().0
    }

    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u32, &'static str) {
        Self::ALL[match self {
            LoadRefusal::NotPermitted { .. } => 0,
            LoadRefusal::Mapping { .. } => 1,
            LoadRefusal::EntryOutside { .. } => 2,
            LoadRefusal::LevelNotProven { .. } => 3,
        }]
    }
}
