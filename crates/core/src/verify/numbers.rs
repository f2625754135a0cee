//! Every number derived again from the judge's own verdicts, and compared with what the report says.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::audit;
use super::chat::Chat;
use super::json::Place;
use super::points::{Points, shown};
use crate::report::{check_report, gate_reports};
use crate::rubric::Rubric;
use crate::scorecard::{Scorecard, Weight, Weights};
use crate::verdict::Verdict;

/// The numbers of a report besides those of its metrics.
const OVERALL: [&str; 4] = ["overall", "undetermined", "overall_partial", "overall_ungated"];

/// Derives everything and compares it.
pub(super) fn check(report: &Place<'_>, rubric: &Rubric, verdicts: &[Verdict], chat: &Chat, points: &mut Points) {
    let weights = weights(&report.key("weights"), rubric, points);
    let card = Scorecard::compute(rubric, verdicts.to_vec(), weights.as_ref().unwrap_or(&Weights::equal(rubric)));
    check_metrics(report, rubric, &card, points);
    audit::check_derived(&report.key("audit"), &card.findings, points);
    if weights.is_none() {
        let reason = "the weights cannot be used";
        OVERALL.iter().for_each(|name| points.open(name, reason));
        return points.open("gates", reason);
    }
    points.compare(&report.key("overall"), &json(&card.overall));
    points.compare_if_any(&report.key("undetermined"), &json(&card.undetermined));
    points.compare_if_any(&report.key("overall_partial"), &json(&card.overall_partial));
    points.compare_if_any(&report.key("overall_ungated"), &json(&card.overall_ungated));
    check_gates(report, rubric, &card, chat, points);
}

/// Says that nothing derived can be verified, and why.
pub(super) fn leave_open(report: &Place<'_>, reason: &str, points: &mut Points) {
    for (_, metric) in report.key("metrics").entries().unwrap_or_default() {
        points.open(metric.key("score"), reason);
    }
    for name in ["audit", "gates"].iter().chain(&OVERALL) {
        if !report.key(name).is_missing() || *name == OVERALL[0] {
            points.open(name, reason);
        }
    }
}

fn json(value: &impl Serialize) -> Value {
    // Scores, counts and texts always are JSON.
    serde_json::to_value(value).unwrap_or_default()
}

/// The weights the report names, or equal ones; nothing where they cannot be used.
fn weights(place: &Place<'_>, rubric: &Rubric, points: &mut Points) -> Option<Weights> {
    if place.is_missing() {
        return Some(Weights::equal(rubric));
    }
    let Some(entries) = place.entries() else {
        points.fails(place, format!("expected weights by metric, found {}", place.sort()));
        return None;
    };
    let mut map = IndexMap::new();
    for (key, entry) in entries {
        let known = rubric.metrics().iter().any(|metric| metric.key == key);
        match serde_json::from_value::<Weight>(entry.value().clone()) {
            Ok(weight) if known => drop(map.insert(key.to_owned(), weight)),
            Ok(_) => points.fails(&entry, "the rubric has no such metric"),
            Err(error) => points.fails(&entry, error.to_string()),
        }
    }
    if map.len() != place.entries().map_or(0, |entries| entries.len()) {
        return None;
    }
    match Weights::from_map(rubric, &map) {
        Ok(weights) => {
            points.holds(place, "valid; the overall score is derived with them");
            Some(weights)
        }
        Err(error) => {
            points.fails(place, error.to_string());
            None
        }
    }
}

fn check_metrics(report: &Place<'_>, rubric: &Rubric, card: &Scorecard, points: &mut Points) {
    for (position, score) in card.metrics.iter().enumerate() {
        let metric = report.key("metrics").key(&rubric.metrics()[position].key);
        points.compare(&metric.key("score"), &json(&score.score));
        points.compare_if_any(&metric.key("tier"), &json(&score.tier));
        let gate: Vec<&str> = score.gate.iter().map(|&check| rubric.check(check).id.as_str()).collect();
        points.compare_if_any(&metric.key("gate"), &json(&gate));
        for check in rubric.checks_of(position) {
            let place = metric.key("checks").key(&rubric.check(check).id);
            check_audited(&place, &json(&check_report(rubric, card.checks[check].clone())), points);
        }
    }
}

/// One check is one point, unless the audit would have left it otherwise.
fn check_audited(place: &Place<'_>, derived: &Value, points: &mut Points) {
    const FIELDS: [&str; 9] =
        ["pass", "unscored", "basis", "turns", "quote", "why", "confidence", "entailed_by", "judged"];
    let pass = match place.key("pass").value() {
        Value::Bool(true) => "pass",
        Value::Bool(false) => "fail",
        _ => "unscored",
    };
    let basis = place.key("basis").text().unwrap_or_default();
    points.compare_fields(place, &FIELDS, derived, format!("{pass} {basis}").trim_end().to_owned());
}

fn check_gates(report: &Place<'_>, rubric: &Rubric, card: &Scorecard, chat: &Chat, points: &mut Points) {
    const FIELDS: [&str; 8] = ["metric", "check", "says", "cap", "without", "turns", "quote", "why"];
    let place = report.key("gates");
    let Some(mut said) = place.items() else {
        return points.fails(&place, format!("expected a list, found {}", place.sort()));
    };
    let Some(transcript) = &chat.transcript else {
        return points.open(&place, "the chat cannot be read, so neither can the words that tripped a gate");
    };
    let derived = gate_reports(rubric, transcript, card);
    let none = derived.is_empty() && said.is_empty();
    for gate in derived {
        let check = gate.check.to_string();
        let Some(found) = said.iter().position(|entry| entry.key("check").text() == Some(&check)) else {
            let cap = gate.cap;
            points
                .fails(&place, format!("{check} fails, so the gate is tripped (at most {cap}), and it is not listed"));
            continue;
        };
        let entry = said.remove(found);
        let detail = format!("{check} trips it: at most {}", gate.cap);
        points.compare_fields(&entry, &FIELDS, &json(&gate), detail);
    }
    for extra in said {
        let name = shown(extra.key("check").value());
        points.fails(&extra, format!("by the verdicts the gate check {name} was not failed"));
    }
    if none {
        points.holds(&place, "none was tripped");
    }
}
