//! A small validator of JSON against `docs/schema/auspex.schema.json`: as much of JSON Schema as that file uses.

use serde_json::Value;
use std::path::Path;

/// The keywords that the validator knows; others in the file are a mistake.
const KNOWN: [&str; 13] = [
    "$schema",
    "$ref",
    "$defs",
    "title",
    "description",
    "type",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "pattern",
];

pub fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/auspex.schema.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    serde_json::from_str(&text).expect("JSON")
}

/// Checks a value against a definition of the schema.
pub fn fits(definition: &str, value: &Value) {
    let all = schema();
    let wanted = &all["$defs"][definition];
    assert!(wanted.is_object(), "no definition {definition}");
    if let Err(why) = check(&all, wanted, value, definition) {
        panic!("{why}");
    }
}

fn check(all: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    for word in schema.as_object().expect("a schema").keys() {
        assert!(
            KNOWN.contains(&word.as_str()),
            "unknown keyword {word} at {place}"
        );
    }
    if let Some(name) = schema["$ref"].as_str() {
        let name = name
            .strip_prefix("#/$defs/")
            .expect("a definition of this file");
        return check(all, &all["$defs"][name], value, place);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = choices
            .iter()
            .any(|choice| check(all, choice, value, place).is_ok());
        return fits
            .then_some(())
            .ok_or(format!("{place}: {value} fits no choice"));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{place}: {value} is not one of {words:?}"));
    }
    if let Some(wanted) = schema["type"].as_str()
        && !is_of(wanted, value)
    {
        return Err(format!("{place}: {value} is no {wanted}"));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (at, value) in values.iter().enumerate() {
            check(all, items, value, &format!("{place}[{at}]"))?;
        }
    }
    match value.as_object() {
        Some(object) => check_object(all, schema, object, place),
        None => Ok(()),
    }
}

fn check_object(
    all: &Value,
    schema: &Value,
    object: &serde_json::Map<String, Value>,
    place: &str,
) -> Result<(), String> {
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        if !object.contains_key(name) {
            return Err(format!("{place}: no {name}"));
        }
    }
    for (name, value) in object {
        match schema["properties"].get(name) {
            Some(inner) => check(all, inner, value, &format!("{place}.{name}"))?,
            None => match &schema["additionalProperties"] {
                Value::Bool(false) => return Err(format!("{place}: {name} is not in the schema")),
                inner @ Value::Object(_) => check(all, inner, value, &format!("{place}.{name}"))?,
                _ => {}
            },
        }
    }
    Ok(())
}

fn is_of(wanted: &str, value: &Value) -> bool {
    match wanted {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    }
}
