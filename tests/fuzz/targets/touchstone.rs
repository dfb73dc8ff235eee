#![no_main]
//! Touchstone text: the first byte is the port count of the file name, 0 for `.ts`.
use libfuzzer_sys::fuzz_target;
use tdse_pack::touchstone;

fuzz_target!(|bytes: &[u8]| {
    let Some((&ports, text)) = bytes.split_first() else {
        return;
    };
    let name = format!("x.S{ports}P").replace("S0P", "ts");
    let Ok(file) = touchstone::parse(text, &name) else {
        return;
    };
    let cells = file.ports * file.ports;
    assert_eq!(file.data.len(), file.frequencies.len() * cells);
    let _ = file.to_s();
});
