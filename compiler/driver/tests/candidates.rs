//! The list of candidates is a pure function with the conservative tier last, and each becomes a
//! kernel that computes the right thing.
#![allow(clippy::unwrap_used)]

use tdse_compiler::{DirectKernel, Maker, Tier, candidates, candidates_by};
use tdse_isa::{Host, Level};
use tdse_kir::{Contraction, Elem};
use tdse_templates::{DirectShape, Schedule};

const SHAPES: [(usize, usize, usize); 7] = [
    (1, 1, 1),
    (1, 1, 255),
    (3, 2, 7),
    (4, 4, 127),
    (2, 33, 1),
    (16, 16, 63),
    (1, 5, 3),
];

fn shapes() -> impl Iterator<Item = DirectShape> {
    SHAPES.into_iter().flat_map(|(np, nq, taps)| {
        [Elem::F32, Elem::F64].map(|elem| DirectShape { np, nq, taps, elem })
    })
}

#[test]
fn the_list_is_pure_ordered_and_ends_with_the_conservative_tier() {
    for shape in shapes() {
        for level in Level::ALL {
            let list = candidates(&shape, Contraction::Separate, level);
            assert_eq!(list, candidates(&shape, Contraction::Separate, level));
            assert_eq!(list.first().unwrap().tier, Tier::ALL[0]);
            assert_eq!(list.last().unwrap().tier, Tier::Portable);
            assert!(
                list.is_sorted_by_key(|c| c.tier),
                "tiers keep their order: {list:?}"
            );
            for tier in Tier::ALL {
                let of_tier: Vec<_> = list.iter().filter(|c| c.tier == tier).collect();
                assert!(
                    of_tier.len() >= 2,
                    "{shape:?} {tier}: both families are offered"
                );
                assert!(of_tier.is_sorted_by(|a, b| a.predicted_ns <= b.predicted_ns));
                assert!(
                    of_tier
                        .iter()
                        .all(|c| c.predicted_ns > 0.0 && c.level == level)
                );
                for (i, a) in of_tier.iter().enumerate() {
                    assert!(
                        of_tier[..i].iter().all(|b| a.schedule != b.schedule),
                        "{list:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn many_rows_of_few_terms_take_the_rows_family_and_long_rows_the_taps_family() {
    let first = |np, nq, taps| {
        let shape = DirectShape {
            np,
            nq,
            taps,
            elem: Elem::F64,
        };
        candidates(&shape, Contraction::Fma, Level::V3)[0].schedule
    };
    assert!(
        matches!(first(1, 16, 3), Schedule::Rows { .. }),
        "{}",
        first(1, 16, 3)
    );
    assert!(
        matches!(first(4, 4, 255), Schedule::Taps { .. }),
        "{}",
        first(4, 4, 255)
    );
}

#[test]
fn every_candidate_becomes_a_kernel_with_the_same_exact_result() {
    let host = Host::get();
    let proof = host.prove(host.best()).unwrap();
    for shape in shapes() {
        // Small whole numbers: every order of summation is exact.
        let tap = |row: usize, term: usize| ((row * 5 + term * 3) % 17) as f64 - 8.0;
        let x: Vec<f64> = (0..shape.terms()).map(|i| (i % 9) as f64 - 4.0).collect();
        let expected: Vec<f64> = (0..shape.nq)
            .map(|q| (0..x.len()).map(|i| tap(q, i) * x[i]).sum())
            .collect();
        for c in candidates(&shape, Contraction::Separate, host.best()) {
            let kernel = DirectKernel::<f64>::compile(
                &shape,
                Contraction::Separate,
                c.schedule,
                &Maker::new(c.tier, proof),
                tap,
            )
            .unwrap();
            let mut y = vec![f64::NAN; shape.nq];
            kernel.run(&x, &mut y).unwrap();
            assert_eq!(y, expected, "{}", kernel.code().name());
            let makes = c.tier.makes_machine_code();
            assert_eq!(kernel.code().facts().is_some(), makes);
        }
    }
}

#[test]
fn names_of_tiers_are_read_back_and_others_refused() {
    for tier in Tier::ALL {
        assert_eq!(
            tier.to_string().to_uppercase().parse::<Tier>().unwrap(),
            tier
        );
    }
    let refusal = "gcc".parse::<Tier>().unwrap_err();
    assert_eq!((refusal.code(), refusal.name()), (6201, "unknown_tier"));
}

#[test]
fn a_shape_that_the_templates_refuse_has_no_candidates() {
    for [np, nq, taps] in [[1, 0, 1], [0, 1, 1], [1, 1, 0], [usize::MAX, 2, 2]] {
        let shape = DirectShape {
            np,
            nq,
            taps,
            elem: Elem::F32,
        };
        for tier in Tier::KNOWN {
            let list = candidates_by(tier, &shape, Contraction::Separate, Level::V3);
            assert!(list.is_empty(), "{tier} {shape:?}");
        }
    }
}
