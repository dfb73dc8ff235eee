//! Rules of the name, the class and the parameters.

use super::{Broken, require};
use crate::class::{NumericClass, Order};
use crate::ir::{Access, Buffer, Kernel, MAX_LANES, Param, Var};
use crate::limits::{
    MAX_ALIGN, MAX_EXTENT, MAX_INDEX, MAX_KERNEL_NAME, MAX_NAME, MAX_PARAMS, MAX_STATEMENTS,
    MAX_VALUES,
};
use crate::print::param_line;
use crate::rule::Rule;
use crate::words;

pub(super) fn check(k: &Kernel) -> Result<(), Broken> {
    let head = || {
        format!(
            "kernel {}",
            k.name.chars().take(MAX_KERNEL_NAME).collect::<String>()
        )
    };
    require(words::is_kernel_name(&k.name), Rule::NameForm, head, || {
        format!(
            "a kernel's name is 1 to {MAX_KERNEL_NAME} letters, digits, `_`, `.` and `-`, and \
             starts with a letter"
        )
    })?;
    for (count, limit, what) in [
        (k.params.len(), MAX_PARAMS, "parameters"),
        (k.values.len(), MAX_VALUES, "values"),
        (k.vars.len(), MAX_STATEMENTS, "index variables"),
    ] {
        require(count <= limit, Rule::SizeLimit, head, || {
            format!("it has {count} {what}, the limit is {limit}")
        })?;
    }
    class(&k.class)?;
    let mut next_var = 0;
    for (i, param) in k.params.iter().enumerate() {
        let at = || param_line(k, param);
        let name = match param {
            Param::Buffer(b) => {
                buffer(b, &at)?;
                let continues = k.class.order != Order::Sequential || b.access != Access::WriteOnly;
                require(continues, Rule::ClassOrder, at, || {
                    "a kernel of the class sequential adds to what its results held; declare \
                     them readwrite"
                        .into()
                })?;
                b.name.as_str()
            }
            Param::Index { var, lo, hi } => {
                require(*var == Var(next_var), Rule::SingleDefinition, at, || {
                    "index variables are numbered in the order of the text".into()
                })?;
                next_var += 1;
                require(
                    lo <= hi && *lo >= -MAX_INDEX && *hi <= MAX_INDEX,
                    Rule::LoopBounds,
                    at,
                    || format!("a range is ascending and within -{MAX_INDEX} to {MAX_INDEX}"),
                )?;
                k.vars.get(var.0 as usize).map_or("", String::as_str)
            }
        };
        identifier(name, &at)?;
        let taken = k.params[..i].iter().any(|earlier| match earlier {
            Param::Buffer(b) => b.name == name,
            Param::Index { var, .. } => k.var_name(*var) == name,
        });
        require(!taken, Rule::UniqueNames, at, || {
            format!("an earlier parameter is named {name}; choose another name")
        })?;
    }
    Ok(())
}

/// The rule of names, for parameters, variables and values.
pub(super) fn identifier(name: &str, at: &impl Fn() -> String) -> Result<(), Broken> {
    require(words::is_identifier(name), Rule::NameForm, at, || {
        format!(
            "a name is 1 to {MAX_NAME} letters, digits and `_`, starts with a letter or `_`, and \
             is no word of the text form"
        )
    })
}

fn class(class: &NumericClass) -> Result<(), Broken> {
    let Order::Direct { partials } = class.order else {
        return Ok(());
    };
    let possible = partials.is_power_of_two() && partials <= MAX_LANES;
    require(
        possible,
        Rule::ClassOrder,
        || format!("class {class}"),
        || format!("the number of partial sums is a power of two, at most {MAX_LANES}"),
    )
}

fn buffer(b: &Buffer, at: &impl Fn() -> String) -> Result<(), Broken> {
    require(
        (1..=MAX_EXTENT).contains(&b.extent),
        Rule::Extent,
        at,
        || format!("an extent is 1 to {MAX_EXTENT} elements"),
    )?;
    let size = b.elem.bytes() as u32;
    let possible = b.align.is_power_of_two() && (size..=MAX_ALIGN).contains(&b.align);
    require(possible, Rule::Alignment, at, || {
        format!(
            "an alignment is a power of two from {size}, the size of an element, to {MAX_ALIGN}"
        )
    })
}
