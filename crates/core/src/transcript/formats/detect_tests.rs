//! Tests of the dispatch, of the sample files, and that no input makes a reader panic.

use proptest::prelude::*;

use super::*;
use crate::transcript::Speaker;

fn text(text: &str) -> Result<Document, ReadError> {
    read_text(text, &ReadOptions::default())
}

const CHAT: &str = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#;

#[test]
fn blank_input_is_called_empty() {
    assert_eq!(text(" \n\t ").unwrap_err().what, "the input is empty");
}

#[test]
fn cut_json_tells_where_and_in_what() {
    let error = text("{\n  \"messages\": [\n    {\"role\": \"user\", \"content\": \"I am").unwrap_err();
    assert_eq!(error.at, "line 3, column 37");
    assert_eq!(error.what, "the JSON is cut short inside a string");
    assert_eq!(text("[").unwrap_err().what, "the JSON is cut short inside a list");
}

#[test]
fn text_after_json_is_an_error_at_its_place() {
    let error = text(&format!("{CHAT}\nand so on")).unwrap_err();
    assert_eq!((error.at.as_str(), error.what.as_str()), ("line 2, column 1", "not valid JSON: trailing characters"));
}

#[test]
fn lines_and_documents_in_a_row_are_told_apart() {
    let lines = text(&format!("{CHAT}\n{CHAT}")).unwrap();
    assert_eq!((lines.readings.len(), lines.notes[0].as_str()), (2, "one chat a line"));
    let pretty = CHAT.replace('[', "[\n");
    let documents = text(&format!("{pretty}\n{pretty}")).unwrap();
    assert_eq!((documents.readings.len(), documents.notes[0].as_str()), (2, "one document after another"));
}

#[test]
fn time_stamps_in_brackets_are_not_json() {
    for line in ["[12/03/2024, 10:15:32] Ana: hi", "[10:15] Ana: hi", "[2024-03-12T10:15] Ana: hi", "[Ana] hi", "{hi}"]
    {
        assert!(!looks_like_json(line), "{line}");
    }
    for json in ["[]", "{}", " [\n{", "{\"", "[[", "[\"a\"]", "{", "["] {
        assert!(looks_like_json(json), "{json}");
    }
}

#[test]
fn an_input_that_is_no_chat_says_so_and_points_on() {
    for text in ["# Notes\n\nBuy milk and bread.", "{\"name\": \"x\"}"] {
        let error = read(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(error.remedy.is_some(), "{error}");
    }
    let unknown = read(b"Ana: hi\nBen: hello\nAna: so\nBen: yes", &ReadOptions::default()).unwrap_err();
    assert!(unknown.to_string().contains("Ana") && unknown.to_string().contains("say who is who"), "{unknown}");
}

#[test]
fn lines_are_read_with_their_number() {
    let read = |line: &[u8]| read_json_line(line, 9, &ReadOptions::default());
    assert_eq!(read(CHAT.as_bytes()).unwrap()[0].at, "line 9");
    assert!(read(b" \r\n").unwrap().is_empty());
    assert_eq!(read(b"{\"messages\":[}").unwrap_err().at, "line 9, column 14");
    assert_eq!(read(b"{\"a\":\"\xff\"}").unwrap_err().at, "line 9, byte 7");
    assert!(read(b"hello").unwrap_err().what.contains("\"hello\""));
    assert!(read(&[b'['; 100_000]).is_err());
    assert!(read(&b"{\"a\":".repeat(100_000)).is_err());
}

#[cfg(feature = "zip")]
#[test]
fn the_error_of_an_archive_names_the_archive() {
    let error = read(b"PK\x03\x04 and nothing more", &ReadOptions::default()).unwrap_err();
    assert!(error.what.contains("zip"), "{error}");
}

#[cfg(feature = "zip")]
#[test]
fn an_export_is_read_through_its_archive() {
    use super::super::archive::tests::zipped;
    let export = include_bytes!("../../../../../examples/formats/chatgpt-export/conversations.json");
    let document = read(&zipped(&[("a/conversations.json", export)]), &ReadOptions::default()).unwrap();
    assert_eq!(document.format, Format::ChatGptExport);
    assert_eq!(document.notes, ["a/conversations.json in the zip archive"]);
    let reading = document.readings[0].as_ref().unwrap();
    assert_eq!(reading.notes, ["1 message on other branches was not read"]);
    let halves: [(&str, &[u8]); 2] = [("conversations-000.json", export), ("conversations-001.json", export)];
    assert_eq!(read(&zipped(&halves), &ReadOptions::default()).unwrap().readings.len(), 2);
    let error = read(&zipped(&[("conversations.json", b"[{\"mapping\":")]), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.at, "conversations.json, line 1, column 12");
}

#[test]
fn bytes_are_decoded_and_given_to_the_reader_that_knows_them() {
    let options = ReadOptions { human: vec!["Ana".into()], ai: vec!["Bo".into()], ..ReadOptions::default() };
    let chat = "[12/03/2024, 10:15:32] Ana: hi\n[12/03/2024, 10:15:40] Bo: hello\n";
    assert_eq!(read(chat.as_bytes(), &options).unwrap().format, Format::ChatExport);
    assert_eq!(read(b"HUMAN: hi\nAI: hello\n", &options).unwrap().format, Format::PlainText);
    let wide: Vec<u8> = format!("\u{feff}{CHAT}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let document = read(&wide, &options).unwrap();
    assert_eq!((document.format, document.readings.len()), (Format::OpenAi, 1));
    let column = r#"{"id":"t","dialogue":"Human: hi\nAI: hello"}"#;
    assert_eq!(read(column.as_bytes(), &options).unwrap().readings[0].as_ref().unwrap().turns.len(), 2);
}

#[test]
fn every_sample_file_is_read_in_its_format() {
    macro_rules! sample {
        ($name:literal) => {
            ($name, include_str!(concat!("../../../../../examples/formats/", $name)))
        };
    }
    let samples = [
        (Format::CareLock, sample!("carelock.json")),
        (Format::OpenAi, sample!("openai.json")),
        (Format::Anthropic, sample!("anthropic.json")),
        (Format::ShareGpt, sample!("sharegpt.json")),
        (Format::ChatGptExport, sample!("chatgpt-export/conversations.json")),
        (Format::ClaudeExport, sample!("claude-export.json")),
        (Format::OpenAi, sample!("messages.jsonl")),
        (Format::OpenTelemetry, sample!("otel-spans.json")),
        (Format::OpenInference, sample!("openinference.json")),
        (Format::Langfuse, sample!("langfuse.json")),
        (Format::LangSmith, sample!("langsmith.json")),
    ];
    for (format, (name, content)) in samples {
        let document = text(content).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(document.format, format, "{name}");
        for reading in document.readings {
            let reading = reading.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(reading.turns.iter().any(|turn| turn.0 == Speaker::Ai), "{name}");
            assert!(reading.into_transcript(name).is_ok(), "{name}");
        }
    }
}

/// Pieces that formats are made of, in any order: closer to the readers' nerves than random bytes.
fn jsonish() -> impl Strategy<Value = String> {
    // Split at white space; `_` stands for a blank and `$` for a line break.
    const PIECES: &str = r#"{ } [ ] , : " _ $ null 1 -2.5e9 true "messages": "turns": "role": "user" "assistant"
        "content": "type": "text" "text": "mapping": "message": "author": "parent": "conversations": "from": "value":
        "chat_messages": "verdicts": "idx": \u00 é NaN "resourceSpans": "scopeSpans": "spans": "attributes": "key": "stringValue":
        "traceId": "spanId": "input": "output": "run_type": "inputs": "sessionId": "eventName": "body": "transcript":
        "choices": "request": "conversation_id": "speakers": "data":
        {"role":"user","content":"x"} {"messages":[ ]} [{ "}"#;
    let whitespace = |piece| match piece {
        "_" => " ",
        "$" => "\n",
        other => other,
    };
    let pieces: Vec<&str> = PIECES.split_whitespace().map(whitespace).collect();
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// JSON values nested at random under the keys the readers know.
fn value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    const KEYS: &str = "messages turns role content text type mapping message author parent conversations from value \
        chat_messages verdicts idx choices request response conversation_id speakers data id current_node parts \
        content_type system transcript tool_calls attachments resourceSpans scopeSpans spans resourceLogs scopeLogs \
        logRecords attributes key stringValue kvlistValue arrayValue values traceId spanId trace_id context.trace_id \
        attributes.llm.input_messages llm.input_messages.0.message.role gen_ai.input.messages gen_ai.prompt name \
        gen_ai.choice events eventName body startTime start_time input output inputs outputs run_type child_runs extra \
        metadata thread_id sessionId observations traces root_span generations kwargs interaction context timestamp";
    let keys: Vec<&str> = KEYS.split_whitespace().collect();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "user",
            "assistant",
            "text",
            "system",
            "AI",
            "[]",
            "[{\"role\":\"user\"}]",
            "GENERATION",
            "llm",
            "t1",
            "gen_ai.choice",
            "2026-01-01T00:00:00Z"
        ])
        .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let entry = (prop::sample::select(keys.clone()), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            prop::collection::vec(entry, 0..6).prop_map(|entries| Value::Object(
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let options = ReadOptions::default();
        let _ = read(&bytes, &options);
        let _ = read_json_line(&bytes, 1, &options);
        let _ = looks_like_jsonl(&bytes);
        let _ = read(&[b"PK\x03\x04".as_slice(), &bytes].concat(), &options);
        let _ = read(&[b"PAR1".as_slice(), &bytes, b"PAR1"].concat(), &options);
    }

    #[test]
    fn anything_like_json_never_panics(json in jsonish()) {
        let options = ReadOptions::default();
        let _ = read(json.as_bytes(), &options);
        let _ = read_text(&json, &options);
        let _ = read_json_line(json.as_bytes(), 1, &options);
        let _ = looks_like_jsonl(json.as_bytes());
    }

    #[test]
    fn any_json_value_never_panics(value in value()) {
        let json = value.to_string();
        let options = ReadOptions::default();
        let _ = read_text(&json, &options);
        let _ = read_json_line(json.as_bytes(), 1, &options);
        let _ = read_text(&format!("{json}\n{json}"), &options);
    }
}
