//! Which tool recorded a trace, told by the keys at the top of a record.

use serde_json::Value;
use serde_json::value::RawValue;

/// The shapes of records that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An export request of OTLP with spans or log records in it.
    Otlp,
    /// A single span or log record.
    Span,
    /// A span as a row of a data frame, with a column for each attribute.
    Columns,
    /// A run of LangSmith, or several in an envelope.
    LangSmith,
    /// An observation, a trace or a session of Langfuse, or a turn of a session of Phoenix.
    Langfuse,
}

impl Shape {
    pub(super) fn of_value(record: &Value) -> Option<Self> {
        let keys: Vec<&str> = record.as_object()?.keys().map(String::as_str).collect();
        Self::of_keys(&keys)
    }

    fn of_keys(keys: &[&str]) -> Option<Self> {
        let has = |names: &[&str]| keys.iter().any(|key| names.contains(key));
        let begins = |start: &str| keys.iter().any(|key| key.starts_with(start));
        let texts = has(&["input", "output"]);
        if has(&["resourceSpans", "resourceLogs", "resource_spans", "resource_logs"]) {
            Some(Self::Otlp)
        } else if has(&["run_type"]) && has(&["inputs", "outputs"]) || has(&["runs"]) && has(&["thread_id", "cursors"])
        {
            Some(Self::LangSmith)
        } else if has(&["messages", "turns", "conversations", "conversation", "chat_messages", "mapping"]) {
            None
        } else if begins("context.trace_id") || begins("context.span_id") || begins("attributes.") {
            Some(Self::Columns)
        } else if has(&["attributes"])
            && has(&["context", "traceId", "trace_id", "spanId", "span_id", "eventName", "event_name"])
        {
            Some(Self::Span)
        } else if texts && has(&["traceId", "trace_id"]) && has(&["startTime", "start_time", "type", "root_span"])
            || texts && has(&["id"]) && has(&["timestamp", "sessionId", "session_id", "observations"])
            || has(&["traces"]) && has(&["id", "projectId"])
        {
            Some(Self::Langfuse)
        } else {
            None
        }
    }
}

/// Whether an object is a record of a trace.
pub(in super::super) fn is_trace(text: &str) -> bool {
    text.starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok() && starts_like(text)
}

/// Whether an object that starts like this is a record of a trace; it may break off.
pub(in super::super) fn starts_like(start: &str) -> bool {
    let keys = top_keys(start);
    Shape::of_keys(&keys.iter().map(String::as_str).collect::<Vec<_>>()).is_some()
}

/// How many keys are looked at.
const MOST_KEYS: usize = 400;

/// The keys at the top of an object, as far as it goes. Keys with escapes are nobody's.
fn top_keys(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let (mut keys, mut depth, mut at, mut is_key) = (Vec::new(), 0_usize, 0, true);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => is_key |= depth == 1,
            b'"' => {
                let end = string_end(bytes, at + 1);
                if depth == 1 && is_key && end < bytes.len() {
                    keys.extend(text.get(at + 1..end).map(str::to_owned));
                    is_key = false;
                }
                at = end;
            }
            _ => {}
        }
        if keys.len() >= MOST_KEYS || (depth == 0 && at > 0 && matches!(byte, b'}' | b']')) {
            break;
        }
        at += 1;
    }
    keys
}

/// Where the string that begins here ends.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_at_the_top_are_found_also_in_what_breaks_off() {
        assert_eq!(
            top_keys(r#"{"a": {"x": ["y"]}, "b\"c": 1, "d": "e", "f": ["g", {"h": 1}], "i"#),
            ["a", r#"b\"c"#, "d", "f"]
        );
        assert_eq!(top_keys(r#"{"a":"b","c":"d"} {"e":1}"#), ["a", "c"]);
        assert!(top_keys("").is_empty() && top_keys("{\"\\").is_empty());
    }

    #[test]
    fn chats_and_other_records_are_no_traces() {
        for text in [
            r#"{"messages":[],"id":"x"}"#,
            r#"{"input":"a","output":"b"}"#,
            r#"{"id":1,"input":"a","output":"b"}"#,
            r#"{"attributes":{},"name":"x"}"#,
            r#"["run_type"]"#,
            r#"{"trace_id":"a","messages":[]}"#,
        ] {
            assert!(!is_trace(text), "{text}");
        }
        assert!(is_trace(r#"{"resourceSpans":[]}"#));
        assert!(starts_like(r#"{"traceId":"a","type":"GENERATION","input":"and so o"#));
    }
}
