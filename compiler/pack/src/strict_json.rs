//! JSON in which every key of an object stands once.
//!
//! serde_json, and with it the safetensors crate (0.8.0), keeps the last of two equal keys without
//! a word. Two readers could then see two different packs in one file, so this reader refuses.
//!
//! Invariants: nesting is bounded by serde_json (128 levels); the text's length is bounded by the
//! caller. Cost: one pass.

use std::cell::RefCell;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not JSON without repeated keys.
#[derive(Debug)]
pub(crate) enum StrictJsonFault {
    /// This key stands twice in one object.
    DuplicateKey(String),
    /// The text is no JSON; what the parser said.
    Malformed(String),
}

/// Parses one JSON text; whitespace may follow it, nothing else.
pub(crate) fn parse(text: &[u8]) -> Result<Value, StrictJsonFault> {
    let duplicate = RefCell::new(None);
    let mut json = serde_json::Deserializer::from_slice(text);
    let parsed = Strict(&duplicate)
        .deserialize(&mut json)
        .and_then(|value| json.end().map(|()| value));
    parsed.map_err(|error| match duplicate.take() {
        Some(key) => StrictJsonFault::DuplicateKey(key),
        None => StrictJsonFault::Malformed(error.to_string()),
    })
}

/// Builds a value and leaves the first repeated key in the cell.
#[derive(Clone, Copy)]
struct Strict<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                self.0.replace(Some(key));
                return Err(A::Error::custom("a key stands twice"));
            }
            let value = entries.next_value_seed(self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
