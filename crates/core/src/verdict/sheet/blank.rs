//! Empty sheets, with the rubric's wording beside every check.

use serde_json::{Map, Value, json};

use super::{COLUMNS, row};
use crate::rubric::{Check, Rubric};
use crate::transcript::Transcript;
use crate::verdict::VERDICTS_SCHEMA;

/// A sheet as a table: a row a check, then rows for moments, highlights, summary and the rater's name.
pub fn sheet_csv(rubric: &Rubric, transcript: &Transcript) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, so the results are dropped on purpose.
    let _ = table.write_record(COLUMNS);
    for (position, check) in rubric.checks().enumerate() {
        let metric = &rubric.metrics()[rubric.metric_of(position)].key;
        let kind = check.kind.to_string();
        let _ = table.write_record([&check.id, metric, &kind, &passes_when(check), &check.fails, "", "", "", ""]);
    }
    let mut plain = |name: &str, quote: &str, why: &str| {
        let _ = table.write_record([name, "", "", "", "", "", "", quote, why]);
    };
    (0..rubric.limits().moments).for_each(|_| plain(row::MOMENT, "", ""));
    plain(row::POSITIVE, "", "");
    plain(row::NEGATIVE, "", "");
    plain(row::SUMMARY, "", "");
    plain(row::JUDGE, "", "");
    plain(row::TRANSCRIPT, &transcript.digest(), transcript.id());
    String::from_utf8(table.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A sheet as JSON, with the numbered turns in front so that they can be cited.
pub fn sheet_json(rubric: &Rubric, transcript: &Transcript) -> Value {
    let mut verdicts = Map::new();
    for check in rubric.checks() {
        verdicts.insert(
            check.id.clone(),
            json!({
                "kind": check.kind,
                "passes_when": passes_when(check),
                "fails_when": check.fails,
                "pass": null,
                "basis": null,
                "turns": [],
                "quote": null,
                "why": "",
            }),
        );
    }
    json!({
        "schema": VERDICTS_SCHEMA,
        "judge": { "name": "person:" },
        "transcript": { "id": transcript.id(), "hash": transcript.digest() },
        "turns": transcript.turns(),
        "verdicts": verdicts,
        "moments": [],
        "positive": [],
        "negative": [],
        "summary": "",
    })
}

fn passes_when(check: &Check) -> String {
    match &check.condition {
        Some(condition) => format!("{condition}: {}", check.passes),
        None => check.passes.clone(),
    }
}
