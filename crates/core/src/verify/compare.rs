//! Two reports side by side: the one that was read and the one that was made again.

use serde_json::Value;

use super::json::Place;
use super::points::{Points, differs, same, shown};

/// Fields the format does not have: no Care-Lock of this version wrote them, so nothing vouches for what they say.
pub(super) fn unknown_fields(place: &Place<'_>, known: &Value, points: &mut Points) {
    for (key, field) in place.entries().unwrap_or_default() {
        match known.get(key) {
            // What is left out when it is empty is no news.
            None if field.is_empty() => {}
            None => points.fails(&field, "the format has no such field, so it was added to the report"),
            Some(known) => unknown_fields(&field, known, points),
        }
    }
    for (item, known) in place.items().unwrap_or_default().iter().zip(known.as_array().into_iter().flatten()) {
        unknown_fields(item, known, points);
    }
}

/// Compares everything that follows from the answers.
pub(super) fn reports(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points) {
    let is_panel = !derived["panel"].is_null();
    for (key, (said, derived)) in pairs(said, derived) {
        let place = place.key(key);
        match key {
            // What a judge says of itself cannot be derived; a panel's judges are those whose reports it keeps.
            "judge" if is_panel => value(&place, said, derived, points),
            "judge" => {}
            // Looked up already; but a panel's judges must have judged the panel's chat.
            "schema" | "turns" if same(said, derived) => {}
            "audit" => findings(&place, said, derived, points),
            "panel" => panel(&place, said, derived, points),
            "transcript" | "rubric" => entries(&place, said, derived, points, value),
            "metrics" => entries(&place, said, derived, points, metric),
            _ => value(&place, said, derived, points),
        }
    }
}

/// The values of both objects by key, null where one lacks it.
fn pairs<'a>(said: &'a Value, derived: &'a Value) -> Vec<(&'a str, (&'a Value, &'a Value))> {
    let keys = |value: &'a Value| value.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let new = keys(derived).filter(|key| said.get(key).is_none());
    let of = |value: &'a Value, key: &str| value.get(key).unwrap_or(&Value::Null);
    keys(said).chain(new).map(|key| (key, (of(said, key), of(derived, key)))).collect()
}

type Comparison = fn(&Place<'_>, &Value, &Value, &mut Points);

fn entries(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points, compare: Comparison) {
    for (key, (said, derived)) in pairs(said, derived) {
        compare(&place.key(key), said, derived, points);
    }
}

fn metric(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points) {
    if derived.is_null() {
        return points.fails(place, "the rubric has no such metric");
    }
    for (key, (said, derived)) in pairs(said, derived) {
        match key {
            "checks" => entries(&place.key(key), said, derived, points, check),
            _ => value(&place.key(key), said, derived, points),
        }
    }
}

fn check(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points) {
    match derived {
        Value::Null => points.fails(place, "the rubric has no such check in this metric"),
        _ => value(place, said, derived, points),
    }
}

/// One point where the two are the same, else one for every place in which they differ.
fn value(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points) {
    if same(said, derived) {
        return points.holds(place, shown(said));
    }
    match (said, derived) {
        (Value::Object(_), Value::Object(_)) => {
            for (key, (said, derived)) in
                pairs(said, derived).into_iter().filter(|(_, (said, derived))| !same(said, derived))
            {
                value(&place.key(key), said, derived, points);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.iter().chain(right).any(Value::is_object) => {
            for (number, derived) in right.iter().enumerate() {
                match left.get(number) {
                    Some(said) => value(&place.at(number), said, derived, points),
                    None => points.fails(place, format!("it lacks {}", shown(derived))),
                }
            }
            for number in right.len()..left.len() {
                points.fails(place.at(number), "nothing in the answers leads to it");
            }
        }
        _ => points.fails(place, differs(said, derived)),
    }
}

/// Every judge's own report, the votes and the agreement.
fn panel(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points) {
    for (key, (said, derived)) in pairs(said, derived) {
        match (key, said.as_array(), derived.as_array()) {
            ("reports", Some(said), Some(derived)) => {
                for (number, (said, derived)) in said.iter().zip(derived).enumerate() {
                    reports(&place.key(key).at(number), said, derived, points);
                }
            }
            _ => value(&place.key(key), said, derived, points),
        }
    }
}

/// The audit: what follows from the verdicts must be there, and nothing more of that sort. What the judge had sent before
/// its evidence was corrected is kept nowhere else, so findings on it can only be read.
fn findings(place: &Place<'_>, said: &Value, derived: &Value, points: &mut Points) {
    let before = points.len();
    let (said, derived) = (said.as_array().into_iter().flatten(), derived.as_array().into_iter().flatten());
    let mut said: Vec<(usize, &Value)> = said.enumerate().collect();
    let order = ["entailed", "incoherent", "evidence", "wording"];
    let step = |finding: &Value| order.iter().position(|step| finding["step"] == *step);
    if !said.is_sorted_by_key(|(_, finding)| step(finding)) {
        points.fails(place, "the steps of the audit are out of order");
    }
    for finding in derived {
        let is_it = |(_, said): &(usize, &Value)| said["rule"] == finding["rule"] && said["about"] == finding["about"];
        match said.iter().position(is_it) {
            Some(found) => {
                let (number, said) = said.remove(found);
                value(&place.at(number), said, finding, points);
            }
            None => points
                .fails(place, format!("a finding is missing: {}, {}", shown(&finding["rule"]), shown(&finding["saw"]))),
        }
    }
    let mut sent = 0;
    for (number, finding) in said {
        match step(finding) {
            Some(2) => sent += 1,
            _ => points.fails(place.at(number), "nothing in the report leads to this finding"),
        }
    }
    if sent > 0 {
        points.open(
            format!("{place} (evidence)"),
            format!(
                "{sent} findings on evidence: what the judge had sent before it was corrected is kept nowhere else"
            ),
        );
    } else if points.len() == before {
        points.holds(place, "the verdicts entail no failure and no metrics lie far apart");
    }
}
