#![no_main]
//! Wave files: the first byte is the number of inputs, the rest the file.
use libfuzzer_sys::fuzz_target;
use tdse_pack::wav::{WavOptions, pack_from_wav};

fuzz_target!(|bytes: &[u8]| {
    let Some((&inputs, file)) = bytes.split_first() else {
        return;
    };
    let _ = pack_from_wav(
        file,
        &WavOptions {
            inputs: usize::from(inputs),
            ..WavOptions::default()
        },
    );
});
