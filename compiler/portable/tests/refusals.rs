//! What is refused, and that it is named.
#![allow(clippy::unwrap_used)]

use tdse_backend::{Backend, Refusal};
use tdse_isa::{Host, Level};
use tdse_kir::{
    Access, Affine, Contraction, Elem, KernelBuilder, NumericClass, VecType, Verified, verify,
};
use tdse_portable::Portable;

/// Loads `count` vectors of 64 lanes, then stores them: all are alive at once.
fn alive(count: i64) -> Verified {
    let mut b = KernelBuilder::new("alive", NumericClass::direct(Contraction::Fma));
    let extent = 64 * count as u64;
    let x = b.buffer("x", Elem::F64, extent, Access::ReadOnly, 8);
    let y = b.buffer("y", Elem::F64, extent, Access::WriteOnly, 8);
    let ty = VecType::new(Elem::F64, 64);
    let values: Vec<_> = (0..count)
        .map(|i| b.load(ty, x, Affine::at(64 * i)))
        .collect();
    for (i, &v) in values.iter().enumerate() {
        b.store(y, Affine::at(64 * i as i64), v, 64);
    }
    verify(b.finish()).unwrap()
}

#[test]
fn levels_without_proof_are_refused() {
    for level in Level::ALL {
        let lowered = Portable.lower(&alive(1), level);
        match Host::get().prove(level) {
            Some(_) => assert!(lowered.is_ok(), "{level}"),
            None => {
                let refusal = lowered.err().unwrap();
                assert_eq!(
                    refusal,
                    Refusal::LevelUnsupported {
                        backend: "portable",
                        level
                    }
                );
            }
        }
    }
}

#[test]
fn too_many_values_at_once_are_refused() {
    let level = Host::get().best();
    assert!(
        Portable.lower(&alive(32), level).is_ok(),
        "32 values of 8 registers fill the file"
    );
    let refusal = Portable.lower(&alive(33), level).err().unwrap();
    assert_eq!(
        refusal.to_string(),
        "portable does not lower more than 256 vectors of eight lanes at once, which alive uses"
    );
}

#[test]
fn programs_are_shared_between_threads() {
    fn shared<T: Send + Sync + ?Sized>() {}
    shared::<dyn tdse_backend::EntryPoint>();
    assert_eq!(Portable.name(), "portable");
    assert!(Portable.identity().starts_with("portable "));
}
