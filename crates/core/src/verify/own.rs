//! Our own reports: everything but the judge's answers can be derived again.

use schemars::schema_for;
use serde_json::Value;

use super::chat::{Chat, Spelling};
use super::json::Place;
use super::points::{Outcome, Points, shown};
use super::{answers, audit, moments, numbers, panel, shape};
use crate::report::{REPORT_SCHEMA, Report};
use crate::rubric::Rubric;

/// Checks all claims and gives the chat's id.
pub(super) fn check(report: &Place<'_>, rubric: &Rubric, points: &mut Points) -> Option<String> {
    let known = REPORT_SCHEMA.into();
    points.compare(&report.key("schema"), &known);
    let id = report.key("transcript").key("id");
    let same_rubric = check_rubric(&report.key("rubric"), rubric, points);
    let ours = same_rubric.then_some(rubric);
    let chat = Chat::read(&report.key("turns"), id.text().unwrap_or_default(), Spelling::Strict, points);
    check_transcript(&report.key("transcript"), &chat, points);
    check_wording(report, ours, &chat, points);
    check_gate_quotes(report, &chat, points);
    audit::check_shape(report, points);
    let verdicts = answers::check(report, ours, &chat, points);
    match (ours, verdicts) {
        (Some(rubric), Some(verdicts)) => numbers::check(report, rubric, &verdicts, &chat, points),
        (Some(_), None) => numbers::leave_open(report, "not every answer it is derived from can be read", points),
        (None, _) => numbers::leave_open(report, "it follows from the rules of another rubric", points),
    }
    panel::check(report, rubric, same_rubric, points);
    check_unknown(report, points);
    shape::check(report, points);
    let judge = report.key("judge").key("name");
    if judge.text().is_none() {
        points.fails(&judge, format!("expected the judge's name, found {}", judge.sort()));
    }
    points.open(
        "judge",
        "the answers themselves, and what is said about who gave them, are the judge's word; they can be checked \
         against their quotes only",
    );
    id.text().map(str::to_owned)
}

/// Whether the report was made with this rubric. With another one, nothing that follows from its rules can be derived.
fn check_rubric(place: &Place<'_>, rubric: &Rubric, points: &mut Points) -> bool {
    let (name, version, hash) = (place.key("name"), place.key("version"), place.key("hash"));
    let Some(digest) = hash.text().filter(|digest| is_digest(digest)) else {
        let found = shown(hash.value());
        points.fails(&hash, format!("expected a digest, found {found}; numbers are derived with the rubric given"));
        return true;
    };
    if digest == rubric.digest() {
        points.holds(&hash, digest);
        points.compare(&name, &rubric.name().into());
        points.compare(&version, &rubric.version().into());
        return true;
    }
    let made_with = format!("made with rubric {} version {}", shown(name.value()), shown(version.value()));
    points.open(&hash, format!("{made_with}, digest {digest}; pass that file with --rubric"));
    false
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix("blake3:").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn check_transcript(place: &Place<'_>, chat: &Chat, points: &mut Points) {
    let (id, hash, dropped) = (place.key("id"), place.key("hash"), place.key("dropped"));
    if id.text().is_none() {
        points.fails(&id, format!("expected a text, found {}", id.sort()));
    }
    match &chat.transcript {
        Some(transcript) => points.compare(&hash, &transcript.digest().into()),
        None => points.open(&hash, "the chat cannot be read as a whole"),
    }
    if dropped.entries().is_some_and(|entries| !entries.is_empty()) {
        points.open(&dropped, "what is not a turn was left out, so it cannot be counted again");
    }
}

fn check_wording(report: &Place<'_>, rubric: Option<&Rubric>, chat: &Chat, points: &mut Points) {
    let limits = rubric.map(Rubric::limits);
    let ids = moments::check(report, chat, Spelling::Strict, limits.map(|limits| limits.moments), points);
    let audit = report.key("audit");
    for (key, metric) in report.key("metrics").entries().unwrap_or_default() {
        let without = moments::without_moment(report, &metric, audit::excuses(&audit, key));
        moments::check_ev(&metric.key("ev"), ids.as_ref(), without, points);
        moments::check_words(&metric.key("why"), limits.map(|limits| limits.why_words), false, points);
    }
    let most = limits.map(|limits| limits.highlights);
    moments::check_highlights(report, ids.as_ref(), Outcome::DoesNotHold, most, points);
    moments::check_words(&report.key("summary"), limits.map(|limits| limits.summary_words), true, points);
}

/// The words that tripped a gate must stand in the chat, whatever the rubric.
fn check_gate_quotes(report: &Place<'_>, chat: &Chat, points: &mut Points) {
    for gate in report.key("gates").items().unwrap_or_default() {
        let turns = answers::read_turns(&gate.key("turns"), chat, points).unwrap_or_default();
        if !gate.key("quote").is_missing() {
            chat.check_quote(&gate.key("quote"), &turns, points);
        }
    }
}

/// Fields that no report of this format has: nothing vouches for what they say.
fn check_unknown(report: &Place<'_>, points: &mut Points) {
    let schema = schema_for!(Report);
    let fields = |of: Option<&Value>| -> Vec<String> {
        let fields = of.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        fields.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    };
    let part = |name: &str| fields(schema.get("$defs").and_then(|parts| parts.get(name)));
    let (top, metric, check) = (fields(Some(schema.as_value())), part("MetricReport"), part("CheckReport"));
    let mut look = |place: &Place<'_>, known: &[String]| {
        for (key, field) in place.entries().unwrap_or_default() {
            if !known.iter().any(|known| known == key) {
                points.open(&field, "this version knows no such field");
            }
        }
    };
    look(report, &top);
    for (_, place) in report.key("metrics").entries().unwrap_or_default() {
        look(&place, &metric);
        for (_, place) in place.key("checks").entries().unwrap_or_default() {
            look(&place, &check);
        }
    }
}
