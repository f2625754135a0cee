//! A line of a JSONL file, and the decision to stream.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let _ = formats::looks_like_jsonl(data);
    let _ = formats::read_json_line(data, 1, &ReadOptions::default());
    Corpus::Keep
}
