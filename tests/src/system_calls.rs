//! Taking system calls away from a test process: by seccomp filters, and by `PR_SET_MDWE`.
//!
//! A restriction cannot be taken back: a test runs itself again in a child process, which restricts
//! itself first.

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW,
    SECCOMP_RET_ERRNO, SECCOMP_RET_KILL_PROCESS,
};

/// Offset of the call's number in what a filter sees.
const NUMBER: u32 = 0;
/// Offset of the low half of the third argument.
const THIRD_ARGUMENT: u32 = 16 + 2 * 8;

/// A system call to deny.
#[derive(Debug, Clone, Copy)]
pub struct Denied {
    call: i64,
    /// Bits of the third argument of which one must be set; 0 denies in any case.
    bits_of_third: u32,
    errno: i32,
}

/// Making memory executable by `mprotect`: EACCES, as hardened systems answer.
pub const EXECUTABLE_MPROTECT: Denied = Denied {
    call: libc::SYS_mprotect,
    bits_of_third: libc::PROT_EXEC as u32,
    errno: libc::EACCES,
};

/// Anonymous files: EPERM.
pub const MEMFD: Denied = Denied {
    call: libc::SYS_memfd_create,
    bits_of_third: 0,
    errno: libc::EPERM,
};

/// Making other threads' instruction streams coherent: EPERM.
pub const MEMBARRIER: Denied = Denied {
    call: libc::SYS_membarrier,
    bits_of_third: 0,
    errno: libc::EPERM,
};

impl Denied {
    /// Whether this process is refused the call: it is made, harmlessly.
    pub fn in_force(self) -> bool {
        let page = map(libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: the arguments of each of the three calls are valid or plainly wrong numbers; the
        // page is unused and stays this function's own.
        let answer = unsafe {
            match self.call {
                libc::SYS_mprotect => {
                    libc::syscall(self.call, page, PAGE, libc::PROT_READ | libc::PROT_EXEC)
                }
                libc::SYS_memfd_create => libc::syscall(self.call, c"probe".as_ptr(), 0_u32),
                _ => libc::syscall(self.call, 0_u32, 0_u32, 0_u32),
            }
        };
        answer < 0
    }
}

/// Memory that was writable never becomes executable from here on (`PR_SET_MDWE`); false when the
/// kernel is older than 6.3.
pub fn deny_write_execute() -> bool {
    const PR_SET_MDWE: libc::c_int = 65;
    const REFUSE_EXEC_GAIN: libc::c_ulong = 1;
    // SAFETY: `prctl` with integers only.
    unsafe { libc::prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0_u64, 0_u64, 0_u64) == 0 }
}

/// Maps a page that is writable and executable, and leaves it mapped; false where that is refused.
pub fn map_writable_and_executable() -> bool {
    map(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != libc::MAP_FAILED
}

/// The lines of `/proc/self/maps` for memory that is writable and executable now.
pub fn writable_and_executable() -> std::io::Result<Vec<String>> {
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    // address range, then the rights: rwxp
    let both = |line: &&str| {
        let rights = line.split(' ').nth(1).unwrap_or_default();
        rights.contains('w') && rights.contains('x')
    };
    Ok(maps.lines().filter(both).map(str::to_owned).collect())
}

const PAGE: usize = 4096;

fn map(rights: libc::c_int) -> *mut libc::c_void {
    // SAFETY: a new private mapping wherever the kernel likes; nothing refers to it.
    unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            PAGE,
            rights,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    }
}

/// Denies calls to this thread and those it starts; false when the kernel has no filters.
pub fn deny(denied: &[Denied]) -> bool {
    let mut code = Vec::new();
    for d in denied {
        // A mask of no bits is met by testing the call's own number.
        let (offset, test, value) = match d.bits_of_third {
            0 => (NUMBER, BPF_JEQ, d.call as u32),
            bits => (THIRD_ARGUMENT, BPF_JSET, bits),
        };
        code.push(instruction(BPF_LD | BPF_W | BPF_ABS, 0, 0, NUMBER));
        code.push(instruction(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, d.call as u32));
        code.push(instruction(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset));
        code.push(instruction(BPF_JMP | test | BPF_K, 0, 1, value));
        code.push(answer(SECCOMP_RET_ERRNO | d.errno as u32));
    }
    code.push(answer(SECCOMP_RET_ALLOW));
    install(&mut code)
}

/// From here on any other call than `call` kills the process with SIGSYS; false when the kernel
/// has no filters.
pub fn allow_only(call: i64) -> bool {
    install(&mut [
        instruction(BPF_LD | BPF_W | BPF_ABS, 0, 0, NUMBER),
        instruction(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call as u32),
        answer(SECCOMP_RET_ALLOW),
        answer(SECCOMP_RET_KILL_PROCESS),
    ])
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

fn answer(action: u32) -> libc::sock_filter {
    instruction(BPF_RET | BPF_K, 0, 0, action)
}

fn install(code: &mut [libc::sock_filter]) -> bool {
    let program = libc::sock_fprog {
        len: code.len() as u16,
        filter: code.as_mut_ptr(),
    };
    // SAFETY: `prctl` with integers, then with a filter that outlives the call and is copied by it.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1_u64, 0_u64, 0_u64, 0_u64) == 0
            && libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
                &raw const program,
                0_u64,
                0_u64,
            ) == 0
    }
}
