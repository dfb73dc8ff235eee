//! Every rule of a bundle, broken on purpose under a digest that is right.
#![allow(clippy::unwrap_used)]

mod samples;

use samples::{bundle, edited, entry, header, refused, with_header};
use tdse_bundle::{Bundle, MAX_ENTRIES, MAX_ROUTE_KERNELS, MAX_ROUTES};
use tdse_isa::Level;

#[test]
fn values_out_of_their_lists_are_refused() {
    let digest = "ab".repeat(32);
    let long = "x".repeat(513);
    let table = [
        (digest.as_str(), "", "bad_value"),
        (&digest, &digest[1..], "bad_value"),
        (&digest, &digest.to_uppercase(), "bad_value"),
        (&digest, &"zz".repeat(32), "bad_value"),
        (&"01".repeat(32), "01", "bad_value"),
        ("f64", "f65", "bad_value"),
        ("f64", "F64", "bad_value"),
        ("x86-64-v3", "native", "bad_value"),
        (
            "\"contraction\":\"fma\"",
            "\"contraction\":\"fast\"",
            "bad_value",
        ),
        ("[512,3,2]", "[0,3,2]", "bad_shape"),
        ("[512,3,2]", "[512,0,2]", "bad_shape"),
        ("[512,3,2]", "[512,3,0]", "bad_shape"),
        ("[512,3,2]", "[268435457,1,1]", "bad_shape"),
        ("[512,3,2]", "[4294967296,4294967296,1]", "bad_shape"),
        (
            "[512,3,2]",
            "[18446744073709551615,1,18446744073709551615]",
            "bad_shape",
        ),
        ("tdse 0.1.0", "", "bad_text"),
        ("tdse 0.1.0", &long, "bad_text"),
        ("tdse 0.1.0", "a\\nb", "bad_text"),
        ("tdse 0.1.0", "a\\u001bb", "bad_text"),
        ("tdse 0.1.0", "a\u{85}b", "bad_text"),
        ("relaxed_fft\"", "\"", "bad_text"),
        ("relaxed_fft:burst:t8,f32,f128", "", "bad_text"),
        ("\"tier\":\"llvm\"", "\"tier\":\"\"", "bad_text"),
        ("taps:r2:g2", "", "bad_text"),
        ("portable", "", "bad_text"),
        ("relaxed_fft(fma)", "", "bad_text"),
        ("[2,0]", "[2,0,3]", "no_such_kernel"),
        ("[2,0]", "[18446744073709551615]", "no_such_kernel"),
        ("\"kernel\":\"kernel_1\"", "\"kernel\":\"\"", "bad_text"),
        ("llvm 22.1.8 lowering 1 widest", "", "bad_text"),
        (
            "\"class\":\"direct(partials = 8, fma)\"",
            "\"class\":\"\"",
            "bad_text",
        ),
        ("\"entry\":32", "\"entry\":64", "bundle_entry_outside_code"),
        (
            "\"entry\":32",
            "\"entry\":18446744073709551615",
            "bundle_entry_outside_code",
        ),
        ("\"bytes\":64", "\"bytes\":0", "code_size"),
        ("\"bytes\":64", "\"bytes\":16777217", "code_size"),
        (
            "\"bytes\":64",
            "\"bytes\":18446744073709551615",
            "code_size",
        ),
        ("\"bytes\":64", "\"bytes\":16777216", "cut_off"),
        ("\"bytes\":64", "\"bytes\":63", "entry_digest_mismatch"),
        ("\"bytes\":70", "\"bytes\":71", "cut_off"),
        ("\"bytes\":70", "\"bytes\":69", "entry_digest_mismatch"),
    ];
    for (from, to, name) in table {
        let refusal = edited(from, to);
        assert_eq!(refusal.name(), name, "{from} -> {to}: {refusal}");
    }
}

/// Each field of a key and of its code, changed alone in the file: the code is not that key's.
#[test]
fn each_field_of_an_entry_binds_the_code() {
    let table = [
        ("\"kernel\":\"kernel_1\"", "\"kernel\":\"kernel_7\""),
        (&"01".repeat(32), &"07".repeat(32)),
        ("lowering 1", "lowering 2"),
        (
            "\"level\":\"x86-64-v3\",\"class\"",
            "\"level\":\"x86-64-v2\",\"class\"",
        ),
        (
            "\"class\":\"direct(partials = 8, fma)\"",
            "\"class\":\"direct(partials = 4, fma)\"",
        ),
        ("\"entry\":32", "\"entry\":31"),
        // The same for what the whole bundle is for.
        (&"ab".repeat(32), &"cd".repeat(32)),
        ("[512,3,2]", "[511,3,2]"),
        ("[512,3,2]", "[512,4,2]"),
        ("[512,3,2]", "[512,3,1]"),
        ("\"elem\":\"f64\"", "\"elem\":\"f32\""),
        (
            "\"level\":\"x86-64-v3\",\"contraction\"",
            "\"level\":\"x86-64-v4\",\"contraction\"",
        ),
        ("\"contraction\":\"fma\"", "\"contraction\":\"separate\""),
    ];
    for (from, to) in table {
        let refusal = edited(from, to);
        assert_eq!(refusal.name(), "entry_digest_mismatch", "{from} -> {to}");
    }
}

/// A change and the name of the refusal it earns.
type Row = (fn(&mut Bundle), &'static str);

#[test]
fn nothing_is_written_that_would_not_be_read() {
    let edits: &[Row] = &[
        (|b| b.made_by = String::new(), "bad_text"),
        (|b| b.made_by = "a\u{7f}".into(), "bad_text"),
        (|b| b.shape = [0, 1, 1], "bad_shape"),
        (|b| b.shape = [u64::MAX, u64::MAX, 1], "bad_shape"),
        (|b| b.routes[0].plan = Some("x".repeat(513)), "bad_text"),
        (
            |b| b.routes[1].levels_tier = Some(String::new()),
            "bad_text",
        ),
        (|b| b.made_by = "a\u{202e}b".into(), "bad_text"),
        (|b| b.routes[1].kernels = vec![3], "no_such_kernel"),
        (|b| b.routes[0].kernels = vec![2, 0, 2], "repeated_kernel"),
        (|b| b.level = Level::V4, "other_level"),
        (
            |b| b.routes[1].kernels = vec![0; MAX_ROUTE_KERNELS + 1],
            "too_many",
        ),
        (|b| b.routes.push(b.routes[0].clone()), "duplicate_route"),
        (
            |b| b.routes = vec![b.routes[0].clone(); MAX_ROUTES + 1],
            "too_many",
        ),
        (
            |b| b.entries.push(b.entries[0].clone()),
            "duplicate_code_key",
        ),
        (
            |b| b.entries = vec![entry(1, 1); MAX_ENTRIES + 1],
            "too_many",
        ),
        (|b| b.entries[0].key.kernel.push('x'), "key_not_of_code"),
        (|b| b.entries[0].code.level = Level::V2, "key_not_of_code"),
        (|b| b.entries[0].key.generator.clear(), "bad_text"),
        (|b| b.entries[0].class = "\0".into(), "bad_text"),
        (
            |b| b.entries[0].code.entry = 64,
            "bundle_entry_outside_code",
        ),
        (|b| b.entries[0].code.bytes.clear(), "code_size"),
        (
            |b| b.entries[0].code.bytes = vec![0; (16 << 20) + 1],
            "code_size",
        ),
        (|b| b.level = Level::V2, "other_level"),
        (|b| b.level = Level::Neon, "other_level"),
        (many_long_entries, "header_too_large"),
    ];
    for (at, (edit, name)) in edits.iter().enumerate() {
        let mut bundle = bundle();
        edit(&mut bundle);
        let refusal = bundle.encode().unwrap_err();
        assert_eq!(refusal.name(), *name, "edit {at}: {refusal}");
    }
}

/// As many entries as a bundle may have, with the longest texts: their header is too long.
fn many_long_entries(bundle: &mut Bundle) {
    let entries = (0..MAX_ENTRIES).map(|number| {
        let mut entry = entry(1, 1);
        entry.key.kernel = format!("{number:0256}");
        entry.code.kernel.clone_from(&entry.key.kernel);
        entry.key.generator = "g".repeat(512);
        entry.class = "c".repeat(512);
        entry
    });
    bundle.entries = entries.collect();
}

#[test]
fn the_limits_themselves_are_accepted() {
    let mut large = bundle();
    large.shape = [1 << 28, 1, 1];
    large.made_by = "x".repeat(512);
    large.entries[0].code.bytes = vec![1; 16 << 20];
    let bytes = large.encode().unwrap();
    assert_eq!(Bundle::decode(&bytes).unwrap(), large);
    let mut many = bundle();
    many.entries = (0..MAX_ENTRIES)
        .map(|number| {
            let mut entry = entry(1, 1);
            entry.key.kir_sha256[..8].copy_from_slice(&number.to_le_bytes());
            entry
        })
        .collect();
    many.routes = (0..MAX_ROUTES)
        .map(|number| {
            let mut route = bundle().routes[1].clone();
            route.schedule = number.to_string();
            route
        })
        .collect();
    let bytes = many.encode().unwrap();
    assert_eq!(Bundle::decode(&bytes).unwrap(), many);
}

#[test]
fn counts_beyond_the_limits_are_not_read() {
    let bytes = bundle().encode().unwrap();
    let text = header(&bytes);
    let list = |name: &str, count: usize| {
        let (before, rest) = text.split_once(&format!("\"{name}\":[{{")).unwrap();
        let (first, after) = rest.split_once('}').unwrap();
        let items = vec![format!("{{{first}}}"); count].join(",");
        refused(&with_header(
            &bytes,
            &format!("{before}\"{name}\":[{items}{after}"),
        ))
    };
    // Behind the first of each list, which is repeated, stand two more pieces and one more route.
    assert_eq!(
        list("entries", MAX_ENTRIES - 2).name(),
        "entry_digest_mismatch"
    );
    assert_eq!(list("entries", MAX_ENTRIES - 1).name(), "too_many");
    assert_eq!(list("routes", MAX_ROUTES - 1).name(), "duplicate_route");
    assert_eq!(list("routes", MAX_ROUTES).name(), "too_many");
    let kernels = |count: usize| edited("[2,0]", &format!("[3{}]", ",0".repeat(count - 1)));
    assert_eq!(kernels(MAX_ROUTE_KERNELS).name(), "no_such_kernel");
    assert_eq!(kernels(MAX_ROUTE_KERNELS + 1).name(), "too_many");
}

#[test]
fn a_file_beyond_the_limit_is_refused_unseen() {
    let bytes = vec![0; (256 << 20) + 1];
    let refusal = refused(&bytes);
    assert_eq!((refusal.code(), refusal.name()), (7204, "bundle_too_large"));
}

#[test]
fn a_route_may_differ_in_each_field_that_it_is_chosen_by() {
    let edits: [fn(&mut tdse_bundle::BundleRoute); 5] = [
        |r| r.route.push('x'),
        |r| r.plan = None,
        |r| r.tier.push('x'),
        |r| r.schedule.push('x'),
        |r| r.levels_tier = None,
    ];
    for edit in edits {
        let mut bundle = bundle();
        let mut route = bundle.routes[0].clone();
        edit(&mut route);
        bundle.routes.push(route);
        bundle.encode().unwrap();
    }
    let mut bundle = bundle();
    let mut same = bundle.routes[0].clone();
    same.kernels.clear();
    same.numeric_class.push('x');
    bundle.routes.push(same);
    assert_eq!(bundle.encode().unwrap_err().name(), "duplicate_route");
}
