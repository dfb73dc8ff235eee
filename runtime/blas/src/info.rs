//! What a library says about itself.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use serde::Serialize;

/// Whose library it is, told by the symbols it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// OpenBLAS.
    OpenBlas,
    /// Intel's MKL.
    Mkl,
    /// BLIS, or a library made from it.
    Blis,
    /// A library with the CBLAS interface and none of the functions that tell the others apart.
    Other,
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Provider::OpenBlas => "OpenBLAS",
            Provider::Mkl => "MKL",
            Provider::Blis => "BLIS",
            Provider::Other => "other BLAS",
        })
    }
}

/// A library as it was found; taken when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlasInfo {
    /// Whose library.
    pub provider: Provider,
    /// Its version; `unknown` when it does not say.
    pub version: String,
    /// The processor its kernels were chosen for; `unknown` when it does not say.
    pub core: String,
    /// The file that holds the functions, links resolved; where the system does not tell, the name
    /// given to the loader.
    pub path: PathBuf,
    /// Threads it would use when it was opened; `None` when it does not say.
    pub threads: Option<u32>,
    /// Width of its integers: 32 or 64.
    pub int_bits: u32,
    /// Its own text about how it was built, or empty.
    pub config: String,
}

impl fmt::Display for BlasInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}, core {}, {}-bit integers, ",
            self.provider, self.version, self.core, self.int_bits
        )?;
        match self.threads {
            Some(1) => f.write_str("1 thread")?,
            Some(threads) => write!(f, "{threads} threads")?,
            None => f.write_str("unknown threads")?,
        }
        write!(f, ", {}", self.path.display())
    }
}

/// The file whose mapping holds `address`, from the kernel's list.
pub(crate) fn mapped_file(address: usize) -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| file_of(line, address))
}

/// `7f00-7f10 r-xp 00000000 08:01 42     path with spaces`
fn file_of(line: &str, address: usize) -> Option<PathBuf> {
    let (from, rest) = line.split_once('-')?;
    let (to, rest) = rest.split_once(' ')?;
    let from = usize::from_str_radix(from, 16).ok()?;
    let to = usize::from_str_radix(to, 16).ok()?;
    let path = &rest[rest.find('/')?..];
    (from..to).contains(&address).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::file_of;

    #[test]
    fn a_line_of_the_list_gives_its_file_for_its_addresses_only() {
        let line = "7f00-7f10 r-xp 00001000 08:01 42                  /a folder/lib.so";
        let file = |address| file_of(line, address).map(|p| p.display().to_string());
        assert_eq!(file(0x7f00).as_deref(), Some("/a folder/lib.so"));
        assert_eq!(file(0x7f0f).as_deref(), Some("/a folder/lib.so"));
        assert_eq!(file(0x7f10), None);
        assert_eq!(file_of("7f00-7f10 rw-p 00000000 00:00 0 ", 0x7f00), None);
        assert_eq!(file_of("nothing", 0), None);
    }
}
