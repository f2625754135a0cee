//! Langfuse: observations, traces and sessions as its API and its exports write them; Phoenix has the turns of a session alike.

use serde_json::Value;

use super::attributes::field;
use super::calls::Calls;
use super::message::messages;
use super::time::moment;
use super::{Call, CallKind};
use crate::transcript::formats::Format;

/// Takes a record and those inside it.
pub(super) fn take(record: &Value, calls: &mut Calls) -> Format {
    let inner = |key: &str| record.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter();
    let session = field(record, &["sessionId", "session_id"]);
    if record.get("traces").is_some_and(Value::is_array) {
        let own = field(record, &["id"]);
        for trace in inner("traces") {
            take_trace(trace, own.clone(), calls);
        }
        return Format::Langfuse;
    }
    if record.get("root_span").is_some() {
        // The turn itself does not name its session; the span it began with does.
        let of_span = || field(record.get("root_span")?.get("attributes")?, &["session.id"]);
        calls.push(observation(record, session.or_else(of_span), None));
        return Format::Phoenix;
    }
    if field(record, &["traceId", "trace_id"]).is_some() {
        calls.push(observation(record, session, None));
    } else {
        take_trace(record, session, calls);
    }
    Format::Langfuse
}

/// Takes a trace, which is a call of its own, and its observations.
fn take_trace(trace: &Value, session: Option<String>, calls: &mut Calls) {
    let session = field(trace, &["sessionId", "session_id"]).or(session);
    let id = field(trace, &["id"]);
    let mut whole = observation(trace, session.clone(), id.clone());
    (whole.span, whole.parent, whole.kind) = (None, None, CallKind::Step);
    whole.title = field(trace, &["name"]);
    calls.push(whole);
    for inner in trace.get("observations").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        if inner.is_object() {
            calls.push(observation(inner, session.clone(), id.clone()));
        }
    }
}

fn observation(record: &Value, session: Option<String>, trace: Option<String>) -> Call {
    let kind = match field(record, &["type"]).map(|kind| kind.to_uppercase()).as_deref() {
        Some("GENERATION") => CallKind::Model,
        None | Some("SPAN" | "AGENT" | "CHAIN") => CallKind::Step,
        Some(_) => CallKind::Other,
    };
    let side = |key: &str, label: &str| record.get(key).map(|value| messages(value, label)).unwrap_or_default();
    let root = record.get("root_span").unwrap_or(&Value::Null);
    let of_root = || field(root.get("context").unwrap_or(&Value::Null), &["span_id"]);
    let times = ["startTime", "start_time", "timestamp"];
    Call {
        session,
        title: field(record, &["traceName", "trace_name"]),
        trace: field(record, &["traceId", "trace_id"]).or(trace),
        span: field(record, &["id", "span_id"]).or_else(of_root),
        parent: field(record, &["parentObservationId", "parent_observation_id"]),
        start: times.iter().find_map(|name| moment(record.get(name)?)),
        input: side("input", "user"),
        output: side("output", "assistant"),
        ..Call::new(kind)
    }
}
