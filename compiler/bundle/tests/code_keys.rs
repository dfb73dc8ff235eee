//! Keys: every field counts, and the same kernel has the same key everywhere.
#![allow(clippy::unwrap_used)]

mod samples;

use std::collections::HashSet;
use std::env;
use std::process::Command;

use samples::key;
use tdse_backend::{Backend, Lowered, Refusal};
use tdse_bundle::CodeKey;
use tdse_isa::Level;
use tdse_kir::{
    Access, Affine, Contraction, Elem, KernelBuilder, NumericClass, Order, Value, VecType,
    Verified, verify,
};

type Edit = (&'static str, fn(&mut CodeKey));

/// A change of each field, alone.
fn edits(key: &CodeKey) -> Vec<Edit> {
    // A field that is added to the key does not compile here, and then needs its row.
    let CodeKey {
        kernel: _,
        kir_sha256: _,
        generator: _,
        level: _,
    } = key;
    vec![
        ("kernel", |k| k.kernel.push('x')),
        ("kernel text (SHA-256)", |k| k.kir_sha256[31] ^= 1),
        ("generator", |k| k.generator.push('0')),
        ("level", |k| k.level = Level::V4),
    ]
}

#[test]
fn each_field_changes_the_digest_and_is_named() {
    let original = key(1);
    assert_eq!(original.difference(&original.clone()), None);
    let mut digests = HashSet::from([original.digest()]);
    for (field, edit) in edits(&original) {
        let mut other = original.clone();
        edit(&mut other);
        assert_ne!(original, other, "{field}");
        assert!(digests.insert(other.digest()), "{field}");
        let difference = original.difference(&other).unwrap();
        assert!(
            difference.starts_with(&format!("{field}: ")),
            "{difference}"
        );
        assert!(!difference.contains("; "), "{difference}");
    }
    let mut other = key(2);
    other.level = Level::V2;
    let difference = original.difference(&other).unwrap();
    assert!(difference.starts_with("kernel: kernel_1 against kernel_2; "));
    assert!(difference.ends_with("level: x86-64-v3 against x86-64-v2"));
}

/// What moves from the end of one field to the start of the next is another key.
#[test]
fn fields_do_not_run_into_each_other() {
    let mut a = key(1);
    let mut b = key(1);
    (a.kernel, a.generator) = ("ab".into(), "c".into());
    (b.kernel, b.generator) = ("a".into(), "bc".into());
    assert_ne!(a.digest(), b.digest());
    a.kernel.push('\0');
    b.kernel.push_str("b\0");
    b.generator = "c".into();
    assert_eq!(a.digest(), b.digest());
}

struct Named(&'static str);

impl Backend for Named {
    fn name(&self) -> &'static str {
        "named"
    }

    fn identity(&self) -> String {
        self.0.into()
    }

    fn lower(&self, _: &Verified, level: Level) -> Result<Lowered, Refusal> {
        Err(Refusal::LevelUnsupported {
            backend: "named",
            level,
        })
    }
}

/// What a kernel may differ in.
#[derive(Clone, Copy)]
struct Parts {
    name: &'static str,
    extent: u64,
    align: u32,
    access: Access,
    elem: Elem,
    contraction: Contraction,
    offset: i64,
    doubled: bool,
}

const PARTS: Parts = Parts {
    name: "copy",
    extent: 8,
    align: 64,
    access: Access::ReadOnly,
    elem: Elem::F64,
    contraction: Contraction::Separate,
    offset: 0,
    doubled: false,
};

/// `y[0] = x[offset]`, or its double.
fn kernel(parts: Parts) -> Verified {
    let class = NumericClass {
        order: Order::Elementwise,
        contraction: parts.contraction,
    };
    let mut b = KernelBuilder::new(parts.name, class);
    let x = b.buffer("x", parts.elem, parts.extent, parts.access, parts.align);
    let y = b.buffer("y", parts.elem, 1, Access::WriteOnly, 8);
    let mut value: Value = b.load(VecType::scalar(parts.elem), x, Affine::at(parts.offset));
    if parts.doubled {
        value = b.add(value, value);
    }
    b.store(y, Affine::at(0), value, 1);
    verify(b.finish()).unwrap()
}

#[test]
fn every_part_of_a_kernel_is_in_its_key() {
    let edits: [fn(&mut Parts); 8] = [
        |p| p.name = "copied",
        |p| p.extent = 9,
        |p| p.align = 8,
        |p| p.access = Access::ReadWrite,
        |p| p.elem = Elem::F32,
        |p| p.contraction = Contraction::Fma,
        |p| p.offset = 1,
        |p| p.doubled = true,
    ];
    let of = |parts: Parts| CodeKey::of(&kernel(parts), &Named("a 1"), Level::V3);
    let original = of(PARTS);
    assert_eq!(original, of(PARTS));
    let mut texts = HashSet::from([original.kir_sha256]);
    for (at, edit) in edits.iter().enumerate() {
        let mut parts = PARTS;
        edit(&mut parts);
        assert!(texts.insert(of(parts).kir_sha256), "edit {at}");
    }
    let other = CodeKey::of(&kernel(PARTS), &Named("a 2"), Level::V3);
    assert_eq!(
        original.difference(&other).as_deref(),
        Some("generator: a 1 against a 2")
    );
    let other = CodeKey::of(&kernel(PARTS), &Named("a 1"), Level::V2);
    assert_eq!(
        original.difference(&other).as_deref(),
        Some("level: x86-64-v3 against x86-64-v2")
    );
}

#[test]
fn a_key_is_the_same_in_two_processes() {
    const CHILD: &str = "TDSE_KEY_CHILD";
    let key = CodeKey::of(&kernel(PARTS), &Named("a 1"), Level::V3);
    let said = format!("\nkey: {key} {:?}", key.digest());
    if env::var_os(CHILD).is_some() {
        println!("{said}");
        return;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "a_key_is_the_same_in_two_processes",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&said), "{text} lacks {said}");
}
