//! The shape of a report: every field of the type its format gives it.

use serde_json::Value;

use super::json::Place;
use super::points::Points;
use crate::report::Report;

/// Says where the first value of the wrong type stands, unless that is known already.
pub(super) fn check(report: &Place<'_>, points: &mut Points) {
    let plain = plain(report.value());
    let Err(error) = serde_path_to_error::deserialize::<_, Report>(&plain) else {
        return points.holds("shape", "every field is of its type");
    };
    let path = error.path().to_string();
    let what = if path == "." { "shape".to_owned() } else { path };
    if !points.has_failing(&what) {
        points.fails(what, error.into_inner().to_string());
    }
}

/// The report as this version would write it: tools may have turned 2 into 2.0 and left-out fields into null.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            // Before and after a finding, null is a value like any other.
            let stays = |key: &str, value: &Value| !value.is_null() || matches!(key, "before" | "after");
            let kept = fields.iter().filter(|(key, value)| stays(key, value));
            kept.map(|(key, value)| (key.clone(), plain(value))).collect()
        }
        Value::Number(number) => match number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e9) {
            Some(whole) => (whole as i64).into(),
            None => value.clone(),
        },
        other => other.clone(),
    }
}
