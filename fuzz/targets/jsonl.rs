//! A line of a JSONL file, and the decision to stream.

#![no_main]

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = formats::looks_like_jsonl(data);
    let _ = formats::read_json_line(data, 1, &ReadOptions::default());
});
