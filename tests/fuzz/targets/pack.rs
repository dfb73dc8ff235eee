#![no_main]
//! A pack's container: any bytes give a pack or a named error, and a pack writes itself back.
use libfuzzer_sys::fuzz_target;
use tdse_pack::Pack;

fuzz_target!(|bytes: &[u8]| {
    let Ok(pack) = Pack::from_bytes(bytes) else {
        return;
    };
    let written = pack
        .to_bytes()
        .expect("a pack that was read can be written");
    let again = Pack::from_bytes(&written).expect("a pack that was written can be read");
    assert_eq!(pack.identity(), again.identity());
});
