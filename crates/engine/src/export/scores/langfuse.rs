//! Langfuse: a score on the session, or on the trace where the chat is one trace without a session.

use carelock_store::Run;
use serde_json::{Value, json};

use super::scored::{Measure, Scored};
use super::{Records, identity};
use crate::runs::StoredReport;

pub(super) fn records(run: &Run, stored: &StoredReport, scores: &[Scored]) -> Option<Records> {
    let origin = stored.trace.as_ref()?;
    let mut target = serde_json::Map::new();
    // A score hangs on a session or on a trace, never on both.
    match (&origin.session, &origin.trace) {
        (Some(session), _) => drop(target.insert("sessionId".to_owned(), session.clone().into())),
        (None, Some(trace)) => {
            target.insert("traceId".to_owned(), trace.clone().into());
            target.extend(origin.span.iter().map(|span| ("observationId".to_owned(), span.clone().into())));
        }
        (None, None) => return None,
    }
    let record = |score: &Scored| {
        let value = score.value?;
        let kind = if score.measure == Measure::Flag { "BOOLEAN" } else { "NUMERIC" };
        let mut record =
            json!({"id": identity(run, stored, &score.name), "name": score.name, "value": value, "dataType": kind});
        let fields = record.as_object_mut()?;
        fields.extend(target.clone());
        if !score.explanation.is_empty() {
            fields.insert("comment".to_owned(), score.explanation.clone().into());
        }
        let report = &stored.report;
        let metadata = json!({
            "run": run.name, "chat": report.transcript.id, "hash": report.transcript.hash, "judge": report.judge.name,
            "rubric": report.rubric.version, "label": score.label, "traceId": origin.trace, "spanId": origin.span,
        });
        fields.insert("metadata".to_owned(), metadata);
        Some(record)
    };
    let records: Vec<Value> = scores.iter().filter_map(record).collect();
    let written = records.len() as u64;
    Some(Records { records, scores: written, unscored: scores.len() as u64 - written })
}
