#![no_main]
//! Kernel text: what parses prints itself, and the print parses to what prints the same.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for kernel in tdse_kir::parse_all(&text).unwrap_or_default() {
        let printed = kernel.to_string();
        let again = tdse_kir::parse(&printed).expect("what was printed parses");
        assert_eq!(again.to_string(), printed);
        let _ = tdse_kir::estimate(&kernel);
        let _ = tdse_kir::verify(kernel);
    }
});
