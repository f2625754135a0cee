//! Any bytes through the dispatch: encodings, zip, JSON, text.

#![no_main]

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = formats::read(data, &ReadOptions::default());
});
