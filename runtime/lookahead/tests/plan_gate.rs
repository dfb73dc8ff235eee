//! Which plans the componentwise gate leaves, by the decay of the response.
#![allow(clippy::unwrap_used, clippy::panic)]

use tdse_kir::Elem;
use tdse_lookahead::{
    Domain, Envelope, LookaheadRoute, Objective, Plan, PlanShape, enumerate, window_range,
};

fn plan(text: &str) -> Plan {
    text.parse().unwrap()
}

fn shape(ports: usize, nh: usize) -> PlanShape {
    PlanShape {
        np: ports,
        nq: ports,
        nh,
        elem: Elem::F64,
    }
}

fn assert_near(found: f64, meant: f64, part: f64, what: &str) {
    assert!(
        (found / meant - 1.0).abs() <= part,
        "{what}: {found}, not {meant}"
    );
}

/// The same response on every row and input.
fn envelope(ports: usize, nh: usize, h: impl Fn(usize) -> f64) -> Envelope {
    Envelope::of(ports, ports, nh, |lag, _, _| h(lag))
}

#[test]
fn the_window_bound_is_the_one_stated() {
    for (block, elem, unit, bound) in [
        (32, Elem::F64, f64::EPSILON / 2.0, 1e-13),
        (4096, Elem::F64, f64::EPSILON / 2.0, 1e-13),
        (32, Elem::F32, f64::from(f32::EPSILON) / 2.0, 1e-5),
    ] {
        let error = unit * (2.0 * f64::from(block)).log2() * window_range(block, elem);
        assert_near(error, bound, 1e-12, "c u log2(2B) r");
    }
}

#[test]
fn the_gate_refuses_large_blocks_on_a_decay_and_none_on_a_flat_response() {
    let nh = 4096;
    let flat = envelope(2, nh, |_| 1.0);
    // Alternating signs and zeros of an oscillation are no decay.
    let ringing = envelope(2, nh, |lag| (lag as f64 * 0.7).sin());
    let decay = envelope(2, nh, |lag| (-(lag as f64) / 120.0).exp());
    for (text, flat_ok, decay_ok) in [
        ("uniform_fft:burst:f16", true, true),
        ("uniform_fft:burst:f256", true, true),
        ("uniform_fft:burst:f512", true, false),
        ("uniform_fft:spread:f1024", true, false),
        ("nonuniform_fft:spread:f32,f64,f128", true, true),
        ("nonuniform_fft:spread:f32,f256,f1024", true, false),
        ("relaxed_fft:burst:f16,f64,f256", true, true),
        ("relaxed_fft:burst:f16,f128,f1024", true, false),
        ("relaxed_fft:burst:f1024", true, false),
        ("temporal_block:burst:t8,t64", true, true),
        ("relaxed_fft:burst:t4,f16,f64", true, true),
    ] {
        let plan = plan(text);
        assert_eq!(flat.admits(&plan, Elem::F64), flat_ok, "flat: {text}");
        assert_eq!(ringing.admits(&plan, Elem::F64), flat_ok, "ringing: {text}");
        assert_eq!(decay.admits(&plan, Elem::F64), decay_ok, "decay: {text}");
    }
    // exp(2 B / 120) is 71 for B = 256, under 1e-13 / (u log2(512)) = 100; in f32 10 is the most.
    assert!(!decay.admits(&plan("uniform_fft:burst:f256"), Elem::F32));
    assert!(decay.admits(&plan("uniform_fft:burst:f64"), Elem::F32));

    let shape = shape(2, nh);
    for plan in enumerate(&shape, Objective::Throughput, None, Some(&decay)) {
        let spectral = plan.levels.iter().filter(|l| l.domain == Domain::Spectrum);
        assert!(
            spectral.map(|l| l.block).max().unwrap_or(0) <= 256,
            "{plan}"
        );
    }
    let all = enumerate(&shape, Objective::Throughput, None, None);
    assert_eq!(
        all,
        enumerate(&shape, Objective::Throughput, None, Some(&flat))
    );
}

#[test]
fn the_gate_looks_at_each_row_and_lets_only_the_time_domain_meet_zeros() {
    // One steep row behind a flat one.
    let steep = Envelope::of(2, 2, 2048, |lag, row, _| {
        if row == 0 {
            1.0
        } else {
            (-(lag as f64) / 20.0).exp()
        }
    });
    assert!(!steep.admits(&plan("uniform_fft:burst:f256"), Elem::F64));
    assert!(steep.admits(&plan("uniform_fft:burst:f16"), Elem::F64));

    // A delay of 1000 steps: windows that see both silence and response are refused.
    let late = envelope(1, 2048, |lag| if lag < 1000 { 0.0 } else { 1.0 });
    let plans = enumerate(&shape(1, 2048), Objective::Throughput, None, Some(&late));
    assert!(!plans.is_empty());
    assert!(
        plans
            .iter()
            .all(|p| p.route == LookaheadRoute::TemporalBlock
                || p.levels.iter().any(|l| l.domain == Domain::Time)),
        "{:?}",
        plans.last()
    );
    assert!(!late.admits(&plan("uniform_fft:burst:f64"), Elem::F64));

    // A response that ends early is one that is short; nothing at all is flat.
    let early = envelope(1, 2048, |lag| if lag < 1000 { 1.0 } else { 0.0 });
    assert!(early.admits(&plan("uniform_fft:burst:f64"), Elem::F64));
    assert!(envelope(1, 64, |_| 0.0).admits(&plan("uniform_fft:burst:f16"), Elem::F64));

    // What the head evaluates does not count: only the first taps are large.
    let spike = envelope(1, 2048, |lag| if lag < 4 { 1e9 } else { 1.0 });
    assert!(spike.admits(&plan("relaxed_fft:burst:f64,f256,f1024"), Elem::F64));
    assert!(spike.admits(&plan("uniform_fft:burst:f64"), Elem::F64));
    assert!(!spike.admits(&plan("relaxed_fft:burst:f4,f64,f256"), Elem::F64));
    // Values beyond the range of a ratio are no ratio of one.
    let extreme = envelope(1, 256, |lag| if lag < 128 { 1e300 } else { 1e-300 });
    assert!(!extreme.admits(&plan("uniform_fft:burst:f64"), Elem::F64));
}
