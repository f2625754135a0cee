//! Traces of every tool, put together into chats.

use serde_json::json;

use super::super::detect::{looks_like_jsonl, read as read_any};
use super::super::{Document, Reading, Speaker};
use super::*;

const DOCUMENTED: &str = include_str!("../../../../../../docs/formats/traces.md");

fn document(text: &str) -> Document {
    read_any(text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn only(text: &str) -> Reading {
    let mut readings = document(text).readings;
    assert_eq!(readings.len(), 1, "{text}");
    readings.remove(0).unwrap()
}

fn said(reading: &Reading) -> Vec<&str> {
    reading.turns.iter().map(|(_, text)| text.as_str()).collect()
}

/// A call of Langfuse's with history.
fn call(id: &str, time: u32, input: &[(&str, &str)], output: &str) -> Value {
    let input: Vec<Value> = input.iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    json!({"id": id, "traceId": format!("t-{id}"), "sessionId": "s", "type": "GENERATION",
        "startTime": format!("2026-01-01T00:00:{time:02}Z"), "input": input, "output": output})
}

fn of_calls(calls: &[Value]) -> Reading {
    only(&Value::from(calls.to_vec()).to_string())
}

#[test]
fn every_documented_example_is_the_same_chat() {
    let examples: Vec<&str> =
        DOCUMENTED.split("```json\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    assert_eq!(examples.len(), 12);
    let turns = [
        "I can't sleep since the move.",
        "That sounds exhausting. What keeps you awake?",
        "I count what I left.",
        "Missing a whole home is heavy.",
    ];
    let speakers = [Speaker::Human, Speaker::Ai, Speaker::Human, Speaker::Ai];
    for example in examples {
        let reading = only(example);
        assert_eq!(said(&reading), turns, "{example}");
        assert_eq!(reading.turns.iter().map(|turn| turn.0).collect::<Vec<_>>(), speakers, "{example}");
        assert_eq!(reading.id.as_deref(), Some("move-7"), "{example}");
        assert!(reading.notes.is_empty(), "{:?}: {example}", reading.notes);
    }
}

#[test]
fn the_origin_is_that_of_the_last_call() {
    let example = DOCUMENTED.split("```json\n").nth(1).unwrap().split("\n```").next().unwrap();
    let origin = *only(example).trace.unwrap();
    let text = |text: &str| Some(text.to_owned());
    let expected = TraceOrigin {
        session: text("move-7"),
        trace: text("6c8efff798038103d269b633813fc60d"),
        span: text("eee19b7ec3c1b175"),
        traces: 2,
    };
    assert_eq!(origin, expected);
}

#[test]
fn calls_are_put_in_order_and_each_message_is_kept_once() {
    let first = call("a", 1, &[("system", "Be kind."), ("user", "1")], "2");
    let second = call("b", 2, &[("system", "Be kind."), ("user", "1"), ("assistant", "2"), ("user", "3")], "4");
    // A window that has lost the beginning.
    let third = call(
        "c",
        3,
        &[("system", "Be kind."), ("assistant", "2"), ("user", "3"), ("assistant", "4"), ("user", "5")],
        "6",
    );
    let reading = of_calls(&[third, first, second]);
    assert_eq!(said(&reading), ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(reading.dropped["system message"], 1);
    assert_eq!(reading.trace.unwrap().span.as_deref(), Some("c"));
}

#[test]
fn an_answer_made_again_and_a_call_for_a_title_open_another_course() {
    let calls = [
        call("a", 1, &[("user", "1")], "2"),
        call("title", 2, &[("user", "Find a title for: 1")], "A title"),
        call("again", 3, &[("user", "1")], "2b"),
        call("b", 4, &[("user", "1"), ("assistant", "2b"), ("user", "3")], "4"),
    ];
    let reading = of_calls(&calls);
    assert_eq!(said(&reading), ["1", "2b", "3", "4"]);
    assert_eq!(reading.notes, ["2 calls of this conversation do not belong to the course of the chat; not read"]);
}

#[test]
fn the_same_words_said_twice_stay() {
    let calls = [
        call("a", 1, &[("user", "ok")], "ok"),
        call("b", 2, &[("user", "ok")], "fine"),
        call("c", 3, &[("user", "ok")], "ok"),
    ];
    assert_eq!(said(&of_calls(&calls)), ["ok", "ok", "ok", "fine", "ok", "ok"]);
}

#[test]
fn the_words_around_many_calls_are_the_persons_own() {
    let mut inner = call("x", 2, &[("user", "Context: none. Question: hi")], "search");
    let mut answer = call("y", 3, &[("user", "Context: all. Question: hi")], "hello");
    (inner["traceId"], answer["traceId"]) = (json!("t"), json!("t"));
    let trace = json!({"id": "t", "timestamp": "2026-01-01T00:00:01Z", "sessionId": "s", "name": "Greeting", "input": {"question": "hi"},
        "output": "hello", "observations": [inner, answer]});
    let reading = only(&trace.to_string());
    assert_eq!(said(&reading), ["hi", "hello"]);
    assert_eq!((reading.id.as_deref(), reading.title.as_deref()), (Some("s"), Some("Greeting")));
}

#[test]
fn spans_on_lines_are_read_together_and_a_bad_line_is_said() {
    let lines = [
        call("a", 1, &[("user", "1")], "2").to_string(),
        "{\"id\": ".to_owned(),
        call("b", 2, &[("user", "1"), ("assistant", "2"), ("user", "3")], "4").to_string(),
        r#"{"other": 1}"#.to_owned(),
    ];
    let text = lines.join("\n");
    assert!(!looks_like_jsonl(text.as_bytes()));
    let found = document(&text);
    assert_eq!((found.format, found.notes[0].as_str()), (Format::Langfuse, "one record of a trace a line"));
    assert_eq!(said(found.readings[0].as_ref().unwrap()), ["1", "2", "3", "4"]);
    let places: Vec<_> = found.readings[1..].iter().map(|reading| reading.as_ref().unwrap_err().at.as_str()).collect();
    assert_eq!(places, ["line 2, column 6", "line 4"]);
    let long = format!("{{\"traceId\":\"t\",\"type\":\"GENERATION\",\"input\":\"{}", "x".repeat(1 << 16));
    assert!(!looks_like_jsonl(long.as_bytes()), "a first line beyond the window is seen to be a trace");
}

#[test]
fn spans_printed_by_an_sdk_one_after_another_are_read() {
    let span = |number: u32, messages: Value, answer: &str| {
        let span = json!({"name": "chat", "context": {"trace_id": format!("0x{number:032x}"), "span_id": format!("0x{number:016x}")},
            "parent_id": null, "start_time": format!("2026-01-01T00:00:0{number}.000000Z"),
            "attributes": {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c", "gen_ai.input.messages": messages,
                "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]}});
        serde_json::to_string_pretty(&span).unwrap()
    };
    let user = |text: &str| json!({"role": "user", "parts": [{"type": "text", "content": text}]});
    let text = [span(2, json!([user("3")]), "4"), span(1, json!([user("1")]), "2")].join("\n");
    let reading = only(&text);
    assert_eq!(said(&reading), ["1", "2", "3", "4"]);
    assert_eq!(reading.trace.unwrap().span.unwrap(), "0000000000000002");
}

#[test]
fn older_events_on_the_span_are_read() {
    let event = |name: &str, attributes: Value| json!({"name": name, "timestamp": "2026-01-01T00:00:00Z", "attributes": attributes});
    for events in [
        json!([
            event("gen_ai.system.message", json!({"content": "Be kind."})),
            event("gen_ai.user.message", json!({"content": "hi"})),
            event("gen_ai.choice", json!({"index": 0, "message": "{\"role\": \"assistant\", \"content\": \"hello\"}"})),
            event("gen_ai.choice", json!({"index": 1, "message": {"content": "second choice"}}))
        ]),
        json!([
            event("gen_ai.content.prompt", json!({"gen_ai.prompt": "[{\"role\": \"user\", \"content\": \"hi\"}]"})),
            event(
                "gen_ai.content.completion",
                json!({"gen_ai.completion": "[{\"role\": \"assistant\", \"content\": \"hello\"}]"})
            )
        ]),
    ] {
        let span = json!({"name": "chat", "trace_id": "t", "span_id": "s", "attributes": {"gen_ai.system": "x"}, "events": events});
        assert_eq!(said(&only(&span.to_string())), ["hi", "hello"], "{span}");
    }
    let flat = json!({"name": "chat", "trace_id": "t", "span_id": "s", "attributes": {"gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "hi", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "hello"}});
    assert_eq!(said(&only(&flat.to_string())), ["hi", "hello"]);
}

#[test]
fn rows_of_a_data_frame_and_parts_are_read() {
    let row = json!({"context.trace_id": "t", "context.span_id": "s", "span_kind": "LLM", "start_time": 1790000000000_i64,
        "attributes.llm.input_messages": [{"message.role": "user", "message.contents": [{"message_content.type": "text", "message_content.text": "hi"},
            {"message_content.type": "image", "message_content.image": {}}]}],
        "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "hello"}], "attributes.session.id": "c"});
    let reading = only(&json!([row]).to_string());
    assert_eq!((said(&reading), reading.dropped["image"]), (vec!["hi", "hello"], 1));
}

#[test]
fn turns_of_a_session_are_one_chat_by_the_session_of_their_spans() {
    let turn = |at: u32, said: &str, reply: &str| {
        let span =
            json!({"context": {"trace_id": format!("t{at}"), "span_id": "s"}, "attributes": {"session.id": "c"}});
        json!({"trace_id": format!("t{at}"), "start_time": format!("2026-01-01T00:00:0{at}Z"), "root_span": span,
            "input": {"value": said, "mime_type": "text/plain"}, "output": {"value": reply, "mime_type": "text/plain"}})
    };
    let reading = only(&json!([turn(2, "so", "yes"), turn(1, "hi", "hello")]).to_string());
    assert_eq!((reading.id.as_deref(), said(&reading)), (Some("c"), vec!["hi", "hello", "so", "yes"]));
}

#[test]
fn traces_without_text_say_what_to_switch_on() {
    let span =
        json!({"name": "chat", "trace_id": "t", "span_id": "s", "attributes": {"gen_ai.operation.name": "chat"}});
    let error = read_any(span.to_string().as_bytes(), &ReadOptions::default()).unwrap_err();
    assert!(error.what.contains("none of the 1 spans holds a message"), "{error}");
    assert!(error.to_string().contains("CAPTURE_MESSAGE_CONTENT"), "{error}");
    let empty = read_any(br#"{"resourceSpans":[]}"#, &ReadOptions::default()).unwrap_err();
    assert!(empty.what.contains("none of the 0 spans"), "{empty}");
}

#[test]
fn an_unknown_role_is_an_error_and_can_be_said() {
    let text = json!([call("a", 1, &[("oracle", "1")], "2")]).to_string();
    let error = document(&text).readings.remove(0).unwrap_err();
    assert!(error.what.contains("\"oracle\" (1 message)"), "{error}");
    let options = ReadOptions { human: vec!["oracle".into()], ..ReadOptions::default() };
    assert!(read_any(text.as_bytes(), &options).unwrap().readings[0].is_ok());
}
