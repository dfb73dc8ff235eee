//! The real machine as a probe: the only `unsafe` code of this crate.

use crate::detection::Probe;

/// The processor that runs this code. Answers zeros on anything but x86-64.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hardware;

#[cfg(target_arch = "x86_64")]
impl Probe for Hardware {
    fn cpuid(&self, leaf: u32, sub: u32) -> [u32; 4] {
        let r = core::arch::x86_64::__cpuid_count(leaf, sub);
        [r.eax, r.ebx, r.ecx, r.edx]
    }

    fn xcr0(&self) -> Option<u64> {
        const OSXSAVE: u32 = 1 << 27;
        if self.cpuid(1, 0)[2] & OSXSAVE == 0 {
            return None;
        }
        // SAFETY: OSXSAVE says that the processor has XGETBV and that the operating system
        // enabled it; register 0 then always exists.
        Some(unsafe { read_xcr0() })
    }
}

/// # Safety
/// The operating system has enabled XGETBV.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "xsave")]
unsafe fn read_xcr0() -> u64 {
    // SAFETY: XGETBV is enabled (the caller's promise) and register 0 exists wherever it is.
    unsafe { core::arch::x86_64::_xgetbv(0) }
}

#[cfg(not(target_arch = "x86_64"))]
impl Probe for Hardware {
    fn cpuid(&self, _leaf: u32, _sub: u32) -> [u32; 4] {
        [0; 4]
    }

    fn xcr0(&self) -> Option<u64> {
        None
    }
}
