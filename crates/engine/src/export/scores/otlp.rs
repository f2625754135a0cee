//! OpenTelemetry: a log record `gen_ai.evaluation.result` for each score, one export request for each chat.

use carelock_store::Run;
use serde_json::{Value, json};

use super::Records;
use super::scored::Scored;
use crate::runs::StoredReport;

/// Milliseconds in nanoseconds.
const NANOSECONDS: i128 = 1_000_000;

/// Severity INFO.
const INFO: u8 = 9;

pub(super) fn records(run: &Run, stored: &StoredReport, scores: &[Scored]) -> Records {
    let time = (i128::from(run.created) * NANOSECONDS).to_string();
    let logs: Vec<Value> = scores.iter().map(|score| log(&time, stored, score)).collect();
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let resource = json!({"attributes": [
        text("service.name", "carelock"),
        text("service.version", env!("CARGO_PKG_VERSION")),
        text("carelock.run", &run.name),
    ]});
    let scope = json!({"name": "carelock", "version": env!("CARGO_PKG_VERSION")});
    let request =
        json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": logs}]}]});
    Records { records: vec![request], scores: scores.len() as u64, unscored: 0 }
}

fn log(time: &str, stored: &StoredReport, score: &Scored) -> Value {
    let report = &stored.report;
    let origin = stored.trace.as_ref();
    let session = origin.and_then(|origin| origin.session.as_deref()).unwrap_or(&report.transcript.id);
    let mut attributes = vec![
        ("gen_ai.evaluation.name", Some(score.name.as_str())),
        ("gen_ai.evaluation.score.label", score.label.as_deref()),
        ("gen_ai.evaluation.explanation", Some(score.explanation.as_str()).filter(|text| !text.is_empty())),
        ("gen_ai.conversation.id", Some(session)),
        ("carelock.chat.id", Some(report.transcript.id.as_str())),
        ("carelock.chat.hash", Some(report.transcript.hash.as_str())),
        ("carelock.judge", Some(report.judge.name.as_str())),
        ("carelock.rubric.version", Some(report.rubric.version.as_str())),
    ];
    if score.value.is_none() {
        attributes.push(("error.type", Some("unscored")));
    }
    let text = |(key, value): (&str, Option<&str>)| Some(json!({"key": key, "value": {"stringValue": value?}}));
    let mut attributes: Vec<Value> = attributes.into_iter().filter_map(text).collect();
    if let Some(value) = score.value {
        attributes.insert(1, json!({"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": value}}));
    }
    let mut log = json!({
        "timeUnixNano": time, "observedTimeUnixNano": time, "severityNumber": INFO, "severityText": "INFO",
        "eventName": "gen_ai.evaluation.result", "attributes": attributes,
    });
    for (key, id, length) in [
        ("traceId", origin.and_then(|origin| origin.trace.as_deref()), 32),
        ("spanId", origin.and_then(|origin| origin.span.as_deref()), 16),
    ] {
        // Ids of other tools are no ids of OpenTelemetry; a collector refuses the whole request for one.
        let id = id.filter(|id| id.len() == length && id.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(id) = id {
            log[key] = Value::from(id.to_ascii_lowercase());
        }
    }
    log
}
