//! The GenAI conventions of OpenTelemetry and OpenInference: what the attributes and events of a span say.

use serde_json::Value;

use super::attributes::Attributes;
use super::calls::Side;
use super::message::{Message, messages};
use super::{CallKind, flat};
use crate::transcript::formats::Format;

/// Attributes that name the conversation, the most telling first.
const SESSION: [&str; 8] = [
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "langsmith.trace.session_id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "thread.id",
    "thread_id",
];

/// Attributes with what the conversation is called.
const TITLE: [&str; 3] = ["gen_ai.conversation.title", "session.title", "conversation.title"];

/// What the attributes of a span say.
pub(super) struct Spoken {
    pub(super) format: Format,
    pub(super) kind: CallKind,
    pub(super) session: Option<String>,
    pub(super) title: Option<String>,
    pub(super) input: Vec<Message>,
    pub(super) output: Vec<Message>,
}

/// Reads the attributes of a span.
pub(super) fn read(mut attributes: Attributes) -> Spoken {
    attributes.spread(&["llm.input_messages", "llm.output_messages", "gen_ai.prompt", "gen_ai.completion"]);
    let named = |name: &str, label: &str| attributes.get(name).map(|value| messages(value, label)).unwrap_or_default();
    let mut output = named("gen_ai.output.messages", "assistant");
    let mut input = named("gen_ai.input.messages", "user");
    if !input.is_empty() || !output.is_empty() {
        let system = named("gen_ai.system_instructions", "system");
        let system = system.into_iter().map(|message| Message { label: "system".to_owned(), ..message });
        input.splice(0..0, system.take(1));
    }
    for (side, name) in [("llm.input_messages", "llm.output_messages"), ("gen_ai.prompt", "gen_ai.completion")] {
        if input.is_empty() && output.is_empty() {
            input = flat::messages(&attributes, side, "user");
            output = flat::messages(&attributes, name, "assistant");
        }
    }
    let is_open_inference = attributes.has("openinference.span.kind") || attributes.has("llm.input_messages");
    let structured = !input.is_empty() || !output.is_empty();
    if !structured {
        for (from, to) in [
            ("input.value", "output.value"),
            ("langfuse.observation.input", "langfuse.observation.output"),
            ("traceloop.entity.input", "traceloop.entity.output"),
        ] {
            if input.is_empty() && output.is_empty() {
                (input, output) = (named(from, "user"), named(to, "assistant"));
            }
        }
    }
    Spoken {
        format: if is_open_inference { Format::OpenInference } else { Format::OpenTelemetry },
        kind: kind(&attributes, structured),
        session: attributes.text(&SESSION),
        title: attributes.text(&TITLE),
        input,
        output,
    }
}

fn kind(attributes: &Attributes, structured: bool) -> CallKind {
    let stated = attributes.text(&[
        "openinference.span.kind",
        "gen_ai.operation.name",
        "langfuse.observation.type",
        "traceloop.span.kind",
    ]);
    match stated.map(|stated| stated.to_lowercase()).as_deref() {
        Some("llm" | "chat" | "text_completion" | "generate_content" | "generation" | "completion") => CallKind::Model,
        Some(
            "agent" | "chain" | "invoke_agent" | "create_agent" | "invoke_workflow" | "workflow" | "span" | "trace",
        ) => CallKind::Step,
        Some(_) => CallKind::Other,
        None if structured => CallKind::Model,
        None => CallKind::Step,
    }
}

/// The message that an event carries, and its side. `attributes` are those of the event, `body` that of a log record.
pub(super) fn event(name: &str, attributes: &Attributes, body: &Value) -> Option<Vec<(Side, Message)>> {
    let label = match name {
        "gen_ai.system.message" => "system",
        "gen_ai.user.message" => "user",
        "gen_ai.assistant.message" => "assistant",
        "gen_ai.tool.message" => "tool",
        "gen_ai.choice" => "assistant",
        "gen_ai.content.prompt" | "gen_ai.content.completion" => return Some(content_event(name, attributes)),
        _ => return None,
    };
    let side = if name == "gen_ai.choice" { Side::Output } else { Side::Input };
    // Choices beyond the first were not used.
    let index = attributes.get("index").or_else(|| body.get("index")).and_then(Value::as_i64);
    if index.is_some_and(|index| index > 0) {
        return Some(Vec::new());
    }
    let inside = ["gen_ai.event.content", "message", "content"].iter().find_map(|name| attributes.get(name));
    let found = match (body, inside) {
        (Value::Object(_) | Value::String(_), _) => messages(body, label),
        (_, Some(content)) => messages(content, label),
        _ if attributes.has("message") => {
            attributes.get("message.content").map(|content| messages(content, label)).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let tools = attributes.has("tool_calls") || body.get("tool_calls").is_some_and(|calls| !calls.is_null());
    let bare =
        || Message { label: label.to_owned(), text: None, left_out: vec!["tool call".to_owned(); usize::from(tools)] };
    let first = found.into_iter().next().unwrap_or_else(bare);
    Some(vec![(side, first)])
}

/// The two events of the first conventions, each with all messages of its side.
fn content_event(name: &str, attributes: &Attributes) -> Vec<(Side, Message)> {
    let (key, label, side) = match name {
        "gen_ai.content.prompt" => ("gen_ai.prompt", "user", Side::Input),
        _ => ("gen_ai.completion", "assistant", Side::Output),
    };
    let found = attributes.get(key).map(|value| messages(value, label)).unwrap_or_default();
    found.into_iter().map(|message| (side, message)).collect()
}
