//! OpenTelemetry's spans and log records: exports in OTLP's JSON, single spans of an SDK, and rows of Phoenix.

use serde_json::{Map, Value};

use super::attributes::{Attributes, any_value, field};
use super::calls::{Calls, Side};
use super::time::moment;
use super::{Call, CallKind, genai};
use crate::transcript::formats::Format;

/// Takes all spans and log records of an export request.
pub(super) fn take_export(record: &Value, calls: &mut Calls) -> Format {
    let mut format = Format::OpenTelemetry;
    for resource in list(record, &["resourceSpans", "resource_spans"]) {
        for scope in list(resource, &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"]) {
            for span in list(scope, &["spans"]) {
                if take_span(span, calls) == Format::OpenInference {
                    format = Format::OpenInference;
                }
            }
        }
    }
    for resource in list(record, &["resourceLogs", "resource_logs"]) {
        for scope in list(resource, &["scopeLogs", "scope_logs"]) {
            list(scope, &["logRecords", "log_records"]).for_each(|log| take_log(log, calls));
        }
    }
    format
}

fn list<'a>(value: &'a Value, names: &'a [&str]) -> impl Iterator<Item = &'a Value> {
    names.iter().filter_map(|name| value.get(name)?.as_array()).flatten()
}

/// Takes one span, or one log record where it is one.
pub(super) fn take_span(span: &Value, calls: &mut Calls) -> Format {
    if ["eventName", "event_name", "body"].iter().any(|key| span.get(key).is_some()) {
        take_log(span, calls);
        return Format::OpenTelemetry;
    }
    let attributes = Attributes::new(span.get("attributes"));
    let mut spoken = genai::read(attributes);
    if spoken.input.is_empty() && spoken.output.is_empty() {
        for event in list(span, &["events"]) {
            let name = field(event, &["name"]).unwrap_or_default();
            let attributes = Attributes::new(event.get("attributes"));
            for (side, message) in genai::event(&name, &attributes, &Value::Null).unwrap_or_default() {
                match side {
                    Side::Input => spoken.input.push(message),
                    Side::Output => spoken.output.push(message),
                }
                if spoken.kind == CallKind::Step && name.starts_with("gen_ai.") {
                    spoken.kind = CallKind::Model;
                }
            }
        }
    }
    let mut call = located(span, spoken.kind);
    (call.session, call.title) = (spoken.session, spoken.title);
    (call.input, call.output) = (spoken.input, spoken.output);
    calls.push(call);
    spoken.format
}

/// Takes a log record: an event with one message, or with all of a call.
fn take_log(log: &Value, calls: &mut Calls) {
    let attributes = Attributes::new(log.get("attributes"));
    let name =
        field(log, &["eventName", "event_name"]).or_else(|| attributes.text(&["event.name"])).unwrap_or_default();
    let body = log.get("body").map_or(Value::Null, any_value);
    let mut call = located(log, CallKind::Model);
    if let Some(found) = genai::event(&name, &attributes, &body) {
        call.session = genai::read(attributes).session;
        for (side, message) in found {
            let again = Call {
                session: call.session.clone(),
                trace: call.trace.clone(),
                span: call.span.clone(),
                start: call.start,
                ..Call::new(CallKind::Model)
            };
            calls.push_event(again, side, message);
        }
        return;
    }
    let attributes = if attributes.has("gen_ai.input.messages") || attributes.has("gen_ai.output.messages") {
        attributes
    } else {
        Attributes::new(Some(&body))
    };
    let spoken = genai::read(attributes);
    (call.session, call.title) = (spoken.session, spoken.title);
    (call.input, call.output) = (spoken.input, spoken.output);
    calls.push(call);
}

/// A call with its ids and its time, whatever its record calls them.
fn located(record: &Value, kind: CallKind) -> Call {
    let context = record.get("context").or_else(|| record.get("span_context")).unwrap_or(&Value::Null);
    let id = |names: &[&str]| field(record, names).or_else(|| field(context, names)).map(bare);
    let times = [
        "startTimeUnixNano",
        "start_time_unix_nano",
        "start_time",
        "startTime",
        "timeUnixNano",
        "time_unix_nano",
        "timestamp",
        "observedTimeUnixNano",
        "observed_timestamp",
    ];
    Call {
        trace: id(&["traceId", "trace_id"]),
        span: id(&["spanId", "span_id"]),
        parent: id(&["parentSpanId", "parent_span_id", "parent_id"]),
        start: times.iter().find_map(|name| moment(record.get(name)?)).filter(|start| *start > 0),
        ..Call::new(kind)
    }
}

/// An id without the `0x` that some exporters put before it.
fn bare(id: String) -> String {
    id.strip_prefix("0x").map(str::to_owned).unwrap_or(id)
}

/// Takes a span that is a row of a data frame: `attributes.llm.input_messages`, `context.trace_id` and so on.
pub(super) fn take_columns(record: Value, calls: &mut Calls) -> Format {
    let Value::Object(columns) = record else { return Format::OpenInference };
    let (mut span, mut attributes, mut context) = (Map::new(), Map::new(), Map::new());
    for (name, value) in columns {
        if let Some(inner) = name.strip_prefix("attributes.") {
            attributes.insert(inner.to_owned(), value);
        } else if let Some(inner) = name.strip_prefix("context.") {
            context.insert(inner.to_owned(), value);
        } else {
            if name == "span_kind" && !attributes.contains_key("openinference.span.kind") {
                attributes.insert("openinference.span.kind".to_owned(), value.clone());
            }
            span.insert(name, value);
        }
    }
    span.insert("attributes".to_owned(), Value::Object(attributes));
    span.insert("context".to_owned(), Value::Object(context));
    take_span(&Value::Object(span), calls);
    Format::OpenInference
}
