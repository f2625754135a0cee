//! Traces of every tool: the first byte chooses what the rest is put into.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;

const ENVELOPES: [(&str, &str); 8] = [
    ("", ""),
    ("[", "]"),
    ("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[", "]}]}]}"),
    ("{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[", "]}]}]}"),
    ("{\"trace_id\":\"t\",\"span_id\":\"s\",\"attributes\":", "}"),
    ("{\"id\":\"o\",\"traceId\":\"t\",\"type\":\"GENERATION\",\"output\":\"x\",\"input\":", "}"),
    ("{\"id\":\"r\",\"run_type\":\"llm\",\"outputs\":\"x\",\"inputs\":", "}"),
    ("{\"1\":{\"p.json\":{\"a\":", "}}}"),
];

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let Some((choice, rest)) = data.split_first() else { return Corpus::Keep };
    let (before, after) = ENVELOPES[usize::from(*choice) % ENVELOPES.len()];
    let whole = [before.as_bytes(), rest, after.as_bytes()].concat();
    let _ = formats::looks_like_jsonl(&whole);
    let _ = formats::read(&whole, &ReadOptions::default());
    let twice = [whole.as_slice(), b"\n", whole.as_slice()].concat();
    let _ = formats::read(&twice, &ReadOptions::default());
    Corpus::Keep
}
