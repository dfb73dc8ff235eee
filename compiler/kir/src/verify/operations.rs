//! Rules of single operations: types, access to buffers, constants, the class.

use super::{Broken, require};
use crate::class::{Contraction, Order};
use crate::ir::{Access, Buffer, BufferId, Elem, Kernel, Op, Stmt, Value, VecType};
use crate::print::stmt_line;
use crate::rule::Rule;

/// The values that an operation uses.
pub(super) fn operands(op: &Op) -> Vec<Value> {
    match op {
        Op::Const(_) | Op::Load { .. } | Op::LoadSplat { .. } => Vec::new(),
        Op::Splat(a) | Op::Neg(a) | Op::Reduce(a) => vec![*a],
        Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => vec![*a, *b],
        Op::Fma(a, b, c) => vec![*a, *b, *c],
    }
}

/// Checks an operation whose operands are defined and whose result has the type `ty`.
pub(super) fn check(k: &Kernel, ty: VecType, op: &Op, stmt: &Stmt) -> Result<(), Broken> {
    let text = || stmt_line(k, stmt);
    let class = k.class;
    match op {
        Op::Const(number) => require(
            is_exact(*number, ty.elem),
            Rule::ConstantExact,
            text,
            || "the number is not representable in f32; round it first".into(),
        ),
        Op::Splat(a) => agree(k, VecType::scalar(ty.elem), *a, stmt),
        Op::Load { .. } | Op::LoadSplat { .. } => Ok(()),
        Op::Reduce(a) => {
            let forbidden = match class.order {
                Order::Direct { .. } => None,
                Order::Elementwise => Some("a kernel of the class elementwise sums nothing"),
                Order::Sequential => {
                    Some("a kernel of the class sequential sums within a lane only")
                }
            };
            require(forbidden.is_none(), Rule::ClassOrder, text, || {
                forbidden.unwrap_or_default().into()
            })?;
            let elem = k.ty(*a).elem;
            require(ty == VecType::scalar(elem), Rule::Types, text, || {
                format!("the sum of the lanes is one {}, not {ty}", elem.name())
            })
        }
        Op::Fma(..) => {
            require(
                class.contraction == Contraction::Fma,
                Rule::Contraction,
                text,
                || "the class rounds products before they are added; write mul and add".into(),
            )?;
            operands(op)
                .into_iter()
                .try_for_each(|v| agree(k, ty, v, stmt))
        }
        Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::Neg(_) => operands(op)
            .into_iter()
            .try_for_each(|v| agree(k, ty, v, stmt)),
    }
}

/// The buffer that a load of type `ty` reads.
pub(super) fn loaded<'k>(
    k: &'k Kernel,
    buffer: BufferId,
    ty: VecType,
    stmt: &Stmt,
) -> Result<&'k Buffer, Broken> {
    let text = || stmt_line(k, stmt);
    let buffer = typed(k, buffer, ty, stmt)?;
    require(
        buffer.access != Access::WriteOnly,
        Rule::LoadAccess,
        text,
        || {
            format!(
                "{} is writeonly; declare it readwrite to load from it",
                buffer.name
            )
        },
    )?;
    Ok(buffer)
}

/// The buffer that a store of a value of type `ty` writes.
pub(super) fn stored<'k>(
    k: &'k Kernel,
    buffer: BufferId,
    ty: VecType,
    stmt: &Stmt,
) -> Result<&'k Buffer, Broken> {
    let text = || stmt_line(k, stmt);
    let buffer = typed(k, buffer, ty, stmt)?;
    require(
        buffer.access != Access::ReadOnly,
        Rule::StoreAccess,
        text,
        || {
            format!(
                "{} is readonly; declare it writeonly or readwrite to store to it",
                buffer.name
            )
        },
    )?;
    Ok(buffer)
}

fn typed<'k>(
    k: &'k Kernel,
    buffer: BufferId,
    ty: VecType,
    stmt: &Stmt,
) -> Result<&'k Buffer, Broken> {
    let text = || stmt_line(k, stmt);
    let Some(buffer) = k.buffer(buffer) else {
        let reason = "it names a parameter that is no buffer".into();
        return Err(Broken::new(Rule::Types, text(), reason));
    };
    require(buffer.elem == ty.elem, Rule::Types, text, || {
        format!(
            "{} holds {}, the value is {ty}",
            buffer.name,
            buffer.elem.name()
        )
    })?;
    Ok(buffer)
}

fn agree(k: &Kernel, ty: VecType, operand: Value, stmt: &Stmt) -> Result<(), Broken> {
    let text = || stmt_line(k, stmt);
    let found = k.ty(operand);
    require(found == ty, Rule::Types, text, || {
        let name = k
            .values
            .get(operand.0 as usize)
            .map_or("?", |v| v.name.as_str());
        format!("{name} is {found}, {ty} is needed here")
    })
}

/// Whether an element can hold the number; of a NaN, its payload.
fn is_exact(number: f64, elem: Elem) -> bool {
    const LOST: u64 = (1 << 29) - 1;
    match elem {
        Elem::F64 => true,
        Elem::F32 if number.is_nan() => number.to_bits() & LOST == 0,
        Elem::F32 => f64::from(number as f32).to_bits() == number.to_bits(),
    }
}
