#![no_main]
//! Touchstone text: the first byte is the port count of the file name, 0 for `.ts`.
use libfuzzer_sys::fuzz_target;
use tdse_pack::touchstone;

fuzz_target!(|bytes: &[u8]| {
    let Some((&ports, text)) = bytes.split_first() else {
        return;
    };
    let name = if ports == 0 {
        "x.ts".to_owned()
    } else {
        format!("x.S{ports}P")
    };
    let Ok(file) = touchstone::parse(text, &name) else {
        return;
    };
    assert_eq!(
        file.data.len(),
        file.frequencies.len() * file.ports * file.ports
    );
    let _ = file.to_s();
});
