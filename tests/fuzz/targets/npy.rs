#![no_main]
//! NumPy files: the first byte picks the reader.
use libfuzzer_sys::fuzz_target;
use tdse_pack::npy;

fuzz_target!(|bytes: &[u8]| {
    let Some((&pick, file)) = bytes.split_first() else {
        return;
    };
    match pick % 4 {
        0 => drop(npy::read_npy(file)),
        1 => drop(npy::pack_from_npy(file, 1e-3)),
        2 => drop(npy::pack_from_npz(file, None)),
        _ => drop(npy::pack_from_npz(file, Some(1e-3))),
    }
});
