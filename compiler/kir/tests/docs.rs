//! docs/kernel-ir.md says what the crate does: its kernels, its table of rules, its words.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

use tdse_kir::{KirError, Rule, parse, verify};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kernel-ir.md");
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_kernel_of_the_page_verifies_and_prints_as_written() {
    let page = page();
    let mut kernels = 0;
    for block in page.split("```kir\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let kernel = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(kernel.to_string(), text);
        verify(kernel).unwrap_or_else(|e| panic!("{e}\n{text}"));
        kernels += 1;
    }
    assert!(kernels >= 2, "the page has {kernels} kernels");
}

#[test]
fn the_table_of_rules_is_complete() {
    let page = page();
    for rule in Rule::ALL {
        let row = format!("| {} | `{rule}` | ", rule.code());
        assert_eq!(page.matches(&row).count(), 1, "{row}");
    }
    assert!(KirError::ALL.iter().all(|(code, _)| *code < 6423));
}

#[test]
fn the_reserved_words_are_the_ones_the_parser_reserves() {
    let page = page();
    let words = page
        .split_once("reserved: `")
        .unwrap()
        .1
        .split_once('`')
        .unwrap()
        .0;
    assert!(words.split_whitespace().count() > 20);
    for word in words.split_whitespace() {
        let text = format!("kernel k {{ class elementwise(fma) {word} = splat f64 0x0p+0 }}");
        assert!(parse(&text).is_err(), "{word} is not reserved");
    }
}
