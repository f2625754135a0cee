//! Phoenix: an annotation on the session where a chat goes over several traces, else on its trace, else on its span.

use carelock_store::Run;
use serde_json::{Value, json};

use super::scored::Scored;
use super::{Records, identity};
use crate::runs::StoredReport;

/// What an annotation can hang on: the key that names it, and the call that takes it.
pub(super) const TARGETS: [(&str, &str); 3] = [
    ("session_id", "/v1/session_annotations"),
    ("trace_id", "/v1/trace_annotations"),
    ("span_id", "/v1/span_annotations"),
];

pub(super) fn records(run: &Run, stored: &StoredReport, scores: &[Scored]) -> Option<Records> {
    let origin = stored.trace.as_ref()?;
    let session = origin.session.as_ref().filter(|_| origin.traces > 1 || origin.trace.is_none());
    let trace = origin.trace.as_ref().map(|trace| ("trace_id", trace));
    let span = origin.span.as_ref().map(|span| ("span_id", span));
    let (key, target) = session.map(|session| ("session_id", session)).or(trace).or(span)?;
    let record = |score: &Scored| {
        let label = if score.value.is_some() { score.label.clone() } else { Some("unscored".to_owned()) };
        let report = &stored.report;
        json!({
            key: target, "name": score.name, "annotator_kind": "CODE",
            "result": {"label": label, "score": score.value, "explanation": score.explanation},
            "metadata": {
                "run": run.name, "chat": report.transcript.id, "hash": report.transcript.hash, "judge": report.judge.name,
                "rubric": report.rubric.version, "trace_id": origin.trace, "span_id": origin.span,
            },
            "identifier": identity(run, stored, &score.name),
        })
    };
    let records: Vec<Value> = scores.iter().map(record).collect();
    Some(Records { scores: records.len() as u64, records, unscored: 0 })
}
