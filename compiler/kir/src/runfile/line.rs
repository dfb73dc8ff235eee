//! The syntax of one run line.

use super::data::{random_f32, random_f64};
use super::{Data, MAX_RUN_EXTENT};
use crate::hex_float;
use crate::ir::{Elem, Param};

/// What a run line says of one parameter.
pub(super) enum Entry<'t> {
    /// Numbers as written, with how often each occurs.
    List(Vec<(&'t str, usize)>),
    /// A seed.
    Random(u64),
    /// A number as written.
    Single(&'t str),
}

type Entries<'t> = Vec<(&'t str, Entry<'t>)>;

/// Entries left and right of `=>`. The error completes "the run line ...".
pub(super) fn read(text: &str) -> Result<(Entries<'_>, Entries<'_>), String> {
    let (given, stated) = text.split_once("=>").unwrap_or((text, ""));
    Ok((entries(given)?, entries(stated)?))
}

fn entries(text: &str) -> Result<Entries<'_>, String> {
    let mut entries = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest
            .split_once('=')
            .ok_or(format!("has no `=` after {rest}"))?;
        let after = after.trim_start();
        let (entry, left) = if let Some(list) = after.strip_prefix('[') {
            let (list, left) = list.split_once(']').ok_or("has a list without `]`")?;
            (Entry::List(items(list)?), left)
        } else {
            let (word, left) = next_word(after);
            if word == "random" {
                let (seed, left) = next_word(left);
                let seed = seed.parse().map_err(|_| "has no seed after `random`")?;
                (Entry::Random(seed), left)
            } else {
                (Entry::Single(word), left)
            }
        };
        entries.push((name.trim(), entry));
        rest = left.trim_start();
    }
    Ok(entries)
}

fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn items(list: &str) -> Result<Vec<(&str, usize)>, String> {
    let mut items = Vec::new();
    for item in list.split(',') {
        let mut words = item.split_whitespace();
        let number = words.next().ok_or("has an empty place in a list")?;
        let count = match (words.next(), words.next(), words.next()) {
            (None, ..) => Some(1),
            (Some("x"), Some(count), None) => count.parse().ok(),
            _ => None,
        };
        items.push((number, count.ok_or(format!("has the list element {item}"))?));
    }
    Ok(items)
}

impl Entry<'_> {
    /// The argument for a parameter.
    pub(super) fn data(self, param: &Param, name: &str) -> Result<Data, String> {
        match (self, param) {
            (Entry::Single(text), Param::Index { .. }) => match text.parse() {
                Ok(index) => Ok(Data::Index(index)),
                Err(_) => Err(format!("gives {text} for the index {name}")),
            },
            (_, Param::Index { .. }) => Err(format!("gives a list for the index {name}")),
            (Entry::Single(_), _) => Err(format!("gives no list for the buffer {name}")),
            (entry, Param::Buffer(b)) => {
                if b.extent > MAX_RUN_EXTENT {
                    return Err(format!(
                        "needs more than {MAX_RUN_EXTENT} elements of {name}"
                    ));
                }
                entry.elements(b.elem, b.extent as usize, name)
            }
        }
    }

    fn elements(self, elem: Elem, extent: usize, name: &str) -> Result<Data, String> {
        let items = match (self, elem) {
            (Entry::Random(seed), Elem::F64) => return Ok(Data::F64(random_f64(seed, extent))),
            (Entry::Random(seed), Elem::F32) => return Ok(Data::F32(random_f32(seed, extent))),
            (Entry::List(items), _) => items,
            (Entry::Single(_), _) => Vec::new(),
        };
        let length = items
            .iter()
            .fold(0usize, |sum, item| sum.saturating_add(item.1));
        if length != extent {
            return Err(format!(
                "has {length} elements of {name}, whose extent is {extent}"
            ));
        }
        let numbers = items.into_iter().map(|(text, count)| {
            let number = element(text, elem).ok_or(format!("has the number {text}"))?;
            Ok(std::iter::repeat_n(number, count))
        });
        let numbers: Vec<_> = numbers.collect::<Result<_, String>>()?;
        let numbers = numbers.into_iter().flatten();
        Ok(match elem {
            Elem::F64 => Data::F64(numbers.collect()),
            Elem::F32 => Data::F32(numbers.map(|v| v as f32).collect()),
        })
    }
}

/// A number: exact when in hex, else rounded once to the element type.
fn element(text: &str, elem: Elem) -> Option<f64> {
    let exact = hex_float::parse(text).ok();
    match elem {
        Elem::F64 => exact.or_else(|| text.parse().ok()),
        Elem::F32 => match exact {
            Some(v) => (v.is_nan() || f64::from(v as f32) == v).then_some(v),
            None => text.parse::<f32>().ok().map(f64::from),
        },
    }
}
