//! The frame of a bundle's file and the spelling of its header, broken under a digest that is right.
#![allow(clippy::unwrap_used)]

mod samples;

use samples::{bundle, edited, header, refused, resealed, with_header};
use tdse_bundle::Bundle;

#[test]
fn the_frame_is_checked() {
    let bytes = bundle().encode().unwrap();
    let set = |at: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        refused(&resealed(bytes)).name()
    };
    assert_eq!(set(0, b"TDSECODE"), "not_a_bundle");
    assert_eq!(set(0, b"PK\x03\x04"), "not_a_bundle");
    assert_eq!(set(8, &2_u32.to_le_bytes()), "unknown_version");
    assert_eq!(set(8, &0_u32.to_le_bytes()), "unknown_version");
    assert_eq!(
        set(12, &((4 << 20) + 1_u32).to_le_bytes()),
        "header_too_large"
    );
    assert_eq!(set(12, &u32::MAX.to_le_bytes()), "header_too_large");
    assert_eq!(set(12, &(4_u32 << 20).to_le_bytes()), "cut_off");
    assert_eq!(set(12, &0_u32.to_le_bytes()), "bad_header");
    assert_eq!(refused(b"").name(), "cut_off");
    assert_eq!(refused(b"TDSEBNDL").name(), "cut_off");
    assert_eq!(refused(b"TDS!").name(), "not_a_bundle");
}

#[test]
fn bytes_between_code_are_zero() {
    let bytes = bundle().encode().unwrap();
    let header_end = 16 + header(&bytes).len();
    let first = header_end.next_multiple_of(64);
    // After the header, and after the code of a single byte behind the first 64.
    for gap in [header_end..first, first + 65..first + 128] {
        for at in gap {
            let mut bytes = bytes.clone();
            bytes[at] = 1;
            assert_eq!(refused(&resealed(bytes)).name(), "gap_not_zero", "{at}");
        }
    }
}

#[test]
fn a_header_has_one_spelling() {
    let table = [
        // Unknown, missing and repeated names, at every depth.
        (
            "{\"pack_sha256\"",
            "{\"extra\":0,\"pack_sha256\"",
            "bad_header",
        ),
        ("{\"route\"", "{\"extra\":0,\"route\"", "bad_header"),
        ("{\"kernel\"", "{\"extra\":0,\"kernel\"", "bad_header"),
        ("\"elem\":\"f64\",", "", "bad_header"),
        ("\"elem\"", "\"Elem\"", "bad_header"),
        (
            "\"elem\":\"f64\"",
            "\"elem\":\"f64\",\"elem\":\"f64\"",
            "bad_header",
        ),
        (
            "\"elem\":\"f64\"",
            "\"elem\":\"f64\",\"el\\u0065m\":\"f64\"",
            "bad_header",
        ),
        (
            "\"tier\":\"llvm\"",
            "\"tier\":\"llvm\",\"tier\":\"llvm\"",
            "bad_header",
        ),
        ("\"class\":", "\"class\":\"x\",\"class\":", "bad_header"),
        // The same meaning in other words.
        ("\"elem\"", " \"elem\"", "header_not_canonical"),
        ("\"elem\"", "\"\\u0065lem\"", "header_not_canonical"),
        ("\"f64\"", "\"f\\u00364\"", "header_not_canonical"),
        ("tdse 0.1.0", "tdse\\/0.1.0", "header_not_canonical"),
        ("\"plan\":null,", "", "header_not_canonical"),
        (
            "\"elem\":\"f64\",\"level\":\"x86-64-v3\"",
            "\"level\":\"x86-64-v3\",\"elem\":\"f64\"",
            "header_not_canonical",
        ),
        // Other types and numbers.
        ("[512,3,2]", "[512,3,2,1]", "bad_header"),
        ("[512,3,2]", "[512,3]", "bad_header"),
        ("[512,3,2]", "[512.0,3,2]", "bad_header"),
        ("[512,3,2]", "[5.12e2,3,2]", "bad_header"),
        ("[512,3,2]", "[-512,3,2]", "bad_header"),
        ("[512,3,2]", "[18446744073709551616,3,2]", "bad_header"),
        ("[512,3,2]", "[0512,3,2]", "bad_header"),
        ("[512,3,2]", "{}", "bad_header"),
        ("[2,0]", "[2,-1,2]", "bad_header"),
        ("[2,0]", "null", "bad_header"),
        ("\"f64\"", "null", "bad_header"),
        ("\"f64\"", "64", "bad_header"),
        ("\"bytes\":70", "\"bytes\":\"70\"", "bad_header"),
    ];
    for (from, to, name) in table {
        assert_eq!(edited(from, to).name(), name, "{from} -> {to}");
    }
    let bytes = bundle().encode().unwrap();
    let text = header(&bytes);
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (text, name) in [
        (format!("{text} "), "header_not_canonical"),
        (format!("{text}{{}}"), "bad_header"),
        (format!("\u{feff}{text}"), "bad_header"),
        (format!("[{text}]"), "bad_header"),
        (text.replace('}', ""), "bad_header"),
        (nested, "bad_header"),
        ("null".to_owned(), "bad_header"),
        (String::new(), "bad_header"),
    ] {
        assert_eq!(refused(&with_header(&bytes, &text)).name(), name);
    }
    // A struct may be given as an array; the spelling gives it away.
    let values = text.replacen("{\"pack_sha256\":", "[", 1);
    assert!(Bundle::decode(&with_header(&bytes, &values)).is_err());
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let bytes = bundle().encode().unwrap();
    let text = header(&bytes);
    let at = 16 + text.find("tdse 0.1.0").unwrap();
    for byte in [0xff, 0xc0, 0, 0x0a] {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        assert_eq!(refused(&resealed(bytes)).name(), "bad_header", "{byte:x}");
    }
}
