//! What no text can state: broken kernels made in code are refused by their rule, without a panic.
#![allow(clippy::unwrap_used, clippy::panic)]

use tdse_kir::{
    Access, Affine, Bound, BufferId, Carry, Contraction, Elem, Kernel, KernelBuilder, KirError,
    Loop, NumericClass, Op, Param, Rule, Stmt, Value, ValueInfo, Var, VecType, verify,
};

/// `y[j] = x[j] + x[j]` for eight elements, as a builder makes it.
fn double() -> Kernel {
    let mut b = KernelBuilder::new("double", NumericClass::direct(Contraction::Fma));
    let x = b.buffer("x", Elem::F64, 8, Access::ReadOnly, 8);
    let y = b.buffer("y", Elem::F64, 8, Access::WriteOnly, 8);
    b.index("n", 0, 7);
    let zero = b.constant(VecType::scalar(Elem::F64), 0.0);
    b.repeat(
        "j",
        Bound::Const(0),
        Bound::Const(8),
        &[zero],
        |b, j, carried| {
            let v = b.load(VecType::scalar(Elem::F64), x, Affine::at(0).plus(j, 1));
            let sum = b.add(v, v);
            b.store(y, Affine::at(0).plus(j, 1), sum, 1);
            vec![carried[0]]
        },
    );
    b.finish()
}

fn the_loop(k: &mut Kernel) -> &mut Loop {
    match &mut k.body[1] {
        Stmt::Loop(l) => l,
        other => panic!("{other:?}"),
    }
}

fn load(k: &mut Kernel) -> &mut Op {
    match &mut the_loop(k).body[0] {
        Stmt::Def { op, .. } => op,
        other => panic!("{other:?}"),
    }
}

fn at(k: &mut Kernel) -> &mut Affine {
    match load(k) {
        Op::Load { at, .. } => at,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_kernel_itself_is_legal() {
    let kernel = double();
    assert_eq!(tdse_kir::parse(&kernel.to_string()).unwrap(), kernel);
    assert_eq!(verify(kernel.clone()).unwrap().into_kernel(), kernel);
}

#[test]
fn broken_kernels_are_refused_by_their_rule() {
    type Damage = fn(&mut Kernel);
    let table: &[(Rule, Damage)] = &[
        (Rule::IndexScope, |k| at(k).terms[0].0 = Var(9)),
        (Rule::IndexScope, |k| at(k).terms[0].1 = 0),
        (Rule::IndexScope, |k| at(k).terms.push((Var(1), 1))),
        (Rule::IndexScope, |k| at(k).terms.push((Var(0), 1))),
        (Rule::SizeLimit, |k| at(k).terms = vec![(Var(0), 1); 33]),
        (Rule::AddressBounds, |k| at(k).constant = i64::MIN),
        (Rule::AddressBounds, |k| at(k).terms[0].1 = i64::MIN),
        (Rule::Types, |k| {
            *load(k) = Op::LoadSplat {
                buffer: BufferId(2),
                at: Affine::at(0),
            }
        }),
        (Rule::Types, |k| {
            *load(k) = Op::LoadSplat {
                buffer: BufferId(7),
                at: Affine::at(0),
            }
        }),
        (Rule::DefinitionScope, |k| *load(k) = Op::Neg(Value(99))),
        (Rule::DefinitionScope, |k| *load(k) = Op::Neg(Value(4))),
        (Rule::DefinitionScope, |k| *load(k) = Op::Neg(Value(3))),
        (Rule::DefinitionScope, |k| *load(k) = Op::Neg(Value(1))),
        (Rule::DefinitionScope, |k| {
            the_loop(k).carried[0].next = Value(99)
        }),
        (Rule::DefinitionScope, |k| {
            the_loop(k).carried[0].init = Value(99)
        }),
        (Rule::SingleDefinition, |k| {
            the_loop(k).carried[0].result = Value(0)
        }),
        (Rule::SingleDefinition, |k| {
            the_loop(k).carried[0].result = Value(99)
        }),
        (Rule::SingleDefinition, |k| {
            the_loop(k).carried[0].inner = Value(3)
        }),
        (Rule::SingleDefinition, |k| the_loop(k).var = Var(0)),
        (Rule::SingleDefinition, |k| the_loop(k).var = Var(9)),
        (Rule::SingleDefinition, |k| k.body.push(k.body[0].clone())),
        (Rule::SingleDefinition, |k| k.values.truncate(2)),
        (Rule::SingleDefinition, |k| k.values.push(info("more"))),
        (Rule::SingleDefinition, |k| k.vars.push("more".into())),
        (Rule::SingleDefinition, |k| k.vars.truncate(1)),
        (Rule::NameForm, |k| k.vars.clear()),
        (Rule::SingleDefinition, |k| {
            k.params[2] = Param::Index {
                var: Var(1),
                lo: 0,
                hi: 1,
            }
        }),
        (Rule::CarryTypes, |k| {
            k.values[1].ty = VecType::new(Elem::F64, 2)
        }),
        (Rule::CarryTypes, |k| {
            k.values[2].ty = VecType::scalar(Elem::F32)
        }),
        (Rule::VectorLanes, |k| k.values[0].ty.lanes = 0),
        (Rule::LoopBoundParam, |k| {
            the_loop(k).hi = Bound::Param(Var(1))
        }),
        (Rule::LoopBoundParam, |k| {
            the_loop(k).hi = Bound::Param(Var(77))
        }),
        (Rule::LoopBounds, |k| {
            the_loop(k).lo = Bound::Const(i64::MIN)
        }),
        (Rule::LoopBounds, |k| {
            the_loop(k).hi = Bound::Const(i64::MAX)
        }),
        (Rule::NameForm, |k| k.values[0].name = "1".into()),
        (Rule::NameForm, |k| k.values[0].name = "loop".into()),
        (Rule::NameForm, |k| k.values[0].name = "é".into()),
        (Rule::NameForm, |k| k.values[0].name.clear()),
        (Rule::NameForm, |k| k.vars[1] = "a b".into()),
        (Rule::NameForm, |k| k.name = "a b".into()),
        (Rule::NameForm, |k| k.name = "k".repeat(1_000_000)),
        (Rule::SizeLimit, |k| {
            k.values = vec![info("v"); (1 << 16) + 1]
        }),
        (Rule::SizeLimit, |k| k.body.extend(vec![store(); 1 << 16])),
        (Rule::SizeLimit, nest),
    ];
    for (i, (rule, damage)) in table.iter().enumerate() {
        let mut kernel = double();
        damage(&mut kernel);
        let _ = (kernel.to_string(), tdse_kir::estimate(&kernel));
        let error = verify(kernel).expect_err(&format!("{rule}, row {i}"));
        assert_eq!(error.name(), rule.name(), "row {i}: {error}");
        assert!(
            error.to_string().len() < 1000,
            "{}",
            error.to_string().len()
        );
    }
}

fn info(name: &str) -> ValueInfo {
    ValueInfo {
        name: name.into(),
        ty: VecType::scalar(Elem::F64),
    }
}

/// A store of the first value.
fn store() -> Stmt {
    Stmt::Store {
        buffer: BufferId(1),
        at: Affine::at(0),
        value: Value(0),
        lanes: 1,
    }
}

/// A thousand loops, each in the one before.
fn nest(k: &mut Kernel) {
    let mut body = Vec::new();
    for depth in (0..1000).rev() {
        let var = Var(1 + depth);
        let (lo, hi) = (Bound::Const(0), Bound::Const(1));
        body = vec![Stmt::Loop(Loop {
            var,
            lo,
            hi,
            carried: Vec::new(),
            body,
        })];
        k.vars.push(format!("i{depth}"));
    }
    k.body.truncate(1);
    k.vars = (0..=1000).map(|i| format!("i{i}")).collect();
    k.values.truncate(1);
    k.body.extend(body);
}

#[test]
fn an_error_names_kernel_rule_statement_and_reason() {
    let mut kernel = double();
    at(&mut kernel).constant = 1;
    let error = verify(kernel).unwrap_err();
    assert_eq!(error.code(), Rule::AddressBounds.code());
    assert_eq!(
        error.to_string(),
        "kernel double breaks the rule address_bounds at `v3 = load f64 x[j + 1]`: it may touch \
         x[1] to x[8]; the extent of x is 8"
    );
}

#[test]
fn codes_and_names_are_stable_and_unique() {
    for (i, rule) in Rule::ALL.iter().enumerate() {
        assert_eq!(rule.code(), 6401 + i as u32);
        assert!(KirError::ALL.contains(&(rule.code(), rule.name())));
    }
    for pair in KirError::ALL.windows(2) {
        assert!(pair[0].0 < pair[1].0);
    }
    let mut names: Vec<&str> = KirError::ALL.iter().map(|entry| entry.1).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KirError::ALL.len());
}

#[test]
fn carries_that_are_broken_print() {
    let carry = Carry {
        result: Value(9),
        inner: Value(9),
        init: Value(9),
        next: Value(9),
    };
    let mut kernel = double();
    the_loop(&mut kernel).carried.push(carry);
    assert!(kernel.to_string().contains("yield v2, ?"));
}
