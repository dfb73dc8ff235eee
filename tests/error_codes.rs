//! A number means one thing in the whole project, whichever crate gives it.

use std::collections::BTreeMap;
use std::ops::Range;

use tdse_backend::Refusal;
use tdse_benches::PeerRefusal;
use tdse_blas::BlasRefusal;
use tdse_bundle::{BundleError, CacheMiss, CallError, LoadRefusal};
use tdse_compiler::CompileRefusal;
use tdse_isa::IsaError;
use tdse_kir::KirError;
use tdse_pack::PackError;
use tdse_runtime::{LookaheadError, Reason, RuntimeError};
use tdse_templates::TemplateError;

/// Whose list, the numbers it may use, the numbers it has with their names.
type List = (&'static str, Range<u32>, Vec<(u32, &'static str)>);

/// Every list; docs/cli.md tells users about the thousands.
fn lists() -> Vec<List> {
    vec![
        ("pack", 1001..6000, PackError::all_codes()),
        ("backend", 6001..6100, Refusal::ALL.to_vec()),
        ("templates", 6101..6200, TemplateError::ALL.to_vec()),
        ("compiler", 6201..6300, CompileRefusal::ALL.to_vec()),
        ("kir", 6301..6500, KirError::ALL.to_vec()),
        ("isa", 6501..6600, IsaError::ALL.to_vec()),
        ("bundle, load", 7001..7100, LoadRefusal::ALL.to_vec()),
        ("bundle, call", 7101..7200, CallError::ALL.to_vec()),
        ("bundle, file", 7201..7300, BundleError::ALL.to_vec()),
        ("bundle, cache", 7301..7400, CacheMiss::ALL.to_vec()),
        ("runtime", 8001..8100, RuntimeError::ALL.to_vec()),
        ("lookahead", 8201..8300, LookaheadError::ALL.to_vec()),
        ("blas", 8301..8400, BlasRefusal::ALL.to_vec()),
        ("benches", 8401..8500, PeerRefusal::ALL.to_vec()),
        ("runtime, reasons", 8101..8200, Reason::ALL.to_vec()),
    ]
}

#[test]
fn every_number_is_given_once_and_in_the_range_of_its_list() {
    let mut owners: BTreeMap<u32, (&str, &str)> = BTreeMap::new();
    for (list, range, codes) in lists() {
        assert!(!codes.is_empty(), "{list}");
        for (code, name) in codes {
            assert!(range.contains(&code), "{list}: {code} {name}");
            let earlier = owners.insert(code, (list, name));
            assert_eq!(earlier, None, "{code} is also {list} {name}");
        }
    }
}

#[test]
fn names_are_plain_and_unique_in_their_list() {
    for (list, _, codes) in lists() {
        let mut names: Vec<&str> = codes.iter().map(|(_, name)| *name).collect();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(names.iter().all(|n| n.chars().all(plain)), "{list}");
        names.sort_unstable();
        names.dedup();
        // One name may stand in two areas of pack, a thousand each: its own test says so.
        assert!(list == "pack" || names.len() == codes.len(), "{list}");
    }
}
