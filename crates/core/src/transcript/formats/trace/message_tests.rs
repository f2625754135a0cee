//! Messages of every library, and what is no text in them.

use serde_json::json;

use super::*;

fn said(value: &Value, label: &str) -> Vec<(String, String)> {
    let text = |message: Message| (message.label, message.text.unwrap_or_else(|| message.left_out.join(",")));
    messages(value, label).into_iter().map(text).collect()
}

fn pair(label: &str, text: &str) -> (String, String) {
    (label.to_owned(), text.to_owned())
}

#[test]
fn messages_are_found_in_every_wrapping() {
    let user = [pair("user", "I feel low.")];
    for value in [
        json!("I feel low."),
        json!({"messages": [{"role": "user", "content": "I feel low."}]}),
        json!([[{"type": "human", "content": "I feel low."}]]),
        json!({"messages": [[{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "I feel low.", "type": "human"}}]]}),
        json!("[{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"I feel low.\"}]}]"),
        json!({"input": "I feel low."}),
        json!({"value": "I feel low.", "mime_type": "text/plain"}),
        json!([{"role": "user", "content": [{"type": "text", "text": "I feel low."}]}]),
        json!([{"role": "user", "parts": [{"text": "I feel low."}]}]),
        json!({"type": "human", "data": {"content": "I feel low."}}),
    ] {
        assert_eq!(said(&value, "user"), user, "{value}");
    }
    let answer = [pair("assistant", "I hear you.")];
    for value in [
        json!({"choices": [{"message": {"role": "assistant", "content": "I hear you."}}, {"message": {"role": "assistant", "content": "Not me."}}]}),
        json!({"generations": [[{"text": "I hear you.", "message": {"kwargs": {"content": "I hear you.", "type": "ai"}, "id": ["x", "AIMessage"]}}]]}),
        json!({"output": "I hear you."}),
        json!({"content": "I hear you."}),
        json!({"answer": "I hear you."}),
    ] {
        assert_eq!(said(&value, "assistant"), answer, "{value}");
    }
}

#[test]
fn what_is_no_text_is_named() {
    let parts = json!([{"role": "assistant", "parts": [{"type": "tool_call", "name": "f"}, {"type": "reasoning", "content": "x"},
        {"type": "blob", "modality": "image"}, {"type": "hologram"}]}]);
    assert_eq!(messages(&parts, "assistant")[0].left_out, ["tool call", "thinking block", "image", "hologram part"]);
    let calls = json!([{"role": "assistant", "content": "", "tool_calls": [{}, {}]}]);
    assert_eq!(
        messages(&calls, "assistant")[0],
        Message { label: "assistant".to_owned(), text: None, left_out: vec!["tool call".to_owned(); 2] }
    );
}

#[test]
fn what_a_person_types_is_not_taken_apart() {
    assert_eq!(
        said(&json!([{"role": "user", "content": "{\"text\": \"hi\"}"}]), "user"),
        [pair("user", "{\"text\": \"hi\"}")]
    );
    assert_eq!(said(&json!("{not json}"), "user"), [pair("user", "{not json}")]);
}
