#![no_main]
//! Kernel text: what parses prints itself, and the print parses to the same kernel.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(kernel) = tdse_kir::parse(text) else {
        return;
    };
    let printed = kernel.to_string();
    assert_eq!(tdse_kir::parse(&printed).as_ref(), Ok(&kernel), "{printed}");
    let _ = tdse_kir::estimate(&kernel);
    let _ = tdse_kir::verify(kernel);
});
