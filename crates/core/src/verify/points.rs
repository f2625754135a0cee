//! Points: one claim of a report each, with what became of it.

use std::fmt::Display;

use serde::Serialize;
use serde_json::Value;

use super::json::Place;

/// One claim of a report and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// The claim, named by its path in the JSON, such as `metrics.Empathy.score`.
    pub what: String,
    /// Whether it holds.
    pub outcome: Outcome,
    /// What the report says, what was derived, or why it cannot be verified.
    pub detail: String,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was derived or looked up again, and is as the report says.
    Holds,
    /// It is not as the report says.
    DoesNotHold,
    /// The report does not carry what it would take to tell.
    CannotVerify,
}

/// How many claims have each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Claims that hold.
    pub hold: usize,
    /// Claims that do not hold.
    pub do_not_hold: usize,
    /// Claims that cannot be verified.
    pub cannot_be_verified: usize,
}

/// The points as they are collected.
#[derive(Default)]
pub(super) struct Points {
    all: Vec<Point>,
    /// Whether a score, a gate or the overall score could not be derived.
    underived: bool,
}

impl Points {
    pub(super) fn holds(&mut self, what: impl Display, detail: impl Into<String>) {
        self.push(what, Outcome::Holds, detail);
    }

    pub(super) fn fails(&mut self, what: impl Display, detail: impl Into<String>) {
        self.push(what, Outcome::DoesNotHold, detail);
    }

    pub(super) fn open(&mut self, what: impl Display, detail: impl Into<String>) {
        self.push(what, Outcome::CannotVerify, detail);
    }

    /// A number that stands at the head of the report cannot be derived, so the report does not verify.
    pub(super) fn underived(&mut self, what: impl Display, detail: impl Into<String>) {
        self.underived = true;
        self.open(what, detail);
    }

    pub(super) fn push(&mut self, what: impl Display, outcome: Outcome, detail: impl Into<String>) {
        self.all.push(Point { what: what.to_string(), outcome, detail: detail.into() });
    }

    /// Holds or does not, with a sentence for either.
    pub(super) fn judge(&mut self, what: impl Display, holds: Result<String, String>) {
        match holds {
            Ok(detail) => self.holds(what, detail),
            Err(detail) => self.fails(what, detail),
        }
    }

    /// How many points there are, to tell later whether something was added.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The items of a list; `missing` says what it means when there is none.
    pub(super) fn list<'a>(&mut self, place: &Place<'a>, missing: Outcome) -> Vec<Place<'a>> {
        if let Some(items) = place.items() {
            return items;
        }
        if place.is_missing() {
            self.push(place, missing, "the report has no such list");
        } else {
            self.fails(place, format!("expected a list, found {}", place.sort()));
        }
        Vec::new()
    }

    /// Holds where the report's value is the derived one.
    pub(super) fn compare(&mut self, place: &Place<'_>, derived: &Value) {
        if same(place.value(), derived) {
            self.holds(place, shown(derived));
        } else {
            self.fails(place, differs(place.value(), derived));
        }
    }

    /// The points, and whether all headline numbers could be derived.
    pub(super) fn finish(self) -> (Vec<Point>, bool) {
        (self.all, !self.underived)
    }
}

/// What a report says beside what it should say.
pub(super) fn differs(said: &Value, derived: &Value) -> String {
    format!("the report says {}, derived is {}", shown(said), shown(derived))
}

/// Equal as data: 1 is 1.0, and what is left out is null, empty or nothing.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let in_other =
                |key: &String| same(left.get(key).unwrap_or(&Value::Null), right.get(key).unwrap_or(&Value::Null));
            left.keys().chain(right.keys()).all(in_other)
        }
        _ => left == right || (is_empty(left) && is_empty(right)),
    }
}

/// Whether a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// A value, short enough for a message; a score has its two decimals.
pub(super) fn shown(value: &Value) -> String {
    let decimals = |number: &serde_json::Number| number.as_f64().filter(|_| number.is_f64());
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => return quoted(text),
        Value::Number(number) => match decimals(number) {
            Some(decimal) if (decimal * 100.0 - (decimal * 100.0).round()).abs() < 1e-6 => format!("{decimal:.2}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    };
    shorten(&text)
}

/// Words in quotation marks, short enough for a message.
pub(super) fn quoted(text: &str) -> String {
    format!("“{}”", shorten(text))
}

fn shorten(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
