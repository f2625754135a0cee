//! LangSmith: runs, alone or in the envelope of a query.

use serde_json::Value;

use super::attributes::field;
use super::calls::Calls;
use super::message::messages;
use super::time::moment;
use super::{Call, CallKind};
use crate::transcript::formats::Format;

/// The keys of `extra.metadata` that name the thread. `session_id` beside them, not at the top: there it is the project.
const THREAD: [&str; 3] = ["thread_id", "session_id", "conversation_id"];

/// Takes a run and those inside it.
pub(super) fn take(record: &Value, calls: &mut Calls) -> Format {
    take_run(record, calls, 0);
    Format::LangSmith
}

fn take_run(run: &Value, calls: &mut Calls, depth: usize) {
    const DEEPEST: usize = 32;
    let inner = ["runs", "child_runs"].iter().filter_map(|key| run.get(key)?.as_array()).flatten();
    if run.get("run_type").is_some() {
        calls.push(call(run));
    }
    if depth < DEEPEST {
        inner.for_each(|run| take_run(run, calls, depth + 1));
    }
}

fn call(run: &Value) -> Call {
    let metadata = run
        .get("extra")
        .and_then(|extra| extra.get("metadata"))
        .or_else(|| run.get("metadata"))
        .unwrap_or(&Value::Null);
    let kind = match field(run, &["run_type"]).as_deref() {
        Some("llm") => CallKind::Model,
        Some("chain" | "prompt" | "agent") => CallKind::Step,
        _ => CallKind::Other,
    };
    let id = field(run, &["id", "run_id"]);
    Call {
        session: field(run, &["thread_id"]).or_else(|| field(metadata, &THREAD)),
        title: field(metadata, &["title", "thread_title", "conversation_title"]),
        // The first run of a trace may not say that it is its own trace.
        trace: field(run, &["trace_id"]).or_else(|| id.clone()),
        span: id,
        parent: field(run, &["parent_run_id"]),
        start: run.get("start_time").and_then(moment),
        input: run.get("inputs").map(|inputs| messages(inputs, "user")).unwrap_or_default(),
        output: new_output(run),
        ..Call::new(kind)
    }
}

/// What came out of a run. A graph gives its whole state back, history and all: then that is what was said, and the
/// history in it meets the one that went in.
fn new_output(run: &Value) -> Vec<super::message::Message> {
    let output = run.get("outputs").map(|outputs| messages(outputs, "assistant")).unwrap_or_default();
    let input = run.get("inputs").map(|inputs| messages(inputs, "user")).unwrap_or_default();
    let repeats = output.len() > input.len() && !input.is_empty() && output.starts_with(&input);
    if repeats { output.into_iter().skip(input.len()).collect() } else { output }
}
