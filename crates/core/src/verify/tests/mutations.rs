//! Every way to change a report in one place: each value removed, replaced, renamed, repeated, or given something more.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// A report changed in one place, and what was done to it.
pub(super) struct Mutation {
    /// The JSON pointer of the place, with `*` for list positions, metrics and checks.
    pub(super) place: String,
    /// What was done there.
    pub(super) change: &'static str,
    /// The changed report.
    pub(super) report: Value,
}

/// The mutations of a report, in so many places of each sort, such as the scores of metrics: all of them would take minutes.
pub(super) fn mutations(report: &Value, of_a_sort: usize) -> Vec<Mutation> {
    let mut all = Vec::new();
    let mut sorts: BTreeMap<String, usize> = BTreeMap::new();
    for pointer in pointers(report, "") {
        let so_far = sorts.entry(place(&pointer)).or_default();
        *so_far += 1;
        if *so_far > of_a_sort {
            continue;
        }
        let value = report.pointer(&pointer).unwrap();
        let mut push = |change: &'static str, mutated: Option<Value>| {
            all.extend(mutated.map(|report| Mutation { place: place(&pointer), change, report }));
        };
        // A value that says nothing may be left out.
        let is_empty = matches!(value, Value::Null) || *value == json!([]) || *value == json!({});
        push("replaced", (!is_empty).then(|| with(report, &pointer, replacement(value))));
        push("extended", extended(value).map(|value| with(report, &pointer, value)));
        if let Some((parent, key)) = pointer.rsplit_once('/').filter(|_| !is_empty) {
            push("removed", Some(changed(report, parent, |fields| without(fields, key), |items| drop_at(items, key))));
            push("renamed", report.pointer(parent).unwrap().is_object().then(|| renamed(report, parent, key)));
        }
    }
    all
}

/// JSON pointers to everything in a value.
fn pointers(value: &Value, at: &str) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (escaped(key), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    let below = below.into_iter().flat_map(|(key, value)| pointers(value, &format!("{at}/{key}")));
    std::iter::once(at.to_owned()).chain(below).filter(|pointer| !pointer.is_empty() || at.is_empty()).collect()
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A pointer without positions and names, so that one place stands for all of its sort.
fn place(pointer: &str) -> String {
    let mut before = "";
    let mut plain = Vec::new();
    for part in pointer.split('/') {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.push(if is_number || matches!(before, "metrics" | "checks" | "weights") { "*" } else { part });
        before = part;
    }
    plain.join("/")
}

/// Another value of the same type.
fn replacement(value: &Value) -> Value {
    match value {
        Value::Null => json!("something"),
        Value::Bool(flag) => (!flag).into(),
        Value::Number(number) if number.is_u64() => json!(number.as_u64().unwrap() + 1),
        Value::Number(_) => json!(0.37),
        Value::String(text) => format!("{text} indeed").into(),
        Value::Array(_) => json!([]),
        Value::Object(_) => json!({}),
    }
}

/// A list with its first item again at the end, or an object with a field nobody knows.
fn extended(value: &Value) -> Option<Value> {
    match value {
        Value::Array(items) => {
            let more = items.first().cloned().unwrap_or_else(|| json!("something"));
            Some(items.iter().cloned().chain([more]).collect())
        }
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("added".to_owned(), json!("by hand"));
            Some(fields.into())
        }
        _ => None,
    }
}

fn with(report: &Value, pointer: &str, value: Value) -> Value {
    let mut report = report.clone();
    *report.pointer_mut(pointer).unwrap() = value;
    report
}

fn changed(
    report: &Value,
    parent: &str,
    in_object: impl Fn(&mut Map<String, Value>),
    in_list: impl Fn(&mut Vec<Value>),
) -> Value {
    let mut report = report.clone();
    match report.pointer_mut(parent).unwrap() {
        Value::Object(fields) => in_object(fields),
        Value::Array(items) => in_list(items),
        other => panic!("{parent}: {other}"),
    }
    report
}

fn without(fields: &mut Map<String, Value>, key: &str) {
    fields.shift_remove(&key.replace("~1", "/").replace("~0", "~")).unwrap();
}

fn drop_at(items: &mut Vec<Value>, position: &str) {
    items.remove(position.parse().unwrap());
}

fn renamed(report: &Value, parent: &str, key: &str) -> Value {
    let mut report = report.clone();
    let fields = report.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    let plain = key.replace("~1", "/").replace("~0", "~");
    *fields = std::mem::take(fields)
        .into_iter()
        .map(|(name, value)| if name == plain { (format!("{name}_"), value) } else { (name, value) })
        .collect();
    report
}
